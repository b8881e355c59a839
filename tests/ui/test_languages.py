"""The language of the interface: which one, what is said in it, and changing it while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures_session import FakeStart, caption
from PySide6.QtCore import QLocale
from PySide6.QtGui import QFontDatabase, QTextLayout
from PySide6.QtWidgets import QApplication, QComboBox, QMenu
from pytestqt.qtbot import QtBot

from desktop_app import languages
from desktop_app.application import starting
from desktop_app.application.caption_app import CaptionApp
from desktop_app.application.startup import OverlayOptions
from desktop_app.history.lines import Transcript
from desktop_app.history.store import HistoryStore
from desktop_app.settings.store import SettingsStore
from desktop_app.ui import theme
from desktop_app.ui.settings_window import SettingsWindow
from desktop_app.ui.transcript import TranscriptWindow
from engine.errors import DeviceError
from engine.types import Notice

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support", extend=True)


@pytest.fixture(autouse=True)
def english(qapp: QApplication) -> Iterator[None]:
    del qapp
    languages.use("en")
    yield
    languages.use("en")


@pytest.fixture
def app(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CaptionApp]:
    monkeypatch.setattr(starting, "start_session", FakeStart())
    monkeypatch.setenv("CAPTIONGLASS_HISTORY", str(tmp_path / "history"))
    theme.load_fonts()
    made = CaptionApp(OverlayOptions(source="mic"), SettingsStore(tmp_path / "settings.toml"))
    made.begin()
    qtbot.waitUntil(lambda: made.session is not None)
    yield made
    made.shut_down()
    made.overlay.deleteLater()


def switch(qtbot: QtBot, app: CaptionApp, to: str) -> None:
    app.change_settings(interface_language=to)
    qtbot.waitUntil(lambda: languages.current() == languages.resolve(to))
    # The windows hear of it by events that are posted.
    QApplication.processEvents()


@pytest.mark.parametrize(
    ("asked", "system", "language"),
    [
        ("en", ["zh-CN"], "en"),
        ("zh-CN", ["en-US"], "zh-CN"),
        ("auto", ["zh-Hans-CN", "zh-CN", "zh"], "zh-CN"),
        ("auto", ["zh_SG"], "zh-CN"),
        ("auto", ["de-DE", "zh-CN", "en"], "zh-CN"),
        ("auto", ["en-GB", "zh-CN"], "en"),
        ("auto", ["zh-Hant-TW", "zh-TW", "en-US"], "en"),
        ("auto", ["de-DE"], "en"),
        ("auto", [], "en"),
    ],
)
def test_which_language_it_is(asked: str, system: list[str], language: str) -> None:
    assert languages.resolve(asked, system) == language


def test_what_is_open_changes_its_language_at_once(qtbot: QtBot, app: CaptionApp) -> None:
    bar, tray = app.overlay.bar, app.tray
    app.show_transcript()
    app.overlay.add_notice(Notice("a.b", "warning", "Captions are paused"))
    switch(qtbot, app, "zh-CN")
    assert tray.pause_action.text() == "暂停字幕"
    assert tray.show_action.text() == "隐藏字幕"
    assert tray.styles_menu.title() == "样式"
    assert [each.text() for each in tray.styles_menu.actions()][:2] == ["标准", "仅文字"]
    assert bar.pause.toolTip() == bar.pause.accessibleName() == "暂停字幕"
    assert bar.stop_name.text() == "均衡"
    assert app.overlay.notices.text == "字幕已暂停"
    assert app.overlay.notices.retry.text() == "重试"
    window = app.keeping.window
    assert window is not None
    assert window.isVisible()
    assert window.windowTitle() == "文字记录 – Captionglass"
    switch(qtbot, app, "en")
    assert tray.pause_action.text() == "Pause captions"
    assert bar.stop_name.text() == "Balanced"
    assert app.overlay.notices.text == "Captions are paused"
    assert app.keeping.window is not window


def test_the_new_transcript_window_follows_what_is_said(qtbot: QtBot, app: CaptionApp) -> None:
    app.show_transcript()
    first = app.keeping.window
    assert first is not None
    first.search.setText("hello")
    switch(qtbot, app, "zh-CN")
    window = app.keeping.window
    assert window is not None
    assert window is not first
    assert window.search.text() == "hello"
    app.keeping.transcript.apply(caption("hello world", segment=1, final=True))
    assert [line.text for line in window.model.lines] == ["hello world"]


def test_a_closed_transcript_window_is_let_go(qtbot: QtBot, app: CaptionApp) -> None:
    app.show_transcript()
    assert app.keeping.window is not None
    app.keeping.window.close()
    switch(qtbot, app, "zh-CN")
    assert app.keeping.window is None
    app.keeping.transcript.apply(caption("hello world", segment=1, final=True))
    qtbot.wait(10)


def test_the_message_in_the_panel_changes_too(qtbot: QtBot, app: CaptionApp) -> None:
    app.overlay.set_message("Listening to the demo recording")
    switch(qtbot, app, "zh-CN")
    assert app.overlay.view.message == "正在收听示例录音"
    switch(qtbot, app, "en")
    assert app.overlay.view.message == "Listening to the demo recording"


def test_qts_own_texts_and_dates_change_with_it(qtbot: QtBot, app: CaptionApp) -> None:
    from PySide6.QtCore import QDate
    from PySide6.QtWidgets import QDialogButtonBox

    switch(qtbot, app, "zh-CN")
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(box)
    assert box.button(QDialogButtonBox.StandardButton.Cancel).text() == "取消"
    said = QLocale().toString(QDate(2026, 3, 1), QLocale.FormatType.LongFormat)
    assert "3月1日" in said
    switch(qtbot, app, "en")
    said = QLocale().toString(QDate(2026, 3, 1), QLocale.FormatType.LongFormat)
    assert "March" in said


@pytest.mark.parametrize(
    ("language", "one", "three"),
    [
        ("en", "Copied one line", "Copied 3 lines"),
        ("zh-CN", "已复制 1 行", "已复制 3 行"),
    ],
)
def test_plurals(qtbot: QtBot, tmp_path: Path, language: str, one: str, three: str) -> None:
    languages.use(language)
    live = Transcript()
    window = TranscriptWindow(live, theme.DARK, {}, HistoryStore(tmp_path))
    qtbot.addWidget(window)
    live.apply(caption("one", segment=1, final=True))
    window.copy()
    assert window.status.text() == one
    live.apply(caption("two", segment=2, final=True))
    live.apply(caption("three", segment=3, final=True))
    window.copy()
    assert window.status.text() == three


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the model cannot be read (Permission denied)", "无法读取模型（Permission denied）"),
        # A value that is a sentence itself.
        (
            "captions come without full stops: there is not enough memory for x",
            "字幕没有标点：内存不足以加载 x",
        ),
        # A model by its name in Chinese, a stop by its own.
        ("Fetching Moonshine tiny (English), 5 %", "正在下载 Moonshine tiny（英语），5%"),
        (
            "this computer is slow for x at steady: captions come less often",
            "在“稳定”档，x 对这台电脑来说太慢，字幕更新会变少",
        ),
        # Lists, and what stands in brackets behind.
        (
            "Another program has Ctrl+Alt+H (Bigger text), Ctrl+Alt+J (Smaller text)",
            "其他程序占用了 Ctrl+Alt+H（放大文字）、Ctrl+Alt+J（缩小文字）",
        ),
        ("unlock by Ctrl+Alt+L or the tray", "可通过 Ctrl+Alt+L 或托盘解锁"),
        # An error in one line, its remedy behind it.
        ("x has no sound track: name a file with sound", "x 没有音轨。请指定有声音的文件"),
        ("nobody has written this: or that", "nobody has written this: or that"),
        ("salt and pepper", "salt and pepper"),
    ],
)
def test_what_the_engine_says_is_found_by_its_pattern(text: str, said: str) -> None:
    assert languages.phrase(text) == text
    languages.use("zh-CN")
    assert languages.phrase(text) == said


def test_notices_and_errors_end_with_what_to_do() -> None:
    error = DeviceError("Mic X is not there any more", "try again")
    assert languages.error_text(error) == "Mic X is not there any more: try again"
    languages.use("zh-CN")
    assert languages.error_text(error) == "Mic X 已不存在。请重试"
    assert languages.notice_text(Notice("a.b", "info", "The sound has ended")) == "声音已结束"


def test_menus_and_windows_write_chinese_in_the_shapes_of_the_mainland() -> None:
    theme.load_fonts()
    if "Noto Sans CJK SC" not in QFontDatabase.families():
        pytest.skip("Noto Sans CJK SC is not installed")
    for font in (QMenu().font(), theme.ui_font(13), theme.caption_font("DejaVu Serif", 28)):
        layout = QTextLayout("直骨，与 abc", font)
        layout.beginLayout()
        layout.createLine()
        layout.endLayout()
        used = {run.rawFont().familyName() for run in layout.glyphRuns()}
        assert {name for name in used if "CJK" in name} == {"Noto Sans CJK SC"}


@pytest.mark.slow
def test_the_settings_window_changes_under_the_hand_that_changes_it(
    qtbot: QtBot, app: CaptionApp
) -> None:
    app.show_settings()
    window = app.windows.opened("settings")
    assert isinstance(window, SettingsWindow)
    window.show_page("general")
    row = window.row("interface_language")
    combo = row.findChild(QComboBox)
    assert isinstance(combo, QComboBox)
    combo.setCurrentIndex(combo.findData("zh-CN"))
    combo.activated.emit(combo.currentIndex())
    qtbot.waitUntil(lambda: app.windows.opened("settings") is not window)
    new = app.windows.opened("settings")
    assert isinstance(new, SettingsWindow)
    assert new.isVisible()
    assert new.heading.text() == "通用"
    assert app.settings.interface_language == "zh-CN"
