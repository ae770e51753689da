"""Deliveries as commits of real git repositories, and changes that are approved by merging their branches."""

import hashlib
import json
import os
import subprocess
import threading
from pathlib import Path

import pytest

from hntes.delivery.git_repository import Author, GitError, GitRepository
from hntes.rules.changeset.candidate import CandidateStoreError
from hntes.settings.model import Router
from hntes.sql.change import Change
from hntes.workflow.context import Context
from hntes.workflow.delivery import git_review
from hntes.workflow.review.view import ReviewView, review_view
from tests.support.installation import Installation
from tests.support.prepared_nights import PreparedNights

ANNA, BERT = "anna@example.net", "bert@example.net"
AUTHOR = Author("HNTES", "hntes@localhost", 1_700_000_000)


def git(folder: Path, *arguments: str, who: str = ANNA) -> str:
    """As a person calls it, with settings of nobody."""
    named = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
             for what, value in (("NAME", "somebody"), ("EMAIL", who))}  # fmt: skip
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **named}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    folder = tmp_path / "configs.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(folder)], check=True)
    return folder


@pytest.fixture
def site(tmp_path: Path, prepared_nights: PreparedNights) -> Installation:
    return prepared_nights.site(tmp_path / "site", router="r1")


def configured(site: Installation, **keys: object) -> None:
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items() if not isinstance(value, dict)]
    tables = [f"[git.{key}]\n" + "".join(f"{json.dumps(k)} = {json.dumps(v)}\n" for k, v in value.items())
              for key, value in keys.items() if isinstance(value, dict)]  # fmt: skip
    text = site.settings.read_text()
    site.settings.write_text("\n".join(["[git]", *lines, *tables, text]))


def approve(site: Installation) -> str:
    (entry,) = site.json("change", "list")
    site.run("change", "approve", "--router", "r1", "--hash", entry["candidate_hash"], "--who", "anna")
    return str(entry["candidate_hash"])


def test_each_delivery_is_one_commit_with_text_and_evidence(site: Installation, bare: Path) -> None:
    configured(site, repository=str(bare))
    candidate = approve(site)
    site.run("router", "deliver")
    assert git(bare, "rev-list", "--count", "main").strip() == "1"
    text = git(bare, "show", "main:r1/router.conf")
    assert hashlib.sha256(text.encode()).hexdigest() == candidate
    manifest = json.loads(git(bare, "show", "main:r1/manifest.json"))
    assert manifest == json.loads((site.output / "r1" / "approved" / "manifest.json").read_text())
    evidence = json.loads(git(bare, "show", "main:r1/change.json"))
    assert evidence["candidate_sha256"] == candidate
    assert len(evidence["pairs"]) == 8
    assert {each["outcome"] for each in evidence["verdicts"]} == {"passed", "reported"}
    assert "gate: passed" in git(bare, "show", "main:r1/change.txt")
    assert "approved by anna" in git(bare, "log", "-1", "--format=%B", "main")
    site.run("router", "deliver")
    assert git(bare, "rev-list", "--count", "main").strip() == "1"


def test_other_files_of_the_branch_stay_and_the_remote_gets_it(site: Installation, bare: Path, tmp_path: Path) -> None:
    origin = tmp_path / "origin.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(origin)], check=True)
    GitRepository(bare).commit("main", {"notes/README": b"ours\n"}, "begin\n", AUTHOR)
    git(bare, "remote", "add", "origin", str(origin))
    configured(site, repository=str(bare), push=True)
    approve(site)
    site.run("router", "deliver")
    assert git(origin, "show", "main:notes/README") == "ours\n"
    assert git(origin, "rev-parse", "main") == git(bare, "rev-parse", "main")


