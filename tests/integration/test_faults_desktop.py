"""The whole program on desktops that go wrong: no fonts, no locale, no compositor, a locked screen,
a clock that is set back, another start in the same moment, and a crash of its own."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from faults import BEST, LIMIT_S, WORST, Windows, kept_lines, settings_file, speech, until
from fixtures_screen import bare_display
from PySide6.QtGui import QImage

from desktop_app.history.store import HistoryStore

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the desktop of the test is X11"),
]


_LOCKER = 0x545454
"""The grey of the locked screen."""


@pytest.fixture
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windows]:
    made = Windows(tmp_path_factory.mktemp("w"))
    yield made
    made.close()


@contextlib.contextmanager
def locked_screen(name: str) -> Iterator[None]:
    """What a locker is to X11: one window over everything, which has all keys and clicks."""
    from Xlib import X
    from Xlib.display import Display

    display = Display(name)
    try:
        screen = display.screen()
        size = (screen.width_in_pixels, screen.height_in_pixels)
        window = screen.root.create_window(
            0, 0, *size, 0, screen.root_depth, background_pixel=_LOCKER, override_redirect=True
        )
        window.map()
        window.configure(stack_mode=X.Above)
        modes = (X.GrabModeAsync, X.GrabModeAsync)
        assert window.grab_keyboard(True, *modes, X.CurrentTime) == X.GrabSuccess
        assert window.grab_pointer(True, 0, *modes, 0, 0, X.CurrentTime) == X.GrabSuccess
        yield
        window.destroy()
        display.sync()
    finally:
        display.close()


def colours(display: str, path: Path) -> tuple[int, int, int]:
    """Of a picture of the screen: pixels of the locker, of the panel, of letters."""
    subprocess.run(["import", "-display", display, "-window", "root", str(path)], check=True)
    image = QImage(str(path)).convertToFormat(QImage.Format.Format_Grayscale8)
    assert image.bytesPerLine() == image.width()
    grey = bytes(image.constBits())
    locked = grey.count(bytes([_LOCKER & 0xFF]))
    panel = sum(grey.count(bytes([each])) for each in range(5, 25))
    return locked, panel, sum(grey.count(bytes([each])) for each in range(200, 256))


def test_with_no_fonts_no_locale_no_compositor_and_under_a_locked_screen(
    windows: Windows, tmp_path: Path
) -> None:
    fonts = tmp_path / "fonts.conf"
    fonts.write_text("<?xml version='1.0'?><fontconfig></fontconfig>", encoding="utf-8")
    settings_file()
    with bare_display(tmp_path, (1280, 800)) as display:
        poor = {"FONTCONFIG_FILE": str(fonts), "LC_ALL": "C", "LANG": "C", "LANGUAGE": ""}
        long = speech(tmp_path, 12.0)
        window = windows.open("--source", long, **display.env | poor)
        window.says(BEST)
        locked, panel, letters = colours(display.name, tmp_path / "1.png")
        assert (locked < 100, letters > 300, panel > 50_000) == (True, True, True)
        with locked_screen(display.name):
            since = time.monotonic() + 0.5
            until(lambda: window.shown[-1].get("at", 0.0) > since, "captions meanwhile")
            locked, _, _ = colours(display.name, tmp_path / "2.png")
            assert locked == 1280 * 800, "captions can be read on a locked screen"
        until(lambda: colours(display.name, tmp_path / "3.png")[2] > 300, "the captions")
        assert window.end() == []
    assert " ".join(kept_lines()).startswith(BEST)


def test_a_clock_that_is_set_back_changes_nothing(windows: Windows, tmp_path: Path) -> None:
    settings_file()
    clock = tmp_path / "clock"
    window = windows.open("--source", speech(tmp_path, 6.0), FAULT_CLOCK=str(clock))
    window.says(BEST)
    clock.write_text("-86400", encoding="utf-8")
    window.says(WORST)
    clock.write_text("+86400", encoding="utf-8")
    until(lambda: window.notices("session.over"), "the end of the sound")
    assert window.end() == []
    (session,) = HistoryStore().sessions()
    assert abs(session.head.began - time.time()) < LIMIT_S
    times = [(line.start, line.end) for line in HistoryStore().read(session.id).lines]
    assert times == sorted(times)
    assert all(0 <= start < end <= 6.1 for start, end in times)
    assert WORST in " ".join(kept_lines())


def test_of_two_that_start_at_once_one_opens_and_both_of_two_that_were_asked_for(
    windows: Windows, tmp_path: Path
) -> None:
    settings_file()
    spoken = speech(tmp_path, 3.0)
    third = windows.open("--source", spoken, "--new")
    both = [windows.open("--source", spoken) for _ in range(2)]
    until(lambda: any(each.process.poll() is not None for each in both), "the end of one")
    first, second = sorted(both, key=lambda each: each.process.poll() is not None)
    out, complaints = second.process.communicate(timeout=LIMIT_S)
    assert (second.process.returncode, complaints) == (0, "")
    assert out.startswith("Captionglass is open already")
    for each in (first, third):
        each.says(BEST)
    until(lambda: kept_lines().count(BEST) == 2, "what both heard")
    assert first.end() == third.end() == []
    assert len(HistoryStore().sessions()) == 2


def test_after_a_crash_the_next_start_says_so_once(windows: Windows) -> None:
    settings_file()

    window = windows.open("--new")
    window.is_up()
    window.process.send_signal(signal.SIGSEGV)
    _, complaints = window.process.communicate(timeout=LIMIT_S)
    assert window.process.returncode == -signal.SIGSEGV
    assert "Traceback" not in complaints
    # With the first steps open nothing is captioned, which is quicker.
    again = windows.open("--new", "--first-run")
    (told,) = until(lambda: again.notices("crash.before"), "the notice")
    assert told["severity"] == "info"
    assert told["line"] == (
        "Captionglass crashed last time: to report it, run captionglass doctor --report FILE"
    )
    assert again.end() == []
    third = windows.open("--new", "--first-run")
    third.is_up()
    assert third.end() == []
    assert third.notices("crash.before") == []
