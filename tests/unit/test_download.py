"""Installing: whole or not at all, whatever happens on the way."""

from __future__ import annotations

import dataclasses
import errno
import io
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fixtures_models import REPOSITORY, HalfwayIndex, TinyModel, build_wheel

from models import download, wheels
from models.download import install, needed_bytes
from models.errors import DownloadError, ModelError, NoSpaceError
from models.progress import ProgressBar
from models.spec import ModelSpec
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


def from_links(tiny: TinyModel) -> download.FetchWheel:
    """Fetching without pip: a plain copy."""

    def fetch(
        wheel: str, folder: Path, received: Callable[[int], None], _cancel: threading.Event | None
    ) -> Path:
        path = Path(shutil.copy(tiny.wheels[wheel], folder))
        received(path.stat().st_size)
        return path

    return fetch


def never(wheel: str, *_arguments: object) -> Path:
    """Fetching that must not happen."""
    pytest.fail(f"{wheel} was fetched")


def changed(spec: ModelSpec, name: str, **changes: Any) -> ModelSpec:
    """The model, one of its files described differently."""
    files = tuple(
        dataclasses.replace(file, **changes) if file.name == name else file for file in spec.files
    )
    return dataclasses.replace(spec, files=files)


def assert_nothing_left(store: ModelStore, *, model: bool = False) -> None:
    """Only locks, and the model if it was there."""
    names = {path.name for path in store.root.iterdir()}
    assert names - {".tiny.en.lock"} == ({"tiny.en"} if model else set())


def assert_installed(store: ModelStore, tiny: TinyModel) -> None:
    folder = store.verify(tiny.spec).folder
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == tiny.contents
    assert_nothing_left(store, model=True)


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models")


@pytest.mark.usefixtures("local_pip")
def test_pip_brings_a_model_into_a_folder_of_any_name(tmp_path: Path, tiny: TinyModel) -> None:
    store = ModelStore(tmp_path / "José's  字幕 100% 🎬" / "models")
    seen: list[tuple[int, int, str]] = []
    files = install(tiny.spec, store, lambda *report: seen.append(report))
    assert files.folder == store.root / "tiny.en"
    assert_installed(store, tiny)
    total = sum(path.stat().st_size for path in tiny.wheels.values())
    assert seen[-1] == (total, total, "installed")
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert {what for _, _, what in seen} == {
        "fetching tiny-one 1.0",
        "fetching tiny-two 2.0",
        "installed",
    }


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


@pytest.mark.usefixtures("pip_settings")
def test_a_pip_that_finds_nothing_is_one_line_and_the_next_try_works(
    store: ModelStore, tiny: TinyModel
) -> None:
    with pytest.raises(DownloadError, match="pip finds no such package") as caught:
        install(tiny.spec, store)
    assert str(caught.value).startswith("could not fetch tiny-one==1.0, ")
    assert "\n" not in str(caught.value)
    assert_nothing_left(store)
    install(tiny.spec, store, fetch=from_links(tiny))
    assert_installed(store, tiny)


