"""Models that change while captions run, over recognisers that make no mistakes and sign every
word they hear (``fake_models``): each word is heard by exactly one of them, at its time."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

import pytest
from caption_laws import check_laws
from fake_models import LIMIT_S, Shelf, files
from fake_source import PlayedSource
from fixtures_shelf import CONFIG, SOUND, play, to
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import engine.loading
from engine.bench.metrics import normalised, score
from engine.config import LatencyProfile
from engine.errors import RecognizerError
from engine.session import Session
from engine.sinks.memory import MemorySink
from engine.sources.file import FileSource
from models import catalogue
from models.store import ModelStore

CALM = settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


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
