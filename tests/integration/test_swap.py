"""Models that change and fail while captions run, over recognisers that make no mistakes and sign
every word they hear (``fake_models``): each word is heard by exactly one of them, at its time."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from caption_laws import check_laws
from fake_models import LIMIT_S, OneSmaller, Shelf, Trouble, files
from fake_recognizer import ScriptedDetector, script, seconds
from fake_source import PlayedSource
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import engine.loading
import engine.swap
import engine.worker
from engine.bench.metrics import normalised, score
from engine.config import EngineConfig, LatencyProfile
from engine.errors import RecognizerError
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.sources.file import FileSource
from engine.types import SAMPLE_RATE
from models import catalogue
from models.store import ModelStore

# A pause of a second, then a stretch without one that is longer than a swap waits for it.
TALK = [
    *script("one two three four", start=0.4),
    *script("five six seven eight nine ten eleven twelve thirteen", start=3.0),
]
SPEECH = [(0.4, 1.95), (3.0, 6.55)]
END_S = 7.5
SOUND = seconds(0.0, END_S)
WORDS = [word.text for word in TALK]
CONFIG = EngineConfig(
    model=files("a"), vad=files("a"), profile=LatencyProfile.parse("balanced"), provider="cpu"
)
Doing = dict[float, Callable[[Session], object]]

CALM = settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    shelf = Shelf(TALK)
    # The newest shelf counts, for tests that make many.
    monkeypatch.setattr(engine.loading, "load", lambda *asked: current[0](*asked))
    monkeypatch.setattr(engine.loading, "why_not", lambda asked: f"{asked} is broken: mend it")
    monkeypatch.setattr(engine.worker, "SileroVad", lambda _: ScriptedDetector(SPEECH))
    current = [shelf]
    shelf.replace = lambda: current.__setitem__(0, Shelf(TALK)) or current[0]  # type: ignore[attr-defined]
    yield shelf
    for gate in shelf.gates.values():
        gate.set()


def play(doing: Doing, config: EngineConfig = CONFIG, lanes: Sequence[str] = ("mic",)) -> Played:
    """A whole session; what to do is done at the exact places of the first lane's stream."""
    session: Session
    sink = MemorySink()
    acts = {at: lambda _, act=act: act(session) for at, act in doing.items()}
    sources = [PlayedSource(SOUND, lane=lanes[0], doing=acts)]
    sources += [PlayedSource(SOUND, lane=lane) for lane in lanes[1:]]
    session = Session(config, sources, [sink])
    session.start()
    assert session.wait(LIMIT_S)
    session.stop()
    return Played(session, sink)


class Played:
    """What came of it."""

    def __init__(self, session: Session, sink: MemorySink) -> None:
        self.session = session
        self.sink = sink

    @property
    def codes(self) -> list[str]:
        return [notice.code for notice in self.sink.notices]

    def heard_by(self, lane: str = "mic") -> list[str]:
        """The model that heard each word, once it is certain that all words are there, once, at
        their times."""
        check_laws(self.sink.updates)
        finals = [update for update in self.sink.finals if update.lane == lane]
        words = [word for update in finals for word in update.words]
        assert [word.text.partition("/")[0] for word in words] == WORDS
        assert [word.end for word in words] == pytest.approx([w.end for w in TALK], abs=0.002)
        assert self.session.stats().audio_s == pytest.approx(
            END_S * len({update.lane for update in self.sink.finals})
        )
        assert self.session.stats().lost_samples == 0
        assert {update.segment_id for update in self.sink.updates} == {
            update.segment_id for update in self.sink.finals
        }
        return [word.text.partition("/")[2] for word in words]


def to(name: str) -> Callable[[Session], None]:
    return lambda session: session.swap_model(files(name))


