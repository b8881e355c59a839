"""What an expression of the source can say is followed to where its words stand."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture
def phrases(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    from texts import phrases

    return phrases


@pytest.fixture
def said(phrases: ModuleType, tmp_path: Path) -> Callable[..., list[str]]:
    """The texts found in some modules of an ``engine`` package."""

    def find(**modules: str) -> list[str]:
        (tmp_path / "engine").mkdir(exist_ok=True)
        for name, text in modules.items():
            file = tmp_path / "engine" / f"{name}.py"
            file.write_text(textwrap.dedent(text), encoding="utf-8")
        source = phrases.Source(tmp_path, ["engine"])
        return [each.text for each in phrases.phrases(source) if each.text not in phrases.ALSO]

    return find


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ('raise CaptionglassError("it broke", "mend it")', ["it broke", "mend it"]),
        ('Notice("a.b", "info", f"{x} broke in {y:.1f} s")', ["%1 broke in %2 s"]),
        ('Notice("a.b", "info", remedy="mend it", text="it broke")', ["it broke", "mend it"]),
        (
            "raise CaptionglassError(f\"it is {'taken' if x else 'not there'}\")",
            ["it is not there", "it is taken"],
        ),
        ('raise CaptionglassError(x.message or "it broke")', ["it broke"]),
        ('raise CaptionglassError("it " + ("broke" if x else "bent"))', ["it bent", "it broke"]),
        ('raise CaptionglassError({"a": "it broke", "b": "it bent"}[x])', ["it bent", "it broke"]),
        ('raise CaptionglassError(f"{x}: {y}")', []),
        ('raise ValueError("it broke")', []),
    ],
)
def test_what_stands_in_a_construction(
    said: Callable[..., list[str]], code: str, texts: list[str]
) -> None:
    assert said(a=f"def f(x, y):\n    {code}\n") == texts


def test_words_are_followed_through_names_arguments_and_results(
    said: Callable[..., list[str]],
) -> None:
    found = said(
        a="""
        from engine.b import ending
        REMEDY = "mend it"

        class PartError(CaptionglassError): ...

        def fail(what, lane):
            text = f"the {what} of {lane} {ending()}"
            raise PartError(text, REMEDY)

        def go(lane):
            fail("wheel", lane)
            fail("axle", lane)
        """,
        b="""
        def ending():
            if now():
                return "broke"
            return "bent"
        """,
    )
    assert found == [
        "mend it",
        "the axle of %1 bent",
        "the axle of %1 broke",
        "the wheel of %1 bent",
        "the wheel of %1 broke",
    ]


def test_a_table_of_pairs_gives_texts_and_remedies(said: Callable[..., list[str]]) -> None:
    found = said(
        a="""
        def notice(state, name):
            texts = {"away": (f"{name} is away", "wait"), "gone": (f"{name} is gone", "")}
            text, remedy = texts[state]
            return Notice("a.b", "info", text, remedy)
        """
    )
    assert found == ["%1 is away", "%1 is gone", "wait"]


def test_names_and_numbers_are_values_not_sentences(said: Callable[..., list[str]]) -> None:
    found = said(
        a="""
        def fail(where="127.0.0.1"):
            raise CaptionglassError(f"nothing answers at {where}")

        def go(address):
            fail(address)
            fail("this computer")
        """
    )
    assert found == ["nothing answers at %1", "nothing answers at this computer"]


def test_the_rows_of_a_table_are_followed_through_a_loop(said: Callable[..., list[str]]) -> None:
    found = said(
        a="""
        CAUSES = (("40.", "it refuses", "ask them"), ("50.", "it is overloaded", LATER))
        LATER = "try again later"

        def explain(name, output):
            for pattern, cause, remedy in CAUSES:
                if re.search(pattern, output):
                    return CaptionglassError(f"could not fetch {name}, {cause}", remedy)
        """
    )
    assert found == [
        "ask them",
        "could not fetch %1, it is overloaded",
        "could not fetch %1, it refuses",
        "try again later",
    ]


def test_a_property_of_another_object_is_followed(said: Callable[..., list[str]]) -> None:
    found = said(
        a="""
        class Models:
            @property
            def advice(self):
                return f"choose {self.smaller}" if self.smaller else "move the slider"
        """,
        b="""
        def slow(models):
            return Notice("engine.slow", "warning", "it is slow", models.advice)
        """,
    )
    assert found == ["choose %1", "it is slow", "move the slider"]


def test_callers_here_do_not_hide_those_elsewhere(said: Callable[..., list[str]]) -> None:
    found = said(
        a="""
        def complaint(text):
            return Notice("a.b", "info", text)

        def here():
            return complaint("it is near")
        """,
        b="""
        from engine.a import complaint

        def there():
            return complaint("it is far")
        """,
    )
    assert found == ["it is far", "it is near"]


@pytest.mark.parametrize(
    ("remedy", "lost"),
    [
        ('"wait"', ()),
        ('""', ()),
        ("error.remedy", ()),
        ('str(answer["remedy"])', ()),
        ("pair[1]", ("pair[1]",)),
        ("of(state)", ("of(state)",)),
    ],
)
def test_what_cannot_be_followed_is_told(
    phrases: ModuleType, tmp_path: Path, remedy: str, lost: tuple[str, ...]
) -> None:
    (tmp_path / "engine").mkdir()
    code = f'def tell(pair): return Notice("a.b", "info", "it broke", {remedy})\n'
    (tmp_path / "engine" / "a.py").write_text(code, encoding="utf-8")
    (found,) = phrases.messages(phrases.Source(tmp_path, ["engine"]))
    assert found.unread == lost


def test_every_construction_is_found_once_and_says_where(
    phrases: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "engine").mkdir()
    code = (
        'class AError(CaptionglassError): ...\nraise AError("it broke")\nNotice("a", "b", "it")\n'
    )
    (tmp_path / "engine" / "a.py").write_text(code, encoding="utf-8")
    found = phrases.messages(phrases.Source(tmp_path, ["engine"]))
    assert sorted((each.where, each.texts) for each in found) == [
        ("engine/a.py:2", ("it broke",)),
        ("engine/a.py:3", ("it",)),
    ]


def test_the_texts_of_windows_are_found_with_their_context(
    phrases: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "desktop_app").mkdir()
    code = """
    class Pane:
        def show(self):
            self.tr("Begin")
            QCoreApplication.translate("Stops", name)
    LABEL = QT_TRANSLATE_NOOP("Labels", "End")
    """
    (tmp_path / "desktop_app" / "a.py").write_text(textwrap.dedent(code), encoding="utf-8")
    found = phrases.shown_texts(phrases.Source(tmp_path, ["desktop_app"]))
    assert [(each.context, each.text) for each in found] == [
        ("Pane", "Begin"),
        ("Stops", None),
        ("Labels", "End"),
    ]
