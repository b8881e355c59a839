"""Fetching from afar in several programs: one killed, two at once, and what any of them leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fixtures_hub import LocalHub, contents
from fixtures_models import REPOSITORY
from installing import held, left

from models.download import install
from models.spec import ModelSpec
from models.store import ModelStore


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "José's  字幕 100% 🎬" / "models")


CHILD = """
import dataclasses, json, sys
from pathlib import Path
from models import download
from models.spec import HttpsFile, ModelFile, ModelSpec
from models.store import ModelStore
made = json.loads(sys.argv[1])
files = tuple(ModelFile(n, (HttpsFile(u),), s, h) for n, u, s, h in made["files"])
spec = ModelSpec("far.en", "Far", "tiny", "recognizer", ("en",), "MIT", "nobody", files)
said = set()
def tell(done, total, what):
    if what.split(",")[0] not in said:
        said.add(what.split(",")[0])
        print(what.split(",")[0], flush=True)
download.install(spec, ModelStore(Path(sys.argv[2])), tell)
"""


def child(spec: ModelSpec, store: ModelStore) -> subprocess.Popen[str]:
    files = [[file.name, str(file.source[0]), file.size, file.sha256] for file in spec.files]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, json.dumps({"files": files}), str(store.root)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(os.name == "nt", reason="kills as only POSIX can")
def test_killed_halfway_the_next_try_goes_on(local_hub: LocalHub, store: ModelStore) -> None:
    files = contents()
    spec = local_hub.model("site", **files)
    local_hub.behaviour.slow = True
    process = child(spec, store)
    part = next_part(store, local_hub)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert part.stat().st_size == 500_000
    local_hub.behaviour.slow = False
    local_hub.go_on.set()
    local_hub.ranges.clear()
    install(spec, store)
    assert local_hub.ranges[0] == "bytes=500000-"
    assert held(store, spec) == files
    assert left(store) == {"far.en"}


def next_part(store: ModelStore, hub: LocalHub) -> Path:
    """The file that is arriving, once half of it is there."""
    assert hub.halfway.wait(30)
    tick = threading.Event()
    for _ in range(600):
        for path in store.root.glob(".far.en.resume/*.part"):
            if path.stat().st_size == 500_000:
                return path
        tick.wait(0.05)
    raise AssertionError("nothing arrives")


def test_two_programs_share_a_folder_and_fetch_once(local_hub: LocalHub, store: ModelStore) -> None:
    files = contents()
    spec = local_hub.model("site", **files)
    local_hub.behaviour.slow = True
    first = child(spec, store)
    assert local_hub.halfway.wait(30)
    second = child(spec, store)
    assert second.stdout is not None
    assert second.stdout.readline().startswith("waiting for another program")
    local_hub.behaviour.slow = False
    local_hub.go_on.set()
    assert first.communicate()
    assert second.communicate()
    assert (first.returncode, second.returncode) == (0, 0)
    assert local_hub.ranges == ["", ""]
    assert held(store, spec) == files


def test_what_was_left_for_a_month_is_swept(local_hub: LocalHub, store: ModelStore) -> None:
    old = store.root / ".other.resume"
    old.mkdir(parents=True)
    fresh = store.root / ".third.resume"
    fresh.mkdir()
    os.utime(old, (1, 1))
    install(local_hub.model(**contents()), store)
    assert left(store) == {"far.en", ".third.resume"}


def test_removing_takes_along_what_has_arrived(local_hub: LocalHub, store: ModelStore) -> None:
    spec = local_hub.model(**contents())
    install(spec, store)
    store.resume_folder(spec).mkdir()
    store.remove(spec)
    assert left(store) == set()
