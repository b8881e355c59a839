"""Fetching from a hub and from a publisher: whatever the network does, whole or not at all."""

from __future__ import annotations

import dataclasses
import hashlib
import threading
from pathlib import Path

import pytest
from fixtures_hub import LocalHub, contents
from fixtures_models import TinyModel, noise
from installing import held, left

from models import https
from models.download import install, needed_bytes, resumable
from models.errors import DownloadError, NoSpaceError
from models.spec import HttpsFile, HubFile
from models.store import ModelStore


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "José's  字幕 100% 🎬" / "models")


@pytest.mark.parametrize("source", ["hub", "site"])
def test_a_model_arrives_whole_in_a_folder_of_any_name(
    local_hub: LocalHub, store: ModelStore, source: str
) -> None:
    files = contents()
    spec = local_hub.model(source, **files)
    told: list[tuple[int, int, str]] = []
    install(spec, store, lambda *report: told.append(report))
    assert held(store, spec) == files
    assert left(store) == {"far.en"}
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert told[-1] == (spec.size, spec.size, "installed")
    assert any("weights.bin, " in what and what.endswith("MB/s") for _, _, what in told)
    assert local_hub.metadata == (2 if source == "hub" else 0)


def test_what_breaks_off_goes_on_where_it_stopped(local_hub: LocalHub, store: ModelStore) -> None:
    files = contents()
    spec = local_hub.model(**files)
    local_hub.behaviour.cut_after = [300_000, 200_000]
    install(spec, store)
    assert held(store, spec) == files
    first, second, third, other = local_hub.ranges
    assert (first, other) == ("", "")
    assert second == "bytes=300000-"
    assert third == "bytes=500000-"


def test_a_server_that_knows_no_ranges_sends_it_all_again(
    local_hub: LocalHub, store: ModelStore
) -> None:
    files = contents()
    spec = local_hub.model("site", **files)
    local_hub.behaviour.cut_after = [300_000]
    local_hub.behaviour.ignore_ranges = True
    install(spec, store)
    assert held(store, spec) == files


def test_after_a_break_for_good_the_next_try_goes_on(
    local_hub: LocalHub, store: ModelStore
) -> None:
    files = contents()
    spec = local_hub.model(**files)
    local_hub.behaviour.cut_after = [400_000, *[0] * 20]
    with pytest.raises(DownloadError, match=r"weights\.bin of far\.en") as caught:
        install(spec, store)
    assert "\n" not in str(caught.value)
    assert left(store) == {".far.en.resume"}
    assert not store.installed(spec)
    local_hub.behaviour.cut_after = []
    local_hub.ranges.clear()
    install(spec, store)
    assert local_hub.ranges[0] == "bytes=400000-"
    assert held(store, spec) == files
    assert left(store) == {"far.en"}


def test_what_arrived_before_is_not_fetched_again(local_hub: LocalHub, store: ModelStore) -> None:
    files = contents()
    spec = local_hub.model(**files)
    del local_hub.files["tokens.txt"]
    with pytest.raises(DownloadError, match="has no such file"):
        install(spec, store)
    local_hub.files.update(files)
    local_hub.ranges.clear()
    install(spec, store)
    assert local_hub.ranges == [""]
    assert held(store, spec) == files


@pytest.mark.parametrize("source", ["hub", "site"])
def test_wrong_bytes_are_refused_by_name_and_not_kept(
    local_hub: LocalHub, store: ModelStore, source: str
) -> None:
    files = contents()
    spec = local_hub.model(source, **files)
    flipped = bytearray(files["weights.bin"])
    flipped[500_000] ^= 1
    local_hub.behaviour.change = {"weights.bin": bytes(flipped)}
    with pytest.raises(DownloadError, match=r"weights\.bin .*wrong sha256"):
        install(spec, store)
    assert not store.installed(spec)
    local_hub.behaviour.change = {}
    install(spec, store)
    assert held(store, spec) == files


def test_a_page_instead_of_a_file_is_refused_before_it_is_read(
    local_hub: LocalHub, store: ModelStore
) -> None:
    spec = local_hub.model("site", **contents())
    local_hub.behaviour.change = {"weights.bin": b"<html>Please log in</html>"}
    with pytest.raises(DownloadError, match="wrong size"):
        install(spec, store)


def test_a_file_without_end_is_not_swallowed(local_hub: LocalHub, store: ModelStore) -> None:
    spec = local_hub.model("site", pinned=False, weights=noise(1000, 1))
    local_hub.behaviour.change = {"weights": bytes(9_000_000)}
    with pytest.raises(DownloadError, match="wrong size"):
        install(spec, store)
    assert not store.installed(spec)


def test_a_length_that_is_a_lie_is_no_whole_file(local_hub: LocalHub, store: ModelStore) -> None:
    spec = local_hub.model("site", pinned=False, weights=noise(1000, 1))
    local_hub.behaviour.lie_about_size = 50
    local_hub.behaviour.ignore_ranges = True
    with pytest.raises(DownloadError):
        install(spec, store)
    assert not store.installed(spec)


@pytest.mark.parametrize(
    ("code", "words"), [(404, "has no such file"), (403, "refuses"), (418, "answers 418")]
)
def test_a_refusal_is_one_line(
    local_hub: LocalHub, store: ModelStore, code: int, words: str
) -> None:
    spec = local_hub.model("site", **contents())
    local_hub.behaviour.refuse = [code]
    with pytest.raises(DownloadError, match=words) as caught:
        install(spec, store)
    assert caught.value.remedy


