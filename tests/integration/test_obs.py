"""Captions in a real OBS: a text source, a password, an end and a new beginning."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from caption_samples import HEADER, SUMMARY, final, partial
from fixtures_obs import PASSWORD, Obs
from ports import free_port

from engine.sinks.obs import ObsSink, caption_rows
from engine.types import Notice

SOURCE = "Captions 字幕"


def eventually(true: Callable[[], bool], seconds: float = 60.0) -> bool:
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


def add_text_source(obs: Obs) -> None:
    scene = obs.ask("GetCurrentProgramScene")["currentProgramSceneName"]
    obs.ask(
        "CreateInput",
        {
            "sceneName": scene,
            "inputName": SOURCE,
            "inputKind": "text_ft2_source_v2",
            "inputSettings": {"text": ""},
        },
    )


def shown(obs: Obs) -> str:
    settings = obs.ask("GetInputSettings", {"inputName": SOURCE})["inputSettings"]
    return str(settings.get("text", ""))


@pytest.mark.slow
def test_the_text_source_shows_what_is_said_and_is_found_again_after_obs_was_gone(
    obs: Obs,
) -> None:
    add_text_source(obs)
    notices: list[Notice] = []
    sink = ObsSink(port=obs.port, password=PASSWORD, text_source=SOURCE, tell=notices.append)
    sink.open(HEADER)
    sink.update(partial(0, 0, "good", " morning"), 0.0)
    assert eventually(lambda: shown(obs) == "good morning")
    sink.update(final(0, 1, "good morning everybody"), 0.0)
    assert eventually(lambda: shown(obs) == "good morning everybody")
    assert notices == []

    obs.stop()
    assert eventually(lambda: [each.code for each in notices] == ["obs.away"])
    assert PASSWORD not in str(notices)
    sink.update(final(1, 0, "back again"), 0.0)
    obs.start()
    inputs = obs.ask("GetInputList")["inputs"]
    if not any(each["inputName"] == SOURCE for each in inputs):
        add_text_source(obs)  # a killed OBS may not have saved its scene
    sink.update(final(2, 0, "and on"), 0.0)
    assert eventually(lambda: "and on" in shown(obs)), notices
    assert eventually(lambda: notices[-1].code == "obs.connected"), notices
    sink.close(SUMMARY)
    assert shown(obs) == ""


@pytest.mark.slow
def test_a_source_that_is_not_there_is_told(obs: Obs) -> None:
    notices: list[Notice] = []
    streams: list[bool] = []
    sink = ObsSink(
        port=obs.port,
        password=PASSWORD,
        text_source=SOURCE,
        tell=notices.append,
        streaming=streams.append,
    )
    sink.open(HEADER)
    sink.update(final(0, 0, "hello"), 0.0)
    assert eventually(lambda: [each.code for each in notices] == ["obs.no_source"]), notices
    add_text_source(obs)
    sink.update(final(1, 0, "hello again"), 0.0)
    assert eventually(lambda: notices[-1].code == "obs.connected"), notices
    assert streams == [False]
    sink.close(SUMMARY)


@pytest.mark.slow
def test_a_wrong_password_is_one_notice_with_a_remedy(obs: Obs) -> None:
    notices: list[Notice] = []
    sink = ObsSink(port=obs.port, password="guess", text_source=SOURCE, tell=notices.append)
    sink.open(HEADER)
    assert eventually(lambda: bool(notices))
    sink.close(SUMMARY)
    assert [each.code for each in notices] == ["obs.refused"]
    assert notices[0].remedy
    assert "guess" not in str(notices)


def test_an_obs_that_is_not_there_is_one_notice_and_holds_nothing_up() -> None:
    notices: list[Notice] = []
    sink = ObsSink(port=free_port(), tell=notices.append)
    sink.open(HEADER)
    for number in range(100):
        sink.update(final(number, 0, "hello"), 0.0)
    assert eventually(lambda: [each.code for each in notices] == ["obs.away"])
    sink.close(SUMMARY)


def test_closed_captions_are_rows_of_at_most_32_characters_of_latin_text() -> None:
    text = "Wait… she said it’s naïve to think 字幕 that “Łódź” is — in the end — so far away."
    rows = caption_rows(text)
    assert all(0 < len(row) <= 32 for row in rows)
    assert all(character <= "\u00ff" for row in rows for character in row)
    assert " ".join(rows).startswith("Wait... she said it's naïve to think that")
    assert caption_rows("字幕") == []
