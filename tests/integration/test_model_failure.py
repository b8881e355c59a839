"""Models that fail while captions run, over recognisers that make no mistakes and sign every word
they hear (``fake_models``): another takes over, and each word is heard once, at its time."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace

import pytest
from fake_models import LIMIT_S, OneSmaller, Shelf, Trouble, files
from fixtures_shelf import CONFIG, END_S, SOUND, play, to
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import engine.swap
from engine.session import Session
from engine.types import SAMPLE_RATE

CALM = settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


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