def test_an_overload_that_passes_is_not_noticed(local_hub: LocalHub, store: ModelStore) -> None:
    files = contents()
    spec = local_hub.model("site", **files)
    local_hub.behaviour.refuse = [503]
    install(spec, store)
    assert held(store, spec) == files


def test_redirects_end(local_hub: LocalHub, store: ModelStore) -> None:
    spec = local_hub.model("site", **contents())
    local_hub.behaviour.loop = True
    with pytest.raises(DownloadError):
        install(spec, store)


@pytest.mark.parametrize("source", ["hub", "site"])
def test_offline_is_one_clear_line(
    local_hub: LocalHub, store: ModelStore, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = local_hub.model(source, **contents())
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    if source == "site":
        gone = HttpsFile("http://127.0.0.1:9/weights.bin")
        files = tuple(dataclasses.replace(file, source=(gone,)) for file in spec.files)
        spec = dataclasses.replace(spec, files=files)
    with pytest.raises(DownloadError, match="cannot be reached: check the connection") as caught:
        install(spec, store)
    assert "\n" not in str(caught.value)


def test_where_one_place_fails_the_next_is_asked(local_hub: LocalHub, store: ModelStore) -> None:
    files = contents()
    spec = local_hub.model("site", "hub", **files)
    local_hub.behaviour.refuse = [403]
    install(spec, store)
    assert held(store, spec) == files
    assert local_hub.metadata


@pytest.mark.usefixtures("pip_settings")
def test_a_model_in_wheels_comes_from_the_hub_where_pip_has_none(
    local_hub: LocalHub, store: ModelStore, tiny: TinyModel
) -> None:
    local_hub.files.update(tiny.contents)
    files = tuple(
        dataclasses.replace(file, elsewhere=(HubFile("someone/some-model", "main", file.name),))
        for file in tiny.spec.files
    )
    spec = dataclasses.replace(tiny.spec, files=files)
    install(spec, store)
    assert held(store, spec) == tiny.contents


def test_cancelled_it_leaves_nothing(local_hub: LocalHub, store: ModelStore) -> None:
    spec = local_hub.model(**contents())
    local_hub.behaviour.slow = True
    cancel = threading.Event()

    def progress(done: int, _total: int, _what: str) -> None:
        if done:
            cancel.set()

    with pytest.raises(DownloadError, match="stopped"):
        install(spec, store, progress, cancel)
    assert left(store) == set()


def test_stopped_for_now_it_goes_on_the_next_time(local_hub: LocalHub, store: ModelStore) -> None:
    files = contents()
    spec = local_hub.model("site", **files)
    local_hub.behaviour.slow = True
    cancel, keep = threading.Event(), threading.Event()

    def progress(done: int, _total: int, _what: str) -> None:
        if done:
            keep.set()
            cancel.set()

    with pytest.raises(DownloadError, match="stopped"):
        install(spec, store, progress, cancel, keep=keep)
    assert resumable(spec, store) == 500_000
    local_hub.behaviour.slow = False
    install(spec, store)
    assert local_hub.ranges[1] == "bytes=500000-"
    assert held(store, spec) == files
    assert resumable(spec, store) == 0


def test_paused_nothing_arrives_until_it_goes_on(local_hub: LocalHub, store: ModelStore) -> None:
    files = contents()
    spec = local_hub.model("site", **files)
    local_hub.behaviour.slow = True
    pause, seen = threading.Event(), []

    def progress(_done: int, _total: int, what: str) -> None:
        if local_hub.halfway.is_set() and not seen:
            pause.set()
        if what.endswith("paused"):
            seen.append(len(local_hub.ranges))
            if len(seen) == 3:
                local_hub.behaviour.slow = False
                pause.clear()

    install(spec, store, progress, pause=pause)
    assert seen == [1, 1, 1]
    assert local_hub.ranges[1] == "bytes=500000-"
    assert held(store, spec) == files


def test_a_disk_that_fills_up_meanwhile_keeps_nothing(
    local_hub: LocalHub, store: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = local_hub.model(**contents())

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(https.os, "fsync", full)
    with pytest.raises(NoSpaceError, match=r"no space for model far\.en"):
        install(spec, store)
    assert left(store) == set()


def test_a_full_disk_is_told_before_anything_is_fetched_and_what_arrived_counts(
    local_hub: LocalHub, store: ModelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = contents()
    spec = local_hub.model(**files)
    assert needed_bytes(spec) == spec.size
    local_hub.behaviour.cut_after = [400_000, *[0] * 20]
    with pytest.raises(DownloadError):
        install(spec, store)
    free = spec.size - 400_000
    local_hub.behaviour.cut_after = []
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": free})())
    install(spec, store)
    store.remove(spec)
    local_hub.ranges.clear()
    with pytest.raises(NoSpaceError):
        install(spec, store)
    assert local_hub.ranges == []


def test_the_hash_is_of_the_whole_file_however_it_came(local_hub: LocalHub, tmp_path: Path) -> None:
    content = noise(700_000, 3)
    local_hub.files["x"] = content
    part = tmp_path / "x.part"
    part.write_bytes(content[:123_456])
    digest = hashlib.sha256(content).hexdigest()
    remote = https.Remote(f"{local_hub.url}/site/x", len(content), len(content), digest)
    fetched = https.fetch("x", lambda: remote, part, lambda *_: None)
    assert fetched == https.Fetched(len(content), digest)
    assert part.read_bytes() == content