@pytest.mark.usefixtures("pip_settings")
def test_offline_is_said_so(
    store: ModelStore, tiny: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(DownloadError, match="the network cannot be reached: check the connection"):
        install(tiny.spec, store)
    assert_nothing_left(store)


@pytest.mark.slow
def test_an_index_that_refuses_is_said_so(
    store: ModelStore, tiny: TinyModel, halfway_index: HalfwayIndex
) -> None:
    halfway_index.refuse = 403
    with pytest.raises(DownloadError, match="the package index refuses"):
        install(tiny.spec, store)
    assert_nothing_left(store)


def test_progress_is_seen_while_pip_fetches(
    tmp_path: Path, store: ModelStore, halfway_index: HalfwayIndex
) -> None:
    big = TinyModel(tmp_path / "links", part_bytes=1_000_000)
    first = big.wheels["tiny-one==1.0"].stat().st_size
    partly: list[int] = []

    def progress(done: int, _total: int, _what: str) -> None:
        if 0 < done < first:
            partly.append(done)
            halfway_index.go_on.set()

    install(big.spec, store, progress)
    assert partly
    assert_installed(store, big)


def test_a_cancelled_fetch_stops_pip_and_leaves_nothing(
    tmp_path: Path, store: ModelStore, halfway_index: HalfwayIndex
) -> None:
    big = TinyModel(tmp_path / "links", part_bytes=1_000_000)
    cancel = threading.Event()

    def progress(done: int, _total: int, _what: str) -> None:
        if done:
            cancel.set()

    with pytest.raises(DownloadError, match="stopped"):
        install(big.spec, store, progress, cancel)
    assert halfway_index.hung_up.wait(30)
    assert_nothing_left(store)


@pytest.mark.slow
def test_a_failing_progress_stops_pip_and_leaves_nothing(
    tmp_path: Path, store: ModelStore, halfway_index: HalfwayIndex
) -> None:
    big = TinyModel(tmp_path / "links", part_bytes=1_000_000)

    def progress(done: int, _total: int, _what: str) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(big.spec, store, progress)
    assert halfway_index.hung_up.wait(30)
    assert_nothing_left(store)


@pytest.mark.slow
def test_pip_dies_with_whoever_started_it(
    tmp_path: Path, store: ModelStore, halfway_index: HalfwayIndex
) -> None:
    big = TinyModel(tmp_path / "links", part_bytes=1_000_000)
    listed = big.write_catalogue(tmp_path / "catalogue.toml")
    code = (
        "import sys; from pathlib import Path; from models import catalogue, download, store\n"
        "download.install(catalogue.load(Path(sys.argv[1])).get('tiny.en'),"
        " store.ModelStore(Path(sys.argv[2])), lambda done, *_: done and print(done, flush=True))"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, listed, store.root], cwd=REPOSITORY, stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    assert child.stdout.readline()
    child.kill()
    child.communicate()
    assert halfway_index.hung_up.wait(30)
    assert not store.installed(big.spec)
    install(big.spec, store, fetch=from_links(big))
    assert_installed(store, big)


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


def test_a_full_disk_is_told_before_anything_is_fetched(
    store: ModelStore, tiny: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = needed_bytes(tiny.spec) - 1
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    big = changed(tiny.spec, "weights.bin", size=50_000_000)
    with pytest.raises(NoSpaceError, match=r"it needs 50\.0 MB, 0\.0 MB are free: free some"):
        install(big, store, fetch=never)
    with pytest.raises(NoSpaceError):
        install(tiny.spec, store, fetch=never)
    assert_nothing_left(store)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free + 1))
    install(tiny.spec, store, fetch=from_links(tiny))