class TestSwaps:
    """From one model to the next."""

    def test_in_a_pause_each_hears_its_own_words(self, shelf: Shelf) -> None:
        played = play({2.6: to("b")})
        assert played.heard_by() == ["a"] * 4 + ["b"] * 9
        assert played.codes == ["model.swapped"]
        assert shelf.breaches == []
        assert played.session.stats().model_id == "b"

    def test_in_speech_without_a_gap_it_waits_no_longer_than_that(self, shelf: Shelf) -> None:
        played = play({3.6: to("b")})
        heard = played.heard_by()
        assert heard == sorted(heard)
        assert 3 <= heard.count("b") <= 8, "it took over before the talk was over"
        assert shelf.breaches == []

    def test_the_gap_in_speech_is_where_it_takes_over(self, shelf: Shelf) -> None:
        # Asked for in "three", less than the longest wait before the pause. What the old model had
        # not settled by then is the new one's.
        played = play({1.3: to("b")})
        heard = played.heard_by()
        assert heard == sorted(heard)
        assert heard[0] == "a"
        assert heard[4:] == ["b"] * 9
        assert not any("/b" in update.text for update in played.sink.updates if update.end < 0.7)
        assert shelf.breaches == []

    @pytest.mark.slow
    @CALM
    @given(
        moments=st.lists(st.floats(0.0, 7.4), min_size=1, max_size=4),
        stop=st.sampled_from(["fastest", "balanced", "accurate"]),
    )
    @example(moments=[0.0], stop="balanced")
    @example(moments=[4.0, 5.6], stop="fastest")
    def test_at_any_moments_every_word_is_heard_by_exactly_one(
        self, shelf: Shelf, moments: list[float], stop: str
    ) -> None:
        fresh = shelf.replace()  # type: ignore[attr-defined]
        names = "bcde"
        doing = {at: to(name) for at, name in zip(sorted(set(moments)), names, strict=False)}
        config = replace(CONFIG, profile=LatencyProfile.parse(stop))
        played = play(doing, config)
        heard = played.heard_by()
        assert heard == sorted(heard), "one after the other"
        assert fresh.breaches == []
        assert set(played.codes) <= {"model.swapped"}

    def test_two_lanes_go_over_each_at_its_own_time(self, shelf: Shelf) -> None:
        played = play({4.0: to("b")}, lanes=("mic", "system"))
        for lane in ("mic", "system"):
            heard = played.heard_by(lane)
            assert heard == sorted(heard)
            assert heard[-1] == "b"
        assert shelf.breaches == []

    def test_nothing_is_shown_of_the_old_model_behind_the_new(self, shelf: Shelf) -> None:
        played = play({4.0: to("b")})
        late = [update for update in played.sink.updates if "/b" in update.stable]
        assert late
        assert not any("/a" in update.unstable for update in late)
        assert shelf.breaches == []

    def test_the_old_model_is_given_back(self, shelf: Shelf) -> None:
        alive: list[list[str]] = []

        def look(_: Session) -> None:
            for _ in range(200):
                if shelf.alive() == ["b"]:
                    break
                time.sleep(0.01)
            alive.append(shelf.alive())

        play({2.2: to("b"), 5.5: look})
        assert alive == [["b"]]

    def test_the_provider_may_change_alone(self, shelf: Shelf) -> None:
        shelf.providers = {"cpu", "cuda"}
        played = play({2.6: lambda session: session.swap_model(files("a"), provider="cuda")})
        assert played.heard_by() == ["a"] * 13
        stats = played.session.stats()
        assert (stats.provider, stats.provider_asked, stats.provider_reason) == ("cuda", "cuda", "")
        assert shelf.loads == [("a", "cpu"), ("a", "cuda")]

    def test_a_provider_that_will_not_start_is_told_with_its_reason(self, shelf: Shelf) -> None:
        played = play({2.6: lambda session: session.swap_model(files("b"), provider="cuda")})
        assert played.codes == ["model.swapped", "provider.fallback"]
        assert "(cuda is broken: mend it)" in played.sink.notices[1].text
        stats = played.session.stats()
        assert (stats.provider, stats.provider_asked) == ("cpu", "cuda")
        assert stats.provider_reason == "cuda is broken: mend it"
        assert shelf.breaches == []


