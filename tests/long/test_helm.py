"""The Helm chart, linted and rendered by helm, and read strictly by the types of Kubernetes' own client library."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.long
ROOT = Path(__file__).resolve().parents[2]
CHART = ROOT / "packaging" / "helm" / "hntes"
READER = ROOT / "tests" / "support" / "kubernetes_reader"
HELM = "helm.sh/helm/v3/cmd/helm@v3.19.2"
KUBERNETES = "1.34.0"
VALUES: dict[str, Any] = {
    "flows": {"existingClaim": "collector"},
    "existingSecret": "hntes",
    "settings": '[database]\nurl = "postgresql+psycopg://hntes@db/hntes"\n',
}


def go() -> str:
    """The compiler of the machine, or of the extra `containers`."""
    beside = Path(sys.executable).with_name("go")
    found = shutil.which("go") or (str(beside) if beside.exists() else None)
    if found is None:
        pytest.skip("no Go compiler: install the extra `containers`")
    return found


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tools")
    environment = os.environ | {"CGO_ENABLED": "0", "GOBIN": str(folder), "GOFLAGS": "-mod=readonly"}
    subprocess.run([go(), "build", "-o", folder / "reader", "."], cwd=READER, env=environment, check=True)
    helm = shutil.which("helm")
    if helm is not None:
        (folder / "helm").symlink_to(helm)
    else:
        subprocess.run([go(), "install", HELM], env=environment, check=True)
    return folder


def rendered(tools: Path, values: dict[str, Any], folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "values.json").write_text(json.dumps(values))
    return subprocess.run(
        [tools / "helm", "template", "first", CHART, "--values", folder / "values.json", "--kube-version", KUBERNETES],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def objects(tools: Path, values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What an API server would see, by kind."""
    done = rendered(tools, values, folder)
    assert done.returncode == 0, done.stderr
    read = subprocess.run([tools / "reader"], input=done.stdout, capture_output=True, text=True, check=False)
    assert read.returncode == 0, read.stderr
    return {each["kind"]: each for each in json.loads(read.stdout)}


def test_the_reader_refuses_what_kubernetes_does_not_have(tools: Path) -> None:
    text = "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {schedul: '1 * * * *'}\n"
    read = subprocess.run([tools / "reader"], input=text, capture_output=True, text=True, check=False)
    assert read.returncode == 1
    assert 'unknown field "spec.schedul"' in read.stderr


def test_lint(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "values.json").write_text(json.dumps(VALUES))
    subprocess.run([tools / "helm", "lint", "--strict", CHART, "--values", tmp_path / "values.json"], check=True)


def test_night_and_page_share_state_and_read_flows_alone(tools: Path, tmp_path: Path) -> None:
    found = objects(tools, VALUES, tmp_path)
    assert set(found) == {"ConfigMap", "PersistentVolumeClaim", "CronJob", "Deployment", "Service"}
    assert found["ConfigMap"]["data"]["hntes.toml"] == VALUES["settings"]
    pods = [found["CronJob"]["spec"]["jobTemplate"]["spec"]["template"], found["Deployment"]["spec"]["template"]]
    for pod in (each["spec"] for each in pods):
        (container,) = pod["containers"]
        mounts = {each["name"]: each for each in container["volumeMounts"]}
        assert mounts["flows"]["readOnly"] is True
        assert mounts["settings"]["readOnly"] is True
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert container["envFrom"] == [{"secretRef": {"name": "hntes"}}]
        claims = {each["name"]: each.get("persistentVolumeClaim", {}).get("claimName") for each in pod["volumes"]}
        assert (claims["state"], claims["flows"]) == ("first-state", "collector")
    night = found["CronJob"]["spec"]
    assert (night["concurrencyPolicy"], night["timeZone"]) == ("Forbid", "Etc/UTC")
    assert night["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]["args"] == [
        "nightly", "--day", "yesterday",
    ]  # fmt: skip
    labels = found["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert found["Service"]["spec"]["selector"].items() <= labels.items()


def test_values_of_ones_own(tools: Path, tmp_path: Path) -> None:
    own = {
        "image": {"digest": "sha256:" + "0" * 64, "pullSecrets": ["registry"]}, "existingConfigMap": "mine",
        "flows": {"existingClaim": "collector"}, "state": {"existingClaim": "kept"}, "web": {"enabled": False},
        "nodeSelector": {"disk": "ssd"}, "tolerations": [{"key": "flows", "operator": "Exists"}],
    }  # fmt: skip
    found = objects(tools, own, tmp_path)
    assert set(found) == {"CronJob"}
    pod = found["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == "hntes@sha256:" + "0" * 64
    assert pod["nodeSelector"] == {"disk": "ssd"}
    assert pod["imagePullSecrets"] == [{"name": "registry"}]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"settings": "x"}, "flows.existingClaim"),
        ({"flows": {"existingClaim": "collector"}}, "settings: write hntes.toml there"),
        (VALUES | {"nigth": {}}, "nigth"),
        (VALUES | {"web": {"port": 0}}, "port"),
    ],
)
def test_values_that_do_not_work_are_named(tools: Path, tmp_path: Path, values: dict[str, Any], said: str) -> None:
    done = rendered(tools, values, tmp_path)
    assert done.returncode != 0
    assert said in done.stderr