def test_space_that_the_dead_take_up_is_counted_as_free(
    store: ModelStore, tiny: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for model_id in ("tiny.en", "other"):
        (store.root / f".{model_id}.abc_1.partial" / "new").mkdir(parents=True)

    def disk_usage(root: Path) -> SimpleNamespace:
        return SimpleNamespace(free=0 if list(root.glob(".*.partial")) else 1 << 30)

    monkeypatch.setattr(shutil, "disk_usage", disk_usage)
    install(tiny.spec, store, fetch=from_links(tiny))
    assert store.installed(tiny.spec)


@pytest.mark.parametrize(
    ("number", "expected"), [(errno.ENOSPC, NoSpaceError), (errno.EACCES, ModelError)]
)
def test_a_disk_that_fails_while_writing_is_one_line(
    store: ModelStore, tiny: TinyModel, number: int, expected: type[ModelError]
) -> None:
    def fetch(*_arguments: object) -> Path:
        raise OSError(number, os.strerror(number))

    with pytest.raises(expected) as caught:
        install(tiny.spec, store, fetch=fetch)
    assert str(store.root) in str(caught.value)
    assert "CAPTIONGLASS_MODELS" in caught.value.remedy
    assert_nothing_left(store)


@pytest.mark.skipif(sys.platform != "linux", reason="a small disk is made with Linux namespaces")
@pytest.mark.usefixtures("local_pip")
def test_a_disk_that_is_really_full(tmp_path: Path, tiny: TinyModel) -> None:
    build_wheel(tiny.links, "tiny-one", "1.0", {"padding": bytes(4_000_000)})
    listed = tiny.write_catalogue(tmp_path / "catalogue.toml")
    disk = tmp_path / "disk"
    disk.mkdir()
    code = (
        "import sys; from pathlib import Path; from models import catalogue, download, store\n"
        "where = store.ModelStore(Path(sys.argv[2]))\n"
        "try: download.install(catalogue.load(Path(sys.argv[1])).get('tiny.en'), where)\n"
        "except Exception as error: print(type(error).__name__, error)\n"
        "print([path.name for path in where.root.iterdir()])"
    )
    in_namespace = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
    on_small_disk = 'mount -t tmpfs -o size=1m none "$0" || exit 77; exec "$@"'
    child = (sys.executable, "-c", code, str(listed), str(disk))
    done = subprocess.run(
        [*in_namespace, on_small_disk, str(disk), *child],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode in (1, 77) and not done.stdout:
        pytest.skip(f"no namespaces here: {done.stderr.strip()}")
    error, left = done.stdout.splitlines()
    assert error.startswith("NoSpaceError no space for model tiny.en")
    assert left == "['.tiny.en.lock']"


def test_a_models_folder_that_is_a_file_is_one_line(tmp_path: Path, tiny: TinyModel) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ModelError, match="cannot be put into") as caught:
        install(tiny.spec, ModelStore(tmp_path / "file" / "models"), fetch=never)
    assert "CAPTIONGLASS_MODELS" in caught.value.remedy


@pytest.mark.parametrize(
    ("output", "kind", "words"),
    [
        (
            "Could not fetch URL x: connection error: Failed to resolve IP address for 'x' "
            "([Errno -2] Name or service not known) - skipping\n"
            "ERROR: No matching distribution found for p==1",
            DownloadError,
            "network cannot be reached",
        ),
        (
            "WARNING: Retrying (Retry(total=0)) after connection broken by "
            "'NewConnectionError(\"[Errno 101] Network is unreachable\")': /simple/p/",
            DownloadError,
            "network cannot be reached",
        ),
        (
            "Could not fetch URL x: There was a problem confirming the ssl certificate: "
            "[SSL: CERTIFICATE_VERIFY_FAILED] self-signed certificate - skipping",
            DownloadError,
            "does not trust",
        ),
        (
            "Could not fetch URL x: proxy connection error: ('Unable to connect to proxy', "
            'NewConnectionError("[Errno 111] Connection refused")) - skipping',
            DownloadError,
            "proxy",
        ),
        (
            "Could not fetch URL x: x didn't respond within 1.0 seconds - skipping",
            DownloadError,
            "does not answer",
        ),
        (
            "pip._internal.exceptions.network.IncompleteDownloadError: <incomplete-download>",
            DownloadError,
            "connection broke",
        ),
        (
            "Could not fetch URL x: Max retries exceeded (Caused by ResponseError"
            "('too many 503 error responses')) - skipping",
            DownloadError,
            "overloaded",
        ),
        (
            "Could not fetch URL x: 401 Client Error: Unauthorized for url: x - skipping",
            DownloadError,
            "refuses",
        ),
        (
            "ERROR: Could not install packages due to an OSError: [Errno 28] "
            "No space left on device",
            NoSpaceError,
            "full",
        ),
        (
            "  Found link /files/timed out-403 Client Error.whl\n"
            "ERROR: No matching distribution found for p==1",
            DownloadError,
            "finds no such package",
        ),
        (
            "ERROR: Cannot install p==1 because of its constraint",
            DownloadError,
            "pip says 'Cannot install p==1 because of its constraint'",
        ),
        ("", DownloadError, "no reason given"),
    ],
)
def test_what_pip_says_becomes_one_line(output: str, kind: type[ModelError], words: str) -> None:
    error = wheels.explain("p==1", output)
    assert type(error) is kind
    assert error.message.startswith("could not fetch p==1, ")
    assert words in str(error)
    assert error.remedy
    assert "\n" not in str(error)


@pytest.mark.slow
@pytest.mark.usefixtures("local_pip")
def test_settings_for_installing_do_not_stop_a_download(
    tmp_path: Path, tiny: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_REQUIRE_HASHES", "1")
    monkeypatch.setenv("PIP_REQUIRE_VIRTUALENV", "1")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    # Neither may a file that happens to lie where we were started.
    (tmp_path / "threading.py").write_text("raise SystemExit('shadowed')")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fetched").mkdir()
    path = wheels.fetch_wheel("tiny-one==1.0", tmp_path / "fetched", lambda _: None)
    assert path.read_bytes() == tiny.wheels["tiny-one==1.0"].read_bytes()


def test_without_any_pip_the_remedy_is_said(
    store: ModelStore, tiny: TinyModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(wheels, "_brings_pip", lambda: False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DownloadError, match="there is none here: install Python with pip"):
        install(tiny.spec, store)
    assert_nothing_left(store)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="stands in for the application with a shell script")
@pytest.mark.usefixtures("local_pip")
def test_a_packaged_application_brings_a_pip_for_computers_without_one(
    tiny: TinyModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder, application = tmp_path / "fetched", tmp_path / "captionglass"
    folder.mkdir()
    shell = f"exec env PYTHONPATH='{REPOSITORY}' '{sys.executable}' -m desktop_app \"$@\""
    application.write_text(f"#!/bin/sh\n{shell}\n")
    application.chmod(0o755)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(application))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    path = wheels.fetch_wheel("tiny-one==1.0", folder, lambda _: None)
    assert path.read_bytes() == tiny.wheels["tiny-one==1.0"].read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="stands in for python3 with a shell script")
@pytest.mark.usefixtures("local_pip")
@pytest.mark.parametrize("name", ["python3", "pip"])
def test_a_packaged_application_uses_the_pip_on_the_path_with_its_own_libraries(
    tiny: TinyModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    tools, folder = tmp_path / "tools", tmp_path / "fetched"
    tools.mkdir()
    folder.mkdir()
    log = tmp_path / "libraries.txt"
    python = f"'{sys.executable}'" + (" -m pip" if name == "pip" else "")
    script = f'#!/bin/sh\necho "$LD_LIBRARY_PATH" >> "{log}"\nexec {python} "$@"\n'
    (tools / name).write_text(script)
    (tools / name).chmod(0o755)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setenv("LD_LIBRARY_PATH", "/packaged/libraries")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/own/libraries")
    path = wheels.fetch_wheel("tiny-one==1.0", folder, lambda _: None)
    assert path.read_bytes() == tiny.wheels["tiny-one==1.0"].read_bytes()
    assert set(log.read_text().splitlines()) == {"/own/libraries"}


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


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_bar_draws_over_itself_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    stream = Terminal()
    bar = ProgressBar("tiny", stream)
    bar(0, 0, "waiting")
    bar(5_000_000, 10_000_000, "fetching a package with a long name")
    bar(5_000_000, 10_000_000, "fetching a package with a long name")
    bar(10_000_000, 10_000_000, "installed")
    bar.close()
    first, *drawn = stream.getvalue().split("\r")
    assert first == ""
    assert drawn == [
        "tiny: waiting",
        "tiny [##########..........]  50 % of 10.0 MB, fet",
        "tiny [####################] 100 % of 10.0 MB, ins\n",
    ]


def test_elsewhere_each_step_is_a_line() -> None:
    stream = io.StringIO()
    bar = ProgressBar("tiny", stream)
    for done in (0, 5, 10):
        bar(done, 10, "fetching")
    bar(10, 10, "installed")
    bar.close()
    assert stream.getvalue() == "tiny: fetching\ntiny: installed\n"
