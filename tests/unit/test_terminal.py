"""The terminal: finished lines for the pipe, the line being spoken for the eye."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from caption_samples import HEADER, SUMMARY, final, partial

from engine.bus import CaptionBus
from engine.errors import SinkError
from engine.sinks.memory import NoticeSink
from engine.sinks.terminal import TerminalSink, columns, tail
from engine.types import Notice


class Tty(io.StringIO):
    """Says that it is a terminal, and what it would show."""

    def isatty(self) -> bool:
        return True

    @property
    def row(self) -> str:
        """The bottom line as a person sees it now."""
        plain = re.sub(r"\x1b\[\d*m", "", self.getvalue())
        return plain.rpartition("\n")[2].rpartition("\r\x1b[K")[2]


@pytest.fixture(autouse=True)
def capable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")


def test_piped_output_holds_finished_lines_and_nothing_else() -> None:
    out, err = io.StringIO(), io.StringIO()
    sink = TerminalSink(out, err)
    sink.open(HEADER)
    sink.update(partial(0, 0, "hello", " wor"), 0.0)
    sink.update(final(0, 1, "hello world"), 0.0)
    sink.update(final(1, 0, ""), 0.0)
    sink.update(final(2, 0, "second"), 0.0)
    sink.close(SUMMARY)
    assert out.getvalue() == "hello world\nsecond\n"
    assert err.getvalue() == ""


def test_a_terminal_shows_the_line_being_spoken_and_wipes_it_before_the_finished_one() -> None:
    screen = Tty()
    sink = TerminalSink(screen, screen, width=lambda: 80)
    sink.open(HEADER)
    sink.update(partial(0, 0, "hello", " wor"), 0.0)
    assert screen.row == "hello wor"
    sink.update(partial(0, 1, "hello world", " and"), 0.0)
    assert screen.row == "hello world and"
    sink.update(final(0, 2, "hello world"), 0.0)
    assert screen.row == ""
    assert screen.getvalue().endswith("\r\x1b[Khello world\n")
    sink.update(partial(1, 0, "", "tail"), 0.0)
    sink.close(SUMMARY)
    assert screen.row == ""


def test_what_may_still_change_is_dim() -> None:
    screen = Tty()
    TerminalSink(io.StringIO(), screen, width=lambda: 80).update(partial(0, 0, "firm", " loose"), 0)
    assert screen.getvalue() == "\r\x1b[Kfirm\x1b[2m loose\x1b[0m"


@pytest.mark.parametrize(
    "text", ["a long line of words that goes on", "字幕は自分の電脑で作られます字幕"]
)
def test_a_long_line_is_cut_at_its_beginning_to_fit_one_row(text: str) -> None:
    screen = Tty()
    sink = TerminalSink(io.StringIO(), screen, width=lambda: 20)
    sink.update(partial(0, 0, "", text), 0.0)
    assert columns(screen.row) <= 19
    assert screen.row.startswith("…")
    assert text.endswith(screen.row[1:])


def test_widths_are_those_of_terminals() -> None:
    assert columns("abc") == 3
    assert columns("字幕") == 4
    assert columns("e\u0301\u200d") == 1
    assert columns("ＡＢ") == 4
    assert tail("字幕字幕", 6) == "…字幕"
    assert tail("abc", 0) == ""


def test_a_dumb_terminal_gets_no_control_sequences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    screen = Tty()
    TerminalSink(io.StringIO(), screen).update(partial(0, 0), 0.0)
    assert screen.getvalue() == ""


def test_control_characters_in_a_caption_cannot_reach_the_terminal() -> None:
    out = io.StringIO()
    TerminalSink(out, io.StringIO()).update(replace(final(0), stable="a\x1b[2Jb\nc\rd"), 0.0)
    assert out.getvalue() == "a [2Jb c d\n"


def test_a_notice_gets_a_line_of_its_own_on_the_error_stream() -> None:
    out, screen = io.StringIO(), Tty()
    sink = TerminalSink(out, screen, width=lambda: 80)
    sink.update(partial(0, 0), 0.0)
    sink.notice(Notice("engine.behind", "warning", "the engine is behind", "use a lighter model"))
    assert screen.getvalue().endswith(
        "\r\x1b[Kcaptionglass: the engine is behind: use a lighter model\n"
    )
    assert out.getvalue() == ""


class Broken(io.StringIO):
    """A pipe whose reader has gone."""

    def flush(self) -> None:
        raise BrokenPipeError(32, "Broken pipe")


def test_a_reader_that_has_gone_is_remembered_and_puts_the_sink_away() -> None:
    sink, notices = TerminalSink(Broken(), io.StringIO()), NoticeSink()
    bus = CaptionBus([sink, notices])
    bus.open(HEADER)
    assert not sink.broken
    bus.publish(final(0))
    bus.publish(final(1))
    bus.close(SUMMARY)
    assert sink.broken
    assert sink.failure is None
    assert notices.codes == ["sink.failed"]


def test_an_output_that_is_full_is_an_error_and_not_a_reader_that_left() -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

    sink = TerminalSink(Full(), io.StringIO())
    with pytest.raises(SinkError, match="No space left"):
        sink.update(final(0), 0.0)
    assert not sink.broken
    assert sink.failure is not None


def test_a_terminal_that_has_gone_does_not_stop_the_finished_lines() -> None:
    class GoneTty(Broken):
        def isatty(self) -> bool:
            return True

    out = io.StringIO()
    sink = TerminalSink(out, GoneTty(), width=lambda: 80)
    sink.update(partial(0, 0), 0.0)
    sink.update(final(0, 1, "hello"), 0.0)
    assert out.getvalue() == "hello\n"