class TestTheNewestWish:
    """Many models are chosen, one comes."""

    def test_five_in_a_row_end_on_the_fifth(self, shelf: Shelf) -> None:
        names = "bcdef"

        def choose(session: Session) -> None:
            shelf.gates["b"] = threading.Event()
            for name in names:
                session.swap_model(files(name))
            assert session.stats().next_model_id == "f"
            shelf.gates["b"].set()

        played = play({2.6: choose})
        assert played.heard_by() == ["a"] * 4 + ["f"] * 9
        assert played.codes == ["model.swapped"]
        assert played.session.stats().next_model_id == ""
        loaded = [name for name, _ in shelf.loads]
        # Which of them were begun is a matter of moments; one at a time, and the last is the last.
        assert loaded == sorted(loaded)
        assert loaded[-1] == "f"
        assert "e" not in loaded or loaded.count("e") == 1

    def test_one_that_was_loaded_in_vain_is_given_back(self, shelf: Shelf) -> None:
        alive: list[list[str]] = []

        def choose(session: Session) -> None:
            session.swap_model(files("b"), at=6.9)
            assert shelf.began.setdefault("b", threading.Event()).wait(LIMIT_S)
            session.swap_model(files("c"))

        def look(_: Session) -> None:
            for _ in range(200):
                if shelf.alive() == ["c"]:
                    break
                time.sleep(0.01)
            alive.append(shelf.alive())

        played = play({2.2: choose, 5.5: look})
        assert alive == [["c"]]
        heard = played.heard_by()
        assert heard == sorted(heard)
        assert heard[4:] == ["c"] * 9

    def test_stopping_does_not_wait_for_a_model(self, shelf: Shelf) -> None:
        shelf.gates["b"] = threading.Event()
        source = PlayedSource(SOUND, doing={2.6: lambda _: to("b")(session)}, stays=True)
        session = Session(CONFIG, [source])
        session.start()
        assert shelf.began.setdefault("b", threading.Event()).wait(LIMIT_S)
        session.stop(LIMIT_S)
        assert session.wait(0.0)
        assert session.error is None
        shelf.gates["b"].set()

    def test_from_many_threads_at_once_one_of_the_wishes_comes_true(self, shelf: Shelf) -> None:
        def choose(session: Session) -> None:
            threads = [threading.Thread(target=to(name), args=(session,)) for name in "bcdefgh"]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        played = play({2.6: choose})
        heard = played.heard_by()
        assert heard[:4] == ["a"] * 4
        assert len(set(heard[4:])) == 1
        assert heard[4] == played.session.stats().model_id
        assert shelf.breaches == []


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RecognizerError("weights.onnx cannot be read (No such file)"), "cannot be read"),
        (MemoryError(), "not enough memory for b"),
        (KeyError("encoder"), "b would not load (KeyError: 'encoder')"),
    ],
)
def test_a_swap_that_fails_leaves_the_old_one_running_and_says_why(
    shelf: Shelf, error: Exception, words: str
) -> None:
    shelf.fails_with["b"] = error
    played = play({2.6: to("b")})
    assert played.heard_by() == ["a"] * 13
    (notice,) = played.sink.notices
    assert (notice.code, notice.severity) == ("model.swap_failed", "error")
    assert notice.text.startswith("B did not take over, a goes on: ")
    assert words in notice.text
    assert played.session.stats().model_id == "a"
    assert played.session.stats().next_model_id == ""


