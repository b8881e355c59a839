"""A recogniser in a process of its own: the same captions, and no more lost than a moment when it
crashes, hangs or is killed."""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import zipformer_export
from caption_laws import check_laws
from fake_recognizer import LoudIsSpeech
from fixtures_recordings import Recordings

import engine.successor
import engine.swap
import engine.worker
from engine import loading
from engine.bench.metrics import normalised, score
from engine.config import EngineConfig, LatencyProfile
from engine.errors import RecognizerError
from engine.isolation import host, proxy
from engine.isolation.wire import Answer, Request, receive, send
from engine.recognizers import base
from engine.recognizers.base import is_incremental
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.sources.file import FileSource
from engine.types import CaptionUpdate
from models import catalogue, own_program
from models.spec import ModelFiles
from models.store import ModelStore

LIMIT_S = 60.0


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> ModelFiles:
    return zipformer_export.write(tmp_path_factory.mktemp("孤立 k2"), "lstm")


@pytest.fixture
def isolated(small: ModelFiles) -> Iterator[Any]:
    recognizer = proxy.load(small, "cpu")
    yield recognizer
    recognizer.child.close()  # type: ignore[union-attr]


def captioned(config: EngineConfig, path: Path) -> MemorySink:
    sink = MemorySink()
    session = Session(config, [FileSource(path)], [sink])
    session.start()
    assert session.wait(LIMIT_S)
    session.stop()
    assert session.error is None
    check_laws(sink.updates)
    return sink


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def until_gone(pid: int) -> bool:
    until = time.monotonic() + 10.0
    while not gone(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return gone(pid)


def test_it_has_what_the_real_one_has(small: ModelFiles, isolated: Any) -> None:
    real = base.load(small, "cpu")
    for name in host.ATTRIBUTES:
        assert hasattr(isolated, name) == hasattr(real, name), name
        if hasattr(real, name):
            assert getattr(isolated, name) == getattr(real, name), name
    assert is_incremental(isolated)
    assert isolated.text((3, 4, 5)) == real.text((3, 4, 5))
    assert isolated.favour(["章鱼"]) == real.favour(["章鱼"]) == ["章鱼"]  # type: ignore[union-attr]
    isolated.blank_penalty = 2.0
    assert isolated.blank_penalty == 2.0


def test_captions_are_the_same(
    small: ModelFiles, recordings: Recordings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: LoudIsSpeech(0.02))
    path = recordings.named("jfk_ask_not").path
    config = EngineConfig(small, small, LatencyProfile.parse("balanced"))
    plain = captioned(config, path)
    apart = captioned(EngineConfig(small, small, config.profile, isolated=True), path)
    assert [(u.text, u.is_final, u.words) for u in apart.updates] == [
        (u.text, u.is_final, u.words) for u in plain.updates
    ]


def test_one_that_dies_before_it_took_over_is_started_again(
    small: ModelFiles, recordings: Recordings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: LoudIsSpeech(0.02))
    brought_up: list[Any] = []

    def bring_up(*arguments: Any, **options: Any) -> Any:
        loaded = loading.bring_up(*arguments, **options)
        brought_up.append(loaded.recognizer)
        if len(brought_up) == 2:
            os.kill(brought_up[1].child.pid, getattr(signal, "SIGSEGV", signal.SIGTERM))
            assert until_gone(brought_up[1].child.pid)
        return loaded

    monkeypatch.setattr(engine.successor, "bring_up", bring_up)
    config = EngineConfig(small, small, LatencyProfile.parse("balanced"), isolated=True)
    sink = MemorySink()
    session = Session(config, [FileSource(recordings.named("jfk_ask_not").path)], [sink])
    session.swap_model(small, at=3.0)
    session.start()
    assert session.wait(LIMIT_S)
    session.stop()
    assert session.error is None
    assert {notice.code for notice in sink.notices} == {"model.swapped", "model.restarted"}
    assert len(brought_up) == 3
    check_laws(sink.updates)
    assert session.stats().lost_samples == 0


def test_no_process_is_left_where_a_session_ends_in_the_middle_of_a_swap(
    small: ModelFiles, recordings: Recordings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: LoudIsSpeech(0.02))
    monkeypatch.setattr(engine.swap.RunningModel, "_its_time", lambda _self, _feed: False)
    config = EngineConfig(small, small, LatencyProfile.parse("balanced"), isolated=True)
    path = recordings.named("jfk_ask_not").path
    session = Session(config, [FileSource(path)], [MemorySink()])
    session.swap_model(small, at=1.0)
    session.start()
    model = session._worker.model
    assert session.wait(LIMIT_S)
    both: list[Any] = [model.recognizer, *model._leaving]
    session.stop()
    assert len(both) == 2
    assert [until_gone(each.child.pid) for each in both] == [True, True]


def test_a_crash_is_told_by_its_name(isolated: Any, caplog: pytest.LogCaptureFixture) -> None:
    stream = isolated.stream()
    os.kill(isolated.child.pid, getattr(signal, "SIGSEGV", signal.SIGTERM))
    # What only prepares a question fails never: nobody would recover from it.
    isolated.stream("en")
    stream.accept(np.zeros(16_000, np.float32))
    stream.settle(0)
    with pytest.raises(RecognizerError, match="crashed") as raised:
        stream.hypothesis()
    if sys.platform != "win32":
        assert "SIGSEGV" in raised.value.message
        assert "crashed in wire.py:" in caplog.text, "where it waited for the next question"
        assert str(Path(host.__file__).parent) not in caplog.text
    with pytest.raises(RecognizerError, match="crashed"):
        stream.hypothesis()


def test_one_that_hangs_is_ended(isolated: Any) -> None:
    pid = isolated.child.pid
    psutil.Process(pid).suspend()
    with pytest.raises(RecognizerError, match="has not answered"):
        isolated.child.ask("text", (3,), limit_s=0.05)
    assert until_gone(pid)


def test_the_process_ends_with_its_recogniser(small: ModelFiles) -> None:
    recognizer = proxy.load(small, "cpu")
    pid = recognizer.child.pid  # type: ignore[union-attr]
    stream = recognizer.stream()
    del recognizer
    assert not gone(pid), "a stream still needs it"
    del stream
    assert until_gone(pid)


def test_it_does_not_outlive_who_started_it(small: ModelFiles, tmp_path: Path) -> None:
    kept = tmp_path / "files"
    kept.write_bytes(pickle.dumps(small))
    script = (
        "import os, pickle, sys; from pathlib import Path; from engine.isolation import proxy\n"
        "recognizer = proxy.load(pickle.loads(Path(sys.argv[1]).read_bytes()), 'cpu')\n"
        "print(recognizer.child.pid, flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(kept)],
        stdout=subprocess.PIPE,
        env=own_program.environment(),
        check=False,
        text=True,
    )
    assert until_gone(int(done.stdout))


def test_a_model_that_will_not_load_says_why(small: ModelFiles, tmp_path: Path) -> None:
    broken = ModelFiles(small.spec, tmp_path)
    with pytest.raises(RecognizerError) as raised:
        proxy.load(broken, "cpu")
    assert "Traceback" not in str(raised.value)


class OddError(Exception):
    """Cannot be made again from what it was pickled as."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (RecognizerError("broken", "mend it"), RecognizerError, "broken"),
        (ValueError("a shape"), ValueError, "a shape"),
        (OddError("out of ", "memory"), RuntimeError, "OddError: out of memory"),
    ],
)
def test_errors_travel(error: Exception, kind: type[Exception], text: str) -> None:
    class Failing(host.Host):
        def _text(self, _ids: tuple[int, ...]) -> Answer:
            raise error

    pipe = io.BytesIO()
    send(pipe, Failing().answer(Request("text", ((1,),))))
    pipe.seek(0)
    answer = receive(pipe)
    assert type(answer.error) is kind
    assert text in str(answer.error)
    with pytest.raises(EOFError):
        receive(pipe)


def test_streams_that_nobody_uses_are_forgotten(isolated: Any) -> None:
    served = host.Host()
    recognizer = proxy.IsolatedRecognizer(isolated.child, {"favours": False})
    first = recognizer.stream()
    del first
    assert isolated.child._dropped == [0]
    assert served.answer(Request("load", (), (0, 1))).error is not None
    isolated.text((1, 2, 3, 4))
    assert isolated.child._dropped == []


@pytest.mark.slow
class TestRealSpeech:
    """Moonshine in a process of its own."""

    @pytest.fixture
    def config(self) -> EngineConfig:
        known, store = catalogue.load(), ModelStore()
        return EngineConfig(
            store.files(known.get(known.default)),
            store.files(known.get(known.vad)),
            LatencyProfile.parse("balanced"),
            isolated=True,
        )

    def test_a_crash_in_the_middle_of_speech_costs_no_line(
        self, config: EngineConfig, recordings: Recordings
    ) -> None:
        path = recordings.named("jfk_ask_not").path
        whole = captioned(config, path)
        session: list[Session] = []

        class Killer(MemorySink):
            settled = ""

            def update(self, update: CaptionUpdate, published_at: float) -> None:
                super().update(update, published_at)
                if not self.settled and len(update.stable.split()) > 4:
                    self.settled = update.stable
                    running = session[0]._worker.model.recognizer
                    os.kill(running.child.pid, signal.SIGSEGV)  # type: ignore[union-attr]

        sink = Killer()
        session.append(Session(config, [FileSource(path)], [sink]))
        session[0].start()
        assert session[0].wait(LIMIT_S)
        session[0].stop()
        assert session[0].error is None
        check_laws(sink.updates)
        (notice,) = sink.notices
        assert notice.code == "model.restarted"
        assert "crashed (SIGSEGV)" in notice.text
        assert sink.settled
        assert sink.settled in sink.text.replace("\n", " "), "what was settled stays"
        wanted, heard = normalised(whole.text), normalised(sink.text)
        assert score(wanted, heard).errors <= 2
        assert session[0].stats().lost_samples == 0
