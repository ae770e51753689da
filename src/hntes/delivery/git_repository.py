"""A git repository by the git command: commits on a branch without a working tree.

The command is started without a shell, with fixed options before names that the settings check. Hooks of the repository
and prompts are off. Sources: git-commit-tree(1), git-update-index(1), git-update-ref(1).
"""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hntes.errors import HntesError

MOST_BYTES = 64_000_000
_NOBODY = "0" * 40
# Others commit meanwhile; each try is based on what they left.
_TRIES = 5
# The address of a GPG user id. One that has another @ could be taken for somebody else's, and counts as a whole only.
_USER_ID = re.compile(r"[^<>@]*<([^\s<>@]+@[^\s<>@]+)>")


class GitError(HntesError):
    """A git repository cannot be used, or refused a command."""


@dataclass(frozen=True)
class Author:
    """Who is named as the author of a commit, and when, in seconds since 1970."""

    name: str
    email: str
    time_s: int


@dataclass(frozen=True)
class Introduced:
    """The commit on a branch that gave a file its present content, with the commits before it.

    `signature` is git's letter for it (`%G?` of git-log(1)): G is good. `signer` is whose key made it: of SSH the
    principal in the file of allowed signers, of GPG the key's user id; "" without a signature. `keys` are the
    fingerprints of that key and of its primary key.
    """

    commit: str
    parents: tuple[str, ...]
    author_email: str
    signature: str
    signer: str
    keys: tuple[str, ...]

    @property
    def signer_names(self) -> tuple[str, ...]:
        """What the signer may be known by: the key's fingerprints first, since its owner chooses a GPG user id."""
        address = _USER_ID.fullmatch(self.signer)
        return (*self.keys, self.signer, *(address.groups() if address else ()))