def test_a_remote_that_is_away_costs_no_delivery_and_no_password_is_told(
    site: Installation, bare: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    git(bare, "remote", "add", "origin", "https://operator:s3cret@127.0.0.1:9/configs.git")
    configured(site, repository=str(bare), push=True)
    approve(site)
    with caplog.at_level("WARNING"):
        site.run("router", "deliver")
    assert "is not pushed; the next delivery tries again" in caplog.text
    assert "s3cret" not in caplog.text
    origin = tmp_path / "origin.git"
    subprocess.run(["git", "init", "--quiet", "--bare", "-b", "main", str(origin)], check=True)
    git(bare, "remote", "set-url", "origin", str(origin))
    site.run("router", "deliver")
    assert git(origin, "rev-parse", "main") == git(bare, "rev-parse", "main")


def test_no_secret_of_the_environment_gets_there(
    site: Installation, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "s3cret-router")
    monkeypatch.setenv("HNTES_DATABASE_PASSWORD", "s3cret-database")
    configured(site, repository=str(bare))
    approve(site)
    site.run("router", "deliver")
    for name in git(bare, "ls-tree", "-r", "--name-only", "main").split():
        assert "s3cret" not in git(bare, "show", f"main:{name}")


def test_a_repository_that_cannot_be_used_is_named_and_the_files_are_there(site: Installation, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    inside = tmp_path / "no-repository"
    inside.mkdir()
    configured(site, repository=str(inside))
    approve(site)
    refused = site.run("router", "deliver", expect=3)
    assert "not a git repository" in refused.stderr
    assert (site.output / "r1" / "approved" / "manifest.json").exists()
    assert not (tmp_path / ".git" / "refs" / "heads" / "main").exists(), "that of a folder above is not taken"


def test_a_working_tree_that_shows_the_branch_is_refused(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "-b", "main", str(tmp_path)], check=True)
    with pytest.raises(GitError, match="its working tree shows main; use a bare repository"):
        GitRepository(tmp_path).check("main")
    GitRepository(tmp_path).check("other")


def test_writers_of_one_branch_lose_nothing(bare: Path) -> None:
    def write(number: int) -> None:
        GitRepository(bare).commit("main", {f"r{number}/router.conf": b"x\n"}, f"r{number}\n", AUTHOR)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    names = git(bare, "ls-tree", "-r", "--name-only", "main").split()
    assert sorted(names) == [f"r{number}/router.conf" for number in range(4)]
    assert git(bare, "rev-list", "--count", "main").strip() == "4"


def test_a_hook_of_the_repository_is_not_run(bare: Path, tmp_path: Path) -> None:
    hook = bare / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    GitRepository(bare).commit("main", {"a": b"x"}, "a\n", AUTHOR)
    assert not (tmp_path / "ran").exists()


def merged(bare: Path, folder: Path, *options: str, who: str = ANNA, branch: str | None = None) -> None:
    """A person merges the change's branch, in a clone of theirs."""
    subprocess.run(["git", "clone", "--quiet", str(bare), str(folder)], check=True)
    name = branch or git(bare, "for-each-ref", "--format=%(refname:short)", "refs/heads/hntes").split()[0]
    git(folder, "merge", "--quiet", *(options or ("--no-ff", "-m", "merge")), f"origin/{name}", who=who)
    git(folder, "push", "--quiet", "origin", "HEAD:main", who=who)


def by_merge(site: Installation, bare: Path, **keys: object) -> None:
    GitRepository(bare).commit("main", {"README": b"configurations\n"}, "begin\n", AUTHOR)
    settings = {"approve_by_merge": True, "require_signed": False, "committers": {ANNA: "anna"}} | keys
    configured(site, repository=str(bare), **settings)


def test_a_merge_approves_in_the_name_of_who_merged(site: Installation, bare: Path, tmp_path: Path) -> None:
    by_merge(site, bare)
    (first,) = site.json("change", "sync-git")
    assert first["outcome"] == "published"
    (second,) = site.json("change", "sync-git")
    assert second["outcome"] == "waits"
    merged(bare, tmp_path / "clone")
    (third,) = site.json("change", "sync-git")
    assert third["outcome"] == "approved", third
    assert (third["change"]["state"], third["change"]["decided_by"]) == ("approved", "anna")
    commit = git(bare, "rev-parse", "main").strip()
    assert commit in third["change"]["decision_note"]
    assert site.json("change", "sync-git") == []
    site.run("router", "deliver")
    text = (site.output / "r1" / "approved" / f"{third['change']['candidate_hash']}.conf").read_text()
    assert text == git(bare, "show", "main:r1/router.conf")
    assert git(bare, "rev-parse", "main").strip() == commit, "the merge is the record of the delivery"


def test_an_error_with_one_router_does_not_keep_the_others(
    tmp_path: Path, prepared_nights: PreparedNights, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = prepared_nights.site(tmp_path / "both", routers=2)
    by_merge(site, bare)

    def shown(context: Context, router: Router, change: Change) -> ReviewView:
        if router.name == "r1":
            raise CandidateStoreError("the text last delivered is lost; restore it from a backup")
        return review_view(context, router, change)

    monkeypatch.setattr(git_review, "review_view", shown)
    refused, published = site.json("change", "sync-git", expect=4)
    assert (refused["change"]["router"], refused["outcome"]) == ("r1", "refused")
    assert refused["detail"] == "the text last delivered is lost; restore it from a backup"
    assert (published["change"]["router"], published["outcome"]) == ("r2", "published")


@pytest.mark.parametrize(
    ("options", "who", "keys", "reason"),
    [
        (("--ff-only",), ANNA, {}, "merge with --no-ff"),
        ((), "eve@example.net", {}, "eve@example.net is not in [git] committers"),
        ((), ANNA, {"require_signed": True}, "its signature is not good (git says N)"),
    ],
)
def test_a_merge_that_names_nobody_approves_nothing(
    site: Installation, bare: Path, tmp_path: Path, options: tuple[str, ...], who: str, keys: dict[str, object],
    reason: str,
) -> None:  # fmt: skip
    by_merge(site, bare, **keys)
    site.run("change", "sync-git")
    merged(bare, tmp_path / "clone", *options, who=who)
    refused = site.run("change", "sync-git", expect=4).stdout
    assert reason in refused
    (change,) = site.json("change", "list")
    assert change["state"] == "pending"


def key_of(folder: Path, name: str) -> Path:
    key = folder / name
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    return key


def fingerprint(key: Path) -> str:
    """As ssh-keygen tells it: bits, fingerprint, comment."""
    done = subprocess.run(["ssh-keygen", "-lf", str(key)], capture_output=True, text=True, check=True)
    return done.stdout.split()[1]


def trusted(bare: Path, keys: dict[str, Path]) -> None:
    allowed = bare.parent / "allowed"
    allowed.write_text("".join(f"{who} {key.with_suffix('.pub').read_text()}" for who, key in keys.items()))
    git(bare, "config", "gpg.format", "ssh")
    git(bare, "config", "gpg.ssh.allowedSignersFile", str(allowed))


def merged_signed(bare: Path, folder: Path, key: Path, who: str) -> None:
    """Who has the key merges the change's branch, in the name of `who`, as `git merge` with `--author` would."""
    subprocess.run(["git", "clone", "--quiet", str(bare), str(folder)], check=True)
    branch = git(bare, "for-each-ref", "--format=%(refname:short)", "refs/heads/hntes").strip()
    signing = ("-c", "gpg.format=ssh", "-c", f"user.signingkey={key}")
    git(folder, *signing, "merge", "--quiet", "--no-ff", "-S", "-m", "merge", f"origin/{branch}", who=who)
    git(folder, "push", "--quiet", "origin", "HEAD:main")


@pytest.mark.parametrize("trusted_as", [ANNA, f"{ANNA},anna@lab.example.net", "anna@laptop"])
def test_a_merge_signed_by_its_author_approves(
    site: Installation, bare: Path, tmp_path: Path, trusted_as: str
) -> None:  # fmt: skip
    key = key_of(tmp_path, "key")
    trusted(bare, {trusted_as: key})
    by_fingerprint = {fingerprint(key): "anna"} if trusted_as == "anna@laptop" else {}
    by_merge(site, bare, require_signed=True, committers={ANNA: "anna"} | by_fingerprint)
    site.run("change", "sync-git")
    merged_signed(bare, tmp_path / "clone", key, ANNA)
    (done,) = site.json("change", "sync-git")
    assert (done["outcome"], done["change"]["decided_by"]) == ("approved", "anna"), done


@pytest.mark.parametrize(
    ("trusted_as", "more", "reason"),
    [
        (BERT, {}, f"its author is {ANNA} (anna), but {BERT} (bert) signed it"),
        ("eve@example.net", {}, f"its author is {ANNA} (anna), but eve@example.net, who is not in [git] committers"),
        ("*@example.net", {}, "but *@example.net, who is not in [git] committers"),
        # who may choose the name of his key is known by its fingerprint
        (ANNA, {"fingerprint": "bert"}, f"but {ANNA} (bert) signed it"),
    ],
)
def test_nobody_approves_in_the_name_of_another_with_a_signature_of_his_own(
    site: Installation, bare: Path, tmp_path: Path, trusted_as: str, more: dict[str, str], reason: str
) -> None:
    key = key_of(tmp_path, "key")
    trusted(bare, {trusted_as: key})
    committers = {ANNA: "anna", BERT: "bert"} | {fingerprint(key): who for who in more.values()}
    by_merge(site, bare, require_signed=True, committers=committers)
    site.run("change", "sync-git")
    merged_signed(bare, tmp_path / "clone", key, ANNA)
    refused = site.json("change", "sync-git", expect=4)[0]
    assert reason in refused["detail"]
    assert refused["change"]["state"] == "pending"


@pytest.mark.parametrize("by", ["address", "fingerprint"])
def test_a_host_that_signs_merges_answers_for_their_author_if_it_is_named(
    site: Installation, bare: Path, tmp_path: Path, by: str
) -> None:
    key = key_of(tmp_path, "host")
    trusted(bare, {"noreply@git.example.net": key})
    named = "noreply@git.example.net" if by == "address" else fingerprint(key)
    by_merge(site, bare, require_signed=True, host_signers=[named])
    site.run("change", "sync-git")
    merged_signed(bare, tmp_path / "clone", key, ANNA)
    (done,) = site.json("change", "sync-git")
    assert (done["outcome"], done["change"]["decided_by"]) == ("approved", "anna"), done


def test_a_text_that_was_edited_is_not_approved(site: Installation, bare: Path, tmp_path: Path) -> None:
    by_merge(site, bare)
    site.run("change", "sync-git")
    merged(bare, tmp_path / "clone")
    edited = tmp_path / "clone" / "r1" / "router.conf"
    edited.write_text(edited.read_text() + "/* mine */\n")
    git(tmp_path / "clone", "commit", "--quiet", "-am", "edit")
    git(tmp_path / "clone", "push", "--quiet", "origin", "HEAD:main")
    refused = site.run("change", "sync-git", expect=4).stdout
    assert "of r1, but none is approved" in refused


def test_on_another_base_nothing_is_published_or_approved(site: Installation, bare: Path, tmp_path: Path) -> None:
    by_merge(site, bare)
    site.run("change", "sync-git")
    GitRepository(bare).commit("main", {"r1/router.conf": b"by hand\n"}, "by hand\n", AUTHOR)
    assert "but none is approved" in site.run("change", "sync-git", expect=4).stdout
    branch = git(bare, "for-each-ref", "--format=%(refname:short)", "refs/heads/hntes").strip()
    merged(bare, tmp_path / "clone", "--no-ff", "-X", "theirs", "-m", "merge", branch=branch)
    refused = site.run("change", "sync-git", expect=4).stdout
    assert "the text before the merge is not the approved one" in refused


def test_without_the_setting_the_command_says_so(site: Installation) -> None:
    assert "[git] approve_by_merge = true" in site.run("change", "sync-git", expect=1).stderr