def test_a_swap_that_fails_in_the_warm_up_leaves_the_old_one_running(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = engine.loading.warm_up

    def warm_up(model: object) -> float:
        if model.spec.id == "b":  # type: ignore[attr-defined]
            raise RuntimeError("the shapes do not fit")
        return real(model)  # type: ignore[arg-type]

    monkeypatch.setattr(engine.loading, "warm_up", warm_up)
    played = play({2.6: to("b")})
    assert played.heard_by() == ["a"] * 13
    assert "the shapes do not fit" in played.sink.notices[0].text
    assert shelf.breaches == []


class TestFailure:
    """A model that raises while captions run."""

    def test_once_it_is_loaded_again_and_goes_on(self, shelf: Shelf) -> None:
        shelf.trouble = Trouble(at=[7])
        played = play({})
        assert played.heard_by() == ["a"] * 13
        assert played.codes == ["model.restarted"]
        assert "a failed on cpu (RuntimeError): it was started again" in played.sink.notices[0].text
        assert len(shelf.loads) == 2
        assert played.session.error is None

    @pytest.mark.slow
    @CALM
    @given(number=st.integers(0, 60))
    def test_at_any_decode_no_word_is_lost_or_doubled(self, shelf: Shelf, number: int) -> None:
        fresh = shelf.replace()  # type: ignore[attr-defined]
        fresh.trouble = Trouble(at=[number])
        played = play({})
        assert played.heard_by() == ["a"] * 13
        assert len(fresh.loads) == 1 + fresh.trouble.raised
        assert fresh.breaches == []

    @pytest.mark.parametrize("number", range(0, 40, 3))
    def test_the_one_that_takes_over_may_fail_at_once_too(self, shelf: Shelf, number: int) -> None:
        shelf.providers = {"cpu", "cuda"}
        shelf.trouble = Trouble(at=[number, number + 1])
        played = play({}, replace(CONFIG, provider="cuda"))
        assert played.heard_by() == ["a"] * 13
        assert played.session.error is None

    @pytest.mark.slow
    @CALM
    @given(
        numbers=st.lists(st.integers(0, 50), min_size=2, max_size=2, unique=True),
        moment=st.floats(0.0, 7.0),
    )
    @example(numbers=[11, 12], moment=0.0)
    def test_failures_and_a_swap_at_any_time_lose_no_word(
        self, shelf: Shelf, numbers: list[int], moment: float
    ) -> None:
        fresh = shelf.replace()  # type: ignore[attr-defined]
        fresh.providers = {"cpu", "cuda"}
        fresh.trouble = Trouble(at=numbers)
        played = play({moment: to("b")}, replace(CONFIG, provider="cuda"))
        heard = played.heard_by()
        assert heard == sorted(heard)
        assert fresh.breaches == []
        assert played.session.error is None

    def test_twice_within_a_minute_the_processor_takes_over(self, shelf: Shelf) -> None:
        shelf.providers = {"cpu", "cuda"}
        shelf.trouble = Trouble(at=[3, 9])
        played = play({}, replace(CONFIG, provider="cuda"))
        assert played.heard_by() == ["a"] * 13
        assert played.codes == ["model.restarted", "provider.lost"]
        assert shelf.loads == [("a", "cuda"), ("a", "cuda"), ("a", "cpu")]
        stats = played.session.stats()
        assert (stats.provider, stats.provider_asked) == ("cpu", "cuda")
        assert "goes on on the processor" in stats.provider_reason

    def test_a_minute_later_it_is_bad_luck_again(
        self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        minutes = itertools.count(0, 61)
        monkeypatch.setattr("engine.recovery.time.monotonic", lambda: float(next(minutes)))
        shelf.providers = {"cpu", "cuda"}
        shelf.trouble = Trouble(at=[3, 9, 15])
        played = play({}, replace(CONFIG, provider="cuda"))
        assert played.heard_by() == ["a"] * 13
        assert played.codes == ["model.restarted"] * 3
        assert played.session.stats().provider == "cuda"

    def test_on_the_processor_the_second_time_is_the_end(self, shelf: Shelf) -> None:
        shelf.trouble = Trouble(at=[8, 9])
        played = play({})
        assert played.codes == ["model.restarted", "engine.failed"]
        assert played.session.error is not None
        assert "\n" not in str(played.session.error)

    def test_a_device_that_never_comes_back_is_left_at_once(self, shelf: Shelf) -> None:
        shelf.providers = {"cpu", "cuda"}

        def lose(_: Session) -> None:
            shelf.providers = {"cpu"}
            shelf.trouble.on = {"cuda"}

        played = play({2.6: lose}, replace(CONFIG, provider="cuda"))
        assert played.heard_by() == ["a"] * 13
        assert played.codes == ["provider.lost"]
        assert "cuda was lost" in played.sink.notices[0].text

    def test_a_device_lost_in_sleep_is_used_again_once_it_is_back(
        self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(engine.swap, "_RETRY_S", 0.02)
        monkeypatch.setattr(engine.swap, "_RETRIES", 30)
        shelf.providers = {"cpu", "cuda"}

        def lose(_: Session) -> None:
            shelf.providers = {"cpu"}
            shelf.trouble.on = {"cuda"}

        def find(session: Session) -> None:
            assert session.stats().provider == "cpu"
            shelf.providers = {"cpu", "cuda"}
            shelf.trouble.on = set()
            until = time.monotonic() + LIMIT_S
            while session.stats().provider == "cpu" and time.monotonic() < until:
                time.sleep(0.01)

        played = play({0.8: lose, 2.4: find}, replace(CONFIG, provider="cuda"))
        assert played.heard_by() == ["a"] * 13
        assert played.codes[0] == "provider.lost"
        assert "provider.recovered" in played.codes
        stats = played.session.stats()
        assert (stats.provider, stats.provider_reason) == ("cuda", "")
        assert "model.swap_failed" not in played.codes, "nobody asked for it"

    def test_where_the_memory_of_the_gpu_is_exhausted_the_processor_takes_over(
        self, shelf: Shelf
    ) -> None:
        shelf.providers = {"cpu", "cuda"}
        full = lambda: RuntimeError("CUDA failure 2: out of memory")  # noqa: E731
        shelf.trouble = Trouble(at=[7], error=full)
        played = play({}, replace(CONFIG, provider="cuda"))
        assert played.heard_by() == ["a"] * 13
        assert played.codes == ["provider.memory"]
        assert shelf.loads == [("a", "cuda"), ("a", "cpu")]

    def test_or_a_smaller_model_where_one_is_named(self, shelf: Shelf) -> None:
        shelf.providers = {"cpu", "cuda"}
        full = lambda: RuntimeError("Failed to allocate memory for requested buffer")  # noqa: E731
        shelf.trouble = Trouble(at=[7], error=full)
        played = play({}, replace(CONFIG, provider="cuda", smaller=OneSmaller(files("small"))))
        heard = played.heard_by()
        assert heard == sorted(heard)
        assert heard[-1] == "small"
        assert played.codes == ["provider.memory"]
        assert "captions go on with Small" in played.sink.notices[0].text
        assert shelf.loads == [("a", "cuda"), ("small", "cuda")]
        assert played.session.stats().model_id == "small"

    def test_where_the_smaller_one_will_not_load_the_processor_takes_over(
        self, shelf: Shelf
    ) -> None:
        shelf.providers = {"cpu", "cuda"}
        shelf.fails_with["small"] = MemoryError()
        shelf.trouble = Trouble(at=[7], error=MemoryError)
        played = play({}, replace(CONFIG, provider="cuda", smaller=OneSmaller(files("small"))))
        assert played.heard_by() == ["a"] * 13
        assert played.session.stats().provider == "cpu"

    def test_two_lanes_share_what_takes_over(self, shelf: Shelf) -> None:
        shelf.trouble = Trouble(at=[7])
        played = play({}, lanes=("mic", "system"))
        assert played.heard_by("mic") == played.heard_by("system") == ["a"] * 13
        assert len(shelf.loads) == 2

    def test_a_model_that_failed_is_given_back(self, shelf: Shelf) -> None:
        shelf.trouble = Trouble(at=[3])
        alive: list[int] = []

        def look(_: Session) -> None:
            for _ in range(200):
                if len(shelf.alive()) == 1:
                    break
                time.sleep(0.01)
            alive.append(len(shelf.alive()))

        play({2.6: look})
        assert alive == [1]
        assert SOUND.size == END_S * SAMPLE_RATE


# -- with real weights ----------------------------------------------------------------------


@pytest.mark.slow
def test_from_one_family_to_another_and_back_in_real_speech(recordings: Any) -> None:
    known, store = catalogue.load(), ModelStore()
    tiny, whisper = (store.files(known.get(name)) for name in (known.default, "whisper-tiny.en"))
    recording = recordings.named("ls_test-clean_1089-134691-0001")
    sink = MemorySink()
    config = replace(CONFIG, model=tiny, vad=store.files(known.get(known.vad)))
    session = Session(config, [FileSource(recording.path)], [sink])
    session.start()
    for number, (files_of, moment) in enumerate([(whisper, 1.5), (tiny, 3.0)], 1):
        session.swap_model(files_of, at=moment)
        while len([n for n in sink.notices if n.code == "model.swapped"]) < number:
            assert not session.wait(0.02), sink.notices
    assert session.wait(120.0)
    check_laws(sink.updates)
    assert session.error is None
    shown = normalised(" ".join(update.text for update in sink.finals))
    assert score(normalised(recording.transcript), shown).errors <= 2
    assert [n.code for n in sink.notices] == ["model.swapped"] * 2
