"""Installing with pip: what it brings, what its failures are called, and which pip is taken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from fixtures_models import REPOSITORY, HalfwayIndex, TinyModel
from installing import assert_installed, assert_nothing_left, from_links

from models import wheels
from models.download import install
from models.errors import DownloadError, ModelError, NoSpaceError
from models.store import ModelStore


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
