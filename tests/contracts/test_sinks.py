"""What every sink in ``engine/sinks`` keeps to, whichever files are there."""

from __future__ import annotations

import importlib
import inspect
import io
import pkgutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from caption_samples import HEADER, SUMMARY, final, partial

import engine.sinks
from engine.bus import CaptionBus
from engine.errors import SinkError
from engine.sinks.base import Sink
from engine.sinks.memory import MemorySink, NoticeSink
from engine.types import Notice

PROTOCOL = ("open", "update", "notice", "close")


def sink_classes() -> list[type[Any]]:
    """Every public class ``...Sink`` in every public file of the package but the protocol's."""
    found = []
    for module in pkgutil.iter_modules(engine.sinks.__path__):
        if module.name.startswith("_") or module.name == "base":
            continue
        content = importlib.import_module(f"engine.sinks.{module.name}")
        found += [
            value
            for name, value in vars(content).items()
            if inspect.isclass(value)
            and value.__module__ == content.__name__
            and name.endswith("Sink")
            and not name.startswith("_")
        ]
    return found


def build(kind: type[Any], folder: Path) -> Sink:
    """One of that class, by the names of what its constructor needs."""
    offered: dict[str, Callable[[], Any]] = {
        "path": lambda: folder / "captions 字幕 🎧.out",
        "inner": lambda: MemorySink("inner"),
        "out": io.StringIO,
        "err": io.StringIO,
        # Nobody answers there: a sink without its server still takes a whole session.
        "url": lambda: "redis://127.0.0.1:9/0",
    }
    needed = [
        name
        for name, parameter in inspect.signature(kind).parameters.items()
        if parameter.default is inspect.Parameter.empty
    ]
    unknown = set(needed) - set(offered)
    assert not unknown, f"teach this test what {kind.__name__} needs: {unknown}"
    sink: Sink = kind(**{name: offered[name]() for name in needed})
    return sink


CLASSES = sink_classes()


@pytest.fixture(params=CLASSES, ids=lambda kind: kind.__name__)
def sink(request: pytest.FixtureRequest, tmp_path: Path) -> Sink:
    return build(request.param, tmp_path)


def test_every_file_holds_a_sink() -> None:
    files = {
        module.name
        for module in pkgutil.iter_modules(engine.sinks.__path__)
        if not module.name.startswith("_") and module.name != "base"
    }
    assert {kind.__module__.rpartition(".")[2] for kind in CLASSES} == files
    assert len(files) >= 6


def test_it_has_the_protocol_s_methods_and_a_name(sink: Sink) -> None:
    assert sink.name
    for method in PROTOCOL:
        expected = list(inspect.signature(getattr(Sink, method)).parameters)[1:]
        assert list(inspect.signature(getattr(sink, method)).parameters) == expected


def test_it_takes_a_whole_session(sink: Sink) -> None:
    watcher = NoticeSink()
    bus = CaptionBus([sink, watcher])
    bus.open(HEADER)
    bus.publish(partial(0, 0, "", "字幕"))
    bus.publish(partial(0, 1, "hello", " 世界 🎧"))
    bus.publish(final(0, 2, "hello world"))
    bus.notice(Notice("engine.behind", "warning", "the engine is behind"))
    bus.publish(final(1, 0, ""))
    bus.publish(final(2, 0, "a very long line indeed " * 20, at=3.0))
    assert watcher.codes == ["engine.behind"], "the sink failed"
    bus.close(SUMMARY)
    # What could be delivered to nobody is told at the end, not swallowed.
    delivers = "url" not in inspect.signature(type(sink)).parameters
    assert watcher.codes[1:] == ([] if delivers else ["sink.failed"])


def test_it_may_be_closed_with_nothing_said(sink: Sink) -> None:
    sink.open(HEADER)
    sink.close(SUMMARY)


@pytest.mark.parametrize(
    "kind",
    [kind for kind in CLASSES if "path" in inspect.signature(kind).parameters],
    ids=lambda kind: kind.__name__,
)
class TestFiles:
    """What holds for the sinks that write a file."""

    def test_an_impossible_path_is_told_at_open_with_a_remedy(
        self, kind: type[Any], tmp_path: Path
    ) -> None:
        sink = kind(tmp_path / "no" / "such" / "folder" / "x")
        with pytest.raises(SinkError) as caught:
            sink.open(HEADER)
        assert caught.value.remedy
        assert "\n" not in str(caught.value)

    def test_making_one_touches_nothing(self, kind: type[Any], tmp_path: Path) -> None:
        path = tmp_path / "kept"
        path.write_text("mine", encoding="utf-8")
        kind(path)
        assert path.read_text(encoding="utf-8") == "mine"

    def test_what_was_finished_is_in_the_file_at_once(
        self, kind: type[Any], tmp_path: Path
    ) -> None:
        path = tmp_path / "out"
        sink = kind(path)
        sink.open(HEADER)
        sink.update(final(0, 0, "hello"), 0.0)
        assert "hello" in path.read_text(encoding="utf-8")
        sink.close(SUMMARY)

    def test_line_ends_are_the_same_everywhere(self, kind: type[Any], tmp_path: Path) -> None:
        path = tmp_path / "out"
        sink = kind(path)
        sink.open(HEADER)
        sink.update(final(0, 0, "hello"), 0.0)
        sink.close(SUMMARY)
        assert b"\r" not in path.read_bytes()