class GitRepository:
    """A repository on this machine."""

    def __init__(self, path: Path, timeout_s: int = 60) -> None:
        self.path = path
        self._timeout_s = timeout_s

    def check(self, branch: str) -> None:
        """Raises GitError if this is no repository, or one whose working tree shows the branch."""
        if self._text("rev-parse", "--is-bare-repository") == "true":
            return
        head = self._run("symbolic-ref", "--quiet", "HEAD", allowed=(0, 1)).stdout.decode().strip()
        if head == f"refs/heads/{branch}":
            raise GitError(f"{self.path}: its working tree shows {branch}; use a bare repository, `git init --bare`")

    def tip(self, branch: str) -> str | None:
        """The newest commit of a branch, None if there is no such branch."""
        done = self._run("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}^{{commit}}", allowed=(0, 1))
        return done.stdout.decode().strip() or None

    def read(self, commit: str, path: str) -> bytes | None:
        """The content of a file, None if the commit has none of this name."""
        listed = self._text("ls-tree", "--long", "--full-tree", commit, "--", path)
        if not listed:
            return None
        _, kind, blob, size = listed.split("\t")[0].split()
        if kind != "blob" or int(size) > MOST_BYTES:
            raise GitError(f"{self.path}: {path} is no file, or larger than {MOST_BYTES // 10**6} MB")
        return self._run("cat-file", "blob", blob).stdout

    def commit(
        self, branch: str, files: Mapping[str, bytes], message: str, author: Author, *, onto: str | None = None
    ) -> str | None:
        """A commit with these files on a branch, on its tip (a new branch: on `onto`); None if it has them already."""
        for _ in range(_TRIES):
            old = self.tip(branch)
            made = self._committed(old or onto, files, message, author)
            if made is None:
                return None
            updated = self._run(
                "update-ref", "-m", "hntes", f"refs/heads/{branch}", made, old or _NOBODY, allowed=(0, 1, 128)
            )
            if updated.returncode == 0:
                return made
        raise GitError(f"{self.path}: {branch} could not be moved: {_said(updated)}")

    def introduced(self, branch: str, path: str) -> Introduced:
        """The commit on a branch, merges counted as one, that changed a file last."""
        form = "--format=%H%x00%P%x00%ae%x00%G?%x00%GS%x00%GF%x00%GP"
        text = self._text("log", "--first-parent", "-1", form, f"refs/heads/{branch}", "--", path)
        if not text:
            raise GitError(f"{self.path}: no commit of {branch} has {path}")
        commit, parents, email, signature, signer, *keys = text.split("\0")
        return Introduced(commit, tuple(parents.split()), email, signature, signer, tuple(filter(None, keys)))

    def fetch(self, remote: str, branch: str) -> None:
        """Brings a branch to where the remote has it; nothing if it has none. Raises GitError if they have diverged."""
        if self._text("ls-remote", "--heads", remote, f"refs/heads/{branch}"):
            self._run("fetch", "--quiet", "--no-tags", remote, f"refs/heads/{branch}:refs/heads/{branch}")

    def push(self, remote: str, branches: Sequence[str]) -> None:
        """Pushes branches, never by force."""
        self._run("push", "--quiet", remote, *(f"refs/heads/{each}:refs/heads/{each}" for each in branches))

    def _committed(self, parent: str | None, files: Mapping[str, bytes], message: str, author: Author) -> str | None:
        with tempfile.TemporaryDirectory() as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self._run("read-tree", parent or "--empty", more=index)
            for path, content in files.items():
                blob = self._text("hash-object", "-w", "--stdin", given=content)
                self._run("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}", more=index)
            tree = self._text("write-tree", more=index)
        if parent is not None and tree == self._text("rev-parse", f"{parent}^{{tree}}"):
            return None
        who = {
            "GIT_AUTHOR_NAME": author.name, "GIT_AUTHOR_EMAIL": author.email,
            "GIT_AUTHOR_DATE": f"{author.time_s} +0000",
            "GIT_COMMITTER_NAME": author.name, "GIT_COMMITTER_EMAIL": author.email,
        }  # fmt: skip
        parents = ["-p", parent] if parent is not None else []
        return self._text("commit-tree", tree, *parents, "-F", "-", given=message.encode(), more=who)

    def _text(self, *arguments: str, given: bytes | None = None, more: Mapping[str, str] | None = None) -> str:
        return self._run(*arguments, given=given, more=more).stdout.decode("utf-8", "replace").strip()

    def _run(
        self, *arguments: str, given: bytes | None = None, more: Mapping[str, str] | None = None,
        allowed: Sequence[int] = (0,),
    ) -> subprocess.CompletedProcess[bytes]:  # fmt: skip
        command = ["git", "-C", str(self.path), "-c", f"core.hooksPath={os.devnull}", "-c", "gc.auto=0", *arguments]
        kept = ("PATH", "HOME", "SSH_AUTH_SOCK", "XDG_CONFIG_HOME")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        # a folder that is no repository is not taken for one of a folder above
        environment["GIT_CEILING_DIRECTORIES"] = str(self.path.resolve().parent)
        environment |= {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", **(more or {})}
        try:
            done = subprocess.run(
                command, input=given, stdin=subprocess.DEVNULL if given is None else None, capture_output=True,
                check=False, timeout=self._timeout_s, env=environment,
            )  # fmt: skip
        except FileNotFoundError as cause:
            raise GitError("git is not installed; [git] of the settings needs it") from cause
        except subprocess.TimeoutExpired as cause:
            raise GitError(f"{self.path}: git {arguments[0]} took longer than {self._timeout_s} s") from cause
        if done.returncode not in allowed:
            raise GitError(f"{self.path}: git {arguments[0]}: {_said(done)}")
        return done


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """What git says is wrong, without the password that an address may hold."""
    lines = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    wrong = [line for line in lines if line.startswith(("fatal:", "error:"))]
    words = (wrong or lines or [f"status {done.returncode}"])[0][:300]
    return re.sub(r"://[^\s/@]*@", "://...@", words)
