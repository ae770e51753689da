"""IOS-XR and IOS-XE text as a tree of sections.

An indented line belongs to the line above it. Text without indentation is understood, too: there a section ends with
`exit`, or with a line that starts another section. `!` starts a comment. A banner is one line with all of its text,
which is not parsed as statements.

Source: Cisco IOS Configuration Fundamentals Command Reference, "banner motd" (the text ends with its delimiter, which a
router lists as `^C`).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hntes.platforms.errors import ParseError

LISTS = (("ip", "access-list"), ("ipv4", "access-list"), ("ipv6", "access-list"))
_OPENERS = ("interface", "class-map", "policy-map", "route-map", "router", "object-group", "vrf", "line", "controller")
# Words that are valid only inside of sections: at the top level their section is missing.
_ORPHANS = (
    *("service-policy", "match", "set", "class", "police", "bandwidth", "priority", "queue-limit", "random-detect"),
    *("permit", "deny", "remark", "sequence", "conform-action", "exceed-action", "violate-action", "shape"),
    *("forward-class", "fair-queue", "end-class-map", "end-policy-map"),
)


# Statements with a text of several lines, each up to the mark before it.
_BANNER = re.compile(
    r"(?:banner \S+|aaa authentication (?:banner|fail-message|(?:username|password)-prompt)|menu \S+ (?:title|prompt))"
    r" +(?P<mark>\^C|\S)(?P<text>.*)"
)
# What a terminal shows around a listing: prompts, with or without the command, and the lines above the configuration.
_AROUND = re.compile(
    r"\S+[#>](?:\s*(?:sh(?:o|ow)?|exit|term\S*)\b.*)?|Building configuration\.\.\.|Current configuration ?: ?\d+ bytes"
    r"|Using \d+ (?:out )?of \d+ bytes.*|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:.]+ \S+"
)
# The lines that end a section of IOS-XR, each with the sections that it ends.
_ENDS = {
    "end-class-map": ("class-map",),
    "end-policy-map": ("policy-map",),
    "end-group": ("group",),
    "end-policy": ("route-policy",),
    "end-set": (
        "prefix-set",
        "as-path-set",
        "community-set",
        "extcommunity-set",
        "large-community-set",
        "rd-set",
        "tag-set",
    ),
    "end-template": ("template",),
}


# A bound on what a router may answer; the deepest sections of the vendors' references are some 8 deep.
MOST_DEEP = 100


@dataclass(eq=False, slots=True)
class Section:
    """A line, split into words, and the lines below it.

    Readers mark a line as parsed by `take`. The root holds the `closings`: the lines that end a section, each marked as
    taken if it ends the innermost section of its kind where a router's own listing does.
    """

    words: tuple[str, ...]
    line: int
    indent: int
    children: list["Section"] = field(default_factory=list)
    is_taken: bool = False
    closings: list["Section"] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def begins(self, *words: str) -> bool:
        """Whether the line starts with these words."""
        return self.words[: len(words)] == words

    def refused(self, reason: str) -> ParseError:
        """The error that refuses this line."""
        return ParseError(self.line, self.text, reason)

    def take(self) -> None:
        """Marks the line as parsed."""
        self.is_taken = True

    def end(self) -> None:
        """Refuses lines below this one."""
        for child in self.children:
            raise child.refused(f"is not allowed below `{self.text}`")

    def __iter__(self) -> Iterator["Section"]:
        return iter(self.children)


def interface_name(words: tuple[str, ...]) -> str | None:
    """The name of the interface that a head opens; None for another head.

    Example:
        >>> interface_name(("interface", "preconfigure", "TenGigE0/0/0/0.200", "l2transport"))
        'TenGigE0/0/0/0.200'
    """
    if words[0] != "interface":
        return None
    rest = [word for word in words[1:] if word != "preconfigure"]
    name, *more = rest or [""]
    # Old listings have a blank between kind and number.
    return name + "".join(each for each in more[:1] if name.isalpha() and each[0].isdigit())


def is_routed(words: tuple[str, ...]) -> bool:
    """Whether the head of an interface opens one that routes packets, rather than bridges them."""
    return "l2transport" not in words


def below(section: Section) -> Iterator[Section]:
    """All lines below a section, recursively."""
    for each in section:
        yield each
        yield from below(each)


def read_sections(text: str) -> Section:
    """The tree of a Cisco configuration; its root is a section without words.

    Raises:
        ParseError: a line at the top level belongs into a section, or the text of a banner does not end.
    """
    root = Section((), 0, -1)
    stack = [root]
    lines = enumerate(text.removeprefix("\ufeff").split("\n"), 1)
    for number, raw in lines:
        line = raw.replace("\t", " ").rstrip("\r ")
        words = tuple(line.split())
        if banner := _BANNER.fullmatch(line):
            words += _text_behind(banner, number, lines)
        if line == "!" and _is_empty_interface(stack[-1]):
            stack.pop()  # as a router lists it: what follows without indentation is none of its lines
        if not words or words[0].startswith("!") or _AROUND.fullmatch(line):
            continue
        indent = len(line) - len(line.lstrip(" "))
        if words in (("end",), ("root",)):
            root.closings.append(Section(words, number, indent))
            stack = [root]
        elif words[0] == "exit" or (words[0] in _ENDS and len(words) == 1):
            is_own = indent == 1 and any(each.words[0] in _ENDS.get(words[0], ()) for each in stack[1:2])
            root.closings.append(Section(words, number, indent, is_taken=is_own))
            _close(stack, words, number)
        else:
            section = Section(words, number, indent)
            while len(stack) > 1 and not _takes(stack, section):
                stack.pop()
            if len(stack) == 1 and (section.indent or words[0] in _ORPHANS or words[0].isdigit()):
                raise section.refused(
                    "is outside of any section that it could belong to: is it a whole configuration of this platform?"
                )
            if len(stack) > MOST_DEEP:
                raise section.refused(f"lies deeper than {MOST_DEEP} sections: no router lists such")
            stack[-1].children.append(section)
            stack.append(section)
    return root


def _text_behind(banner: re.Match[str], number: int, lines: Iterator[tuple[int, str]]) -> tuple[str, ...]:
    """The words of a banner in the lines after its first, up to its end."""
    words: list[str] = []
    text = banner["text"]
    while banner["mark"] not in text:
        following = next(lines, None)
        if following is None:
            raise ParseError(number, banner[0], "is a banner whose text does not end")
        text = following[1]
        words += text.split()
    return tuple(words)


def _close(stack: list[Section], words: tuple[str, ...], line: int) -> None:
    """Closes the section that the line ends."""
    if words[0] == "exit":
        while len(stack) > 1 and not _is_section(stack[-1]):
            stack.pop()
        del stack[max(1, len(stack) - 1) :]
        return
    kinds = _ENDS[words[0]]
    while len(stack) > 1 and stack[-1].words[0] not in kinds:
        stack.pop()
    if len(stack) == 1:
        raise ParseError(line, " ".join(words), f"ends a {kinds[0]} where none is open")
    stack.pop()


def _is_empty_interface(section: Section) -> bool:
    return section.words[:1] == ("interface",) and not section.indent and not section.children


def _is_section(section: Section) -> bool:
    return bool(section.children) or _kind(section.words) is not None


def _kind(words: tuple[str, ...]) -> str | None:
    """The kind of section that a line opens, of the kinds that may be typed without indentation."""
    if words[:2] in LISTS and len(words) > 2:
        return "access-list"
    if words[0] in _OPENERS or words[0] in ("class", "police"):
        return words[0]
    return None


def _is_list_line(words: tuple[str, ...]) -> bool:
    return words[0].isdigit() or words[0] in ("permit", "deny", "remark", "sequence")


_FLAT: dict[str, Callable[[tuple[str, ...]], bool]] = {
    "access-list": _is_list_line,
    "class-map": lambda words: words[0] in ("match", "description"),
    "route-map": lambda words: words[0] in ("match", "set", "description", "continue"),
    "policy-map": lambda words: words[0] in ("class", "description"),
    "class": lambda words: words[0] != "class" and not _opens_top(words),
    "police": lambda words: re.fullmatch(r"(conform|exceed|violate)-(action|color)", words[0]) is not None,
    "interface": lambda words: not _opens_top(words),
}


def _opens_top(words: tuple[str, ...]) -> bool:
    named = words[1:] if words[0] == "no" and len(words) > 1 else words
    return _kind(named) not in (None, "class", "police")


def _takes(stack: list[Section], section: Section) -> bool:
    """Whether the line belongs to the innermost open section, by indentation or without."""
    top = stack[-1]
    if section.indent != top.indent:
        return section.indent > top.indent
    kind = _kind(top.words)
    is_flat = all(child.indent == top.indent for child in top.children)
    return kind in _FLAT and is_flat and _FLAT[kind](section.words)
