"""The translations are complete, fit what they translate, and are what the program loads."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from desktop_app import languages

SCRIPTS = Path(__file__).parents[2] / "scripts"
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_AS_IT_IS = re.compile(r"(chmod|pip install|captionglass) .*|\W*(%\d\W*)+")
"""What is to be typed is no language's."""


@pytest.fixture
def translations(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import translations

    return translations


@pytest.fixture
def chinese(qapp: QApplication) -> Iterator[None]:
    del qapp
    languages.use("zh-CN")
    yield
    languages.use("en")


@pytest.mark.slow
def test_nothing_is_missing_unfinished_or_left_over(translations: ModuleType) -> None:
    assert list(translations.faults()) == []


@pytest.mark.slow
def test_every_notice_and_error_of_the_source_has_a_chinese_text(
    translations: ModuleType,
) -> None:
    from texts.phrases import messages

    known = {
        entry.source
        for entry in translations.entries(translations.CHINESE)
        if entry.context == "Notices" and not entry.state and all(entry.texts)
    }
    found = list(messages(translations._source()))
    assert len(found) > 200
    without = [(each.where, text) for each in found for text in each.texts if text not in known]
    assert without == []


def test_what_is_wrong_is_named(translations: ModuleType) -> None:
    entry = translations.Entry
    wrong = {
        entry("A", "Open %1", ("打开",), ""): "places",
        entry("A", "{n} of {all}", ("{n}",), ""): "places",
        entry("A", "Open", ("",), "unfinished"): "unfinished",
        entry("A", "Open", ("打开",), "vanished"): "vanished",
        entry("A", "<b>Open</b>", ("打开",), ""): "tags",
        entry("A", "Open", ("",), ""): "no translation",
    }
    for each, what in wrong.items():
        (line,) = translations._wrong_in(each)
        assert what in line
    for right in (
        entry("A", "%1 of %2", ("%2 的 %1",), ""),
        entry("A", "%n line(s)", ("one line", "%n lines"), "", of_number=True),
    ):
        assert list(translations._wrong_in(right)) == []


def test_compiling_gives_what_is_committed_and_another_text_does_not(
    translations: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("captionglass_zh_CN.ts", "captionglass_en.ts"):
        shutil.copyfile(translations.FOLDER / name, tmp_path / name)
    monkeypatch.setattr(translations, "CHINESE", tmp_path / "captionglass_zh_CN.ts")
    monkeypatch.setattr(translations, "ENGLISH", tmp_path / "captionglass_en.ts")
    translations.compile_all(tmp_path)
    for name in ("captionglass_zh_CN.qm", "captionglass_en.qm"):
        assert (tmp_path / name).read_bytes() == (translations.FOLDER / name).read_bytes()
    changed = tmp_path / "captionglass_zh_CN.ts"
    text = changed.read_text(encoding="utf-8")
    changed.write_text(text.replace("暂停字幕", "停"), encoding="utf-8")
    translations.compile_all(tmp_path)
    name = "captionglass_zh_CN.qm"
    assert (tmp_path / name).read_bytes() != (translations.FOLDER / name).read_bytes()


@pytest.mark.usefixtures("chinese")
def test_every_pattern_is_found_again_with_its_values() -> None:
    patterns = languages.PHRASE_FILE.read_text(encoding="utf-8").splitlines()
    assert len(patterns) > 300
    for pattern in patterns:
        # Greek: a digit would be set apart from Chinese by a space.
        values = [f"{chr(0x3B0 + int(number))}ω" for number in re.findall(r"%(\d)", pattern)]
        if _weight(pattern) < languages._LIGHTEST or _AS_IT_IS.fullmatch(pattern):
            continue
        said = languages.phrase(_filled(pattern, values))
        assert said == _filled(QCoreApplication.translate("Notices", pattern), values), pattern
        assert _CHINESE.search(said), pattern
        assert all(value in said for value in values), pattern


def _filled(text: str, values: list[str]) -> str:
    return re.sub(r"%(\d)", lambda place: values[int(place[1]) - 1], text)


def _weight(pattern: str) -> int:
    return len(re.sub(r"%\d", "", pattern))
