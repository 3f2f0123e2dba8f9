# SPDX-License-Identifier: Apache-2.0
"""What the commands print is what docs/schemas says, and docs/schemas says all of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "docs/schemas"
STOKER = Path(sys.executable).with_name("stoker")
SCRIPT = ROOT / "tests/python/schema_script.py"


def schema_of(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    return loaded


def undescribed(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str) -> list[str]:
    """Paths in `value` that the schema allows without a word about them."""
    if "$ref" in schema:
        target = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return undescribed(value, target, root, at)
    for kind in ("anyOf", "oneOf"):
        if kind in schema and value is not None:
            options = [undescribed(value, option, root, at) for option in schema[kind]]
            return min(options, key=len)
    found = []
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for key, inner in value.items():
            if key in known:
                found += undescribed(inner, known[key], root, f"{at}.{key}")
            elif not isinstance(schema.get("additionalProperties"), dict):
                found.append(f"{at}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            found += undescribed(inner, schema.get("items", {}), root, f"{at}[{number}]")
    return found


def check(value: Any, name: str) -> None:
    schema = schema_of(name)
    jsonschema.Draft202012Validator(schema).validate(value)
    assert value["schema"] == f"stoker.{name}/1"
    assert undescribed(value, schema, schema, "") == []


def printed(*arguments: str | Path) -> Any:
    """stdout of a command; it must be one JSON object and nothing else."""
    command = [STOKER, *arguments, "--json"]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schemas") / "photos"
    subprocess.run(
        [STOKER, "data", "synth", folder, "--images", "24", "--classes", "2", "--size", "96x64"],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.stem)
def test_schemas_are_valid(path: Path) -> None:
    schema = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    name = path.name.removesuffix(".schema.json")
    assert schema["properties"]["schema"] == {"const": f"stoker.{name}/1"}


@pytest.mark.parametrize("kind", ["checks", "levers", "decoders", "transforms", "sources"])
def test_list(kind: str) -> None:
    value = printed("list", kind)
    check(value, "list")
    assert value["kind"] == kind


def test_list_holds_what_is_built_in() -> None:
    decoders = [item["id"] for item in printed("list", "decoders")["items"]]
    assert decoders == ["jpeg", "png", "webp"]
    classes = {item["id"]: item["class"] for item in printed("list", "levers")["items"]}
    folders = [path.parent.name for path in (ROOT / "python/stoker/levers").glob("*/lever.toml")]
    assert list(classes) == sorted(folders)
    named = {"native_decoding": "exact", "compile": "rounding", "bf16": "precision"}
    assert classes.items() >= named.items()


@pytest.mark.parametrize("kind", ["jpeg", "png", "webp"])
def test_data_synth(tmp_path: Path, kind: str) -> None:
    options = ("--images", "6", "--classes", "3", "--size", "40x30", "--format", kind)
    value = printed("data", "synth", tmp_path / "made", *options)
    check(value, "data.synth")
    images = [path for path in (tmp_path / "made").rglob("*.*") if path.is_file()]
    assert (value["images"], value["classes"], value["width"], value["height"]) == (6, 3, 40, 30)
    assert sum(path.stat().st_size for path in images) == value["bytes"]


def test_data_bench(photos: Path) -> None:
    value = printed("data", "bench", photos, "--threads", "1", "--seconds", "0.5")
    check(value, "data.bench")
    assert value["files"] == 24
    assert value["samples_per_s"] > 0
    assert sum(stage["share"] for stage in value["stages"]) == pytest.approx(1, abs=1e-3)


def test_data_bench_without_baseline(photos: Path) -> None:
    value = printed("data", "bench", photos, "--threads", "1", "--seconds", "0.2", "--no-baseline")
    check(value, "data.bench")
    assert value["baseline"] is None
    assert value["ratio"] is None


def run_script(folder: Path, photos: Path, *options: str) -> Any:
    """run.json of the script."""
    command = [STOKER, "run", "--out", "run", *options, "--", sys.executable, SCRIPT, photos]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    value = json.loads((folder / "run/run.json").read_text())
    check(value, "run")
    return value


def lever_of(value: Any, lever_id: str) -> Any:
    (lever,) = [lever for lever in value["levers"] if lever["id"] == lever_id]
    return lever


def test_run(photos: Path, tmp_path: Path) -> None:
    value = run_script(tmp_path, photos)
    assert value["exit_status"] == 0
    assert lever_of(value, "native_decoding")["applied"]
    assert value["steps"]["count"] > 0
    assert [phase["name"] for phase in value["phases"]][:1] == ["data_wait"]


def test_run_without_a_lever(photos: Path, tmp_path: Path) -> None:
    value = run_script(tmp_path, photos, "--without", "native_decoding,compile")
    lever = lever_of(value, "native_decoding")
    assert (lever["applied"], lever["reason"]) == (False, "left out by --without")
    assert value["loader"]["images"]["native"] == 0


def test_dry_run(photos: Path, tmp_path: Path) -> None:
    value = run_script(tmp_path, photos, "--dry-run")
    lever = lever_of(value, "native_decoding")
    assert (lever["applied"], lever["planned"], lever["reason"]) == (False, True, "")
    assert value["loader"]["images"]["native"] == 0
    assert value["steps"]["count"] == 2  # of twelve; the third is not over yet


def test_run_of_something_else(tmp_path: Path) -> None:
    command = [STOKER, "run", "--out", tmp_path / "run", "--", "sh", "-c", "exit 3"]
    run = subprocess.run(command, capture_output=True, cwd=tmp_path)
    assert run.returncode == 3
    (path,) = tmp_path.rglob("run.json")
    value = json.loads(path.read_text())
    check(value, "run")
    assert value["exit_status"] == 3
    assert value["verdict"]["kind"] == "unclear"
