# SPDX-License-Identifier: Apache-2.0
"""What `stoker run` leaves behind, where, and what it makes of its options."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
from run_command import ENVIRONMENT, SCHEMA, STOKER, folders, run, run_json


def test_read_only_folder_goes_to_a_temporary_one(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "tmp"
    here.mkdir()
    (here / "stoker-runs").write_text("a file, so that no folder can be made, not even by root")
    done = run(here, "sh", "-c", "exit 6", env={"TMPDIR": str(elsewhere)})
    assert done.returncode == 6
    assert b"temporary folder" in done.stderr
    (document,) = elsewhere.glob("stoker-runs-*/*/run.json")
    jsonschema.validate(json.loads(document.read_text()), SCHEMA)


def test_no_folder_at_all_runs_unwatched(tmp_path: Path) -> None:
    (tmp_path / "stoker-runs").write_text("")
    command = 'echo "$STOKER_RUN_DIR$STOKER_ALLOW"; exit 6'
    done = run(tmp_path, "sh", "-c", command, env={"TMPDIR": "/dev/null"})
    assert (done.returncode, done.stdout) == (6, b"\n")
    assert done.stderr.count(b"no folder for its files could be made") == 1


def test_no_package_runs_unwatched(tmp_path: Path) -> None:
    done = run(
        tmp_path, "sh", "-c", 'echo "$STOKER_RUN_DIR"; exit 6', env={"STOKER_PACKAGE": "/nowhere"}
    )
    assert (done.returncode, done.stdout) == (6, b"\n")
    assert b"/nowhere" in done.stderr


def test_working_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"cd {gone} && rmdir {gone} && exec {STOKER} run sh -c 'exit 6'"
    done = subprocess.run(
        ["sh", "-c", command], env=ENVIRONMENT | {"TMPDIR": str(tmp_path)}, capture_output=True
    )
    assert done.returncode == 6
    assert b"temporary folder" in done.stderr


def test_folder_deleted_by_the_command(tmp_path: Path) -> None:
    done = run(tmp_path, "sh", "-c", 'rm -rf "$STOKER_RUN_DIR"; exit 6')
    assert done.returncode == 6
    assert b"run.json could not be written" in done.stderr


def test_faults_are_reported_once(tmp_path: Path) -> None:
    line = json.dumps({"where": "hook", "error": "boom", "pid": 1})
    command = f"for i in 1 2 3; do echo '{line}' >> $STOKER_RUN_DIR/faults.jsonl; done; exit 6"
    done = run(tmp_path, "sh", "-c", command)
    assert done.returncode == 6
    assert done.stderr.count(b"boom") == 1
    assert b"boom (3 times)" in done.stderr
    assert run_json(tmp_path)["errors"] == [{"where": "hook", "error": "boom", "count": 3}]


def test_garbage_in_the_folder(tmp_path: Path) -> None:
    command = (
        "cd $STOKER_RUN_DIR; echo garbage > processes/1.stk; : > processes/2.stk; "
        "head -c 9 /dev/urandom > levers.jsonl"
    )
    done = run(tmp_path, "sh", "-c", command)
    assert done.returncode == 0
    errors = run_json(tmp_path)["errors"]
    assert [error["where"] for error in errors] == ["process file", "process file"]


def test_folder_name_and_what_is_in_it(tmp_path: Path) -> None:
    run(tmp_path, "true")
    (folder,) = folders(tmp_path)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-[a-z0-9]{4}", folder.name)
    assert {path.name for path in folder.iterdir()} == {".stoker-run", "run.json", "log.txt"}


def test_out_names_the_folder(tmp_path: Path) -> None:
    run(tmp_path, "--out", "here/there", "true")
    assert (tmp_path / "here/there/run.json").is_file()
    assert not (tmp_path / "stoker-runs").exists()
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious/model.pt").write_text("")
    assert run(tmp_path, "--out", "precious", "sh", "-c", "touch started").returncode == 2
    assert not (tmp_path / "started").exists()


def test_keep_bounds_the_number_of_folders(tmp_path: Path) -> None:
    (tmp_path / "stoker-runs/mine").mkdir(parents=True)
    for _ in range(4):
        run(tmp_path, "--keep", "2", "true")
    names = [folder.name for folder in folders(tmp_path)]
    assert len(names) == 3
    assert "mine" in names


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["--allow", "fast", "true"], "no such class"),
        (["--allow", "none,exact", "true"], "excludes"),
        (["--without", "compile,zoom", "true"], "--without zoom: no such lever"),
        (["--without", "zoom", "true"], "fused_optimizer, native_decoding"),
        (["--keep", "0", "true"], "keep"),
        (["--allow", "none", "--dry-run", "true"], "leave out --allow none"),
        (["--config", "missing.toml", "true"], "missing.toml"),
        (["--config", "broken.toml", "true"], "broken.toml"),
        (["--config", "unknown.toml", "true"], "colour"),
        (["--config", "lever.toml", "true"], "--without zoom: no such lever"),
        ([], "no command given"),
    ],
)
def test_wrong_usage_is_found_before_the_command_starts(
    tmp_path: Path, args: list[str], text: str
) -> None:
    (tmp_path / "broken.toml").write_text("[run\n")
    (tmp_path / "unknown.toml").write_text("[run]\ncolour = 1\n")
    (tmp_path / "lever.toml").write_text('[run]\nwithout = ["zoom"]\n')
    done = run(tmp_path, *args)
    assert done.returncode == 2
    assert text in done.stderr.decode()
    assert not (tmp_path / "stoker-runs").exists()


def test_config_file_and_command_line(tmp_path: Path) -> None:
    (tmp_path / "stoker.toml").write_text('[run]\nallow = ["random"]\nquiet = true\n')
    command = 'echo "$STOKER_ALLOW $STOKER_CONFIG"'
    done = run(tmp_path, "--config", "stoker.toml", "sh", "-c", command)
    assert done.stdout.decode() == f"exact,random {tmp_path}/stoker.toml\n"
    assert done.stderr == b""
    done = run(tmp_path, "--config", "stoker.toml", "--allow", "none", "sh", "-c", command)
    assert done.stdout.decode().startswith("none ")


def test_levers_left_out(tmp_path: Path) -> None:
    (tmp_path / "stoker.toml").write_text('[run]\nwithout = ["compile", "tf32"]\nquiet = true\n')
    command = 'echo "${STOKER_WITHOUT-unset}"'
    assert run(tmp_path, "sh", "-c", command).stdout == b"unset\n"
    done = run(tmp_path, "--config", "stoker.toml", "sh", "-c", command)
    assert done.stdout == b"compile,tf32\n"
    done = run(tmp_path, "--config", "stoker.toml", "--without", "bf16", "sh", "-c", command)
    assert done.stdout == b"bf16\n"


def test_levers_of_a_missing_package_are_not_checked(tmp_path: Path) -> None:
    done = run(tmp_path, "--without", "zoom", "true", env={"STOKER_PACKAGE": "/nowhere"})
    assert done.returncode == 0
    assert b"/nowhere" in done.stderr


def test_dry_run_tells_the_script(tmp_path: Path) -> None:
    command = 'echo "${STOKER_DRY_RUN-unset}"'
    done = run(tmp_path, "--out", "whole", "sh", "-c", command)
    assert (done.returncode, done.stdout) == (0, b"unset\n")
    document = json.loads((tmp_path / "whole/run.json").read_text())
    assert document["dry_run"] is False
    inner = f"{STOKER} run --out inner sh -c '{command}'"
    done = run(tmp_path, "--dry-run", "sh", "-c", inner)
    assert (done.returncode, done.stdout) == (0, b"1\n")
    assert b"DRY RUN: nothing was applied" in done.stderr
    assert run_json(tmp_path)["dry_run"] is True
    assert json.loads((tmp_path / "inner/run.json").read_text())["dry_run"] is True


@pytest.mark.parametrize(
    ("command", "env", "reason"),
    [
        (["python3", "-E", "train.py"], {}, "python -E ignores PYTHONPATH"),
        (["sh", "-c", "touch started"], {"STOKER_PACKAGE": "/nowhere"}, "/nowhere"),
        (["sh", "-c", "touch started"], {"STOKER_DISABLE": "1"}, "STOKER_DISABLE is set"),
    ],
)
def test_dry_run_of_what_cannot_be_watched_starts_nothing(
    tmp_path: Path, command: list[str], env: dict[str, str], reason: str
) -> None:
    (tmp_path / "train.py").write_text("open('started', 'w')")
    done = run(tmp_path, "--dry-run", *command, env=env)
    assert done.returncode == 1
    assert b"--dry-run: the command was not started" in done.stderr
    assert reason in done.stderr.decode()
    assert not (tmp_path / "started").exists()


def test_profile_changes_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [STOKER, "profile", "sh", "-c", 'echo "$STOKER_ALLOW"; exit 3'],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
    )
    assert (done.returncode, done.stdout) == (3, b"none\n")
    assert run_json(tmp_path)["allow"] == []
