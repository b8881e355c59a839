"""The laws of ``CaptionUpdate``, checked over whatever a sink has received."""

from __future__ import annotations

from collections.abc import Iterable

from engine.types import CaptionUpdate


def check_laws(updates: Iterable[CaptionUpdate]) -> None:
    """Every update of a session, in the order published.

    Raises:
        AssertionError: a law is broken; the message names the segment and the law.
    """
    latest: dict[int, CaptionUpdate] = {}
    corrected: set[int] = set()
    newest_id = -1
    for update in updates:
        where = f"segment {update.segment_id} revision {update.revision}"
        before = latest.get(update.segment_id)
        if update.correction:
            assert before is not None, f"{where}: a correction of a line that never was"
            assert before.is_final, f"{where}: a correction of a line not finished"
            assert update.segment_id not in corrected, f"{where}: corrected twice"
            corrected.add(update.segment_id)
        elif before is None:
            assert update.segment_id > newest_id, f"{where}: segment ids do not rise"
            newest_id = update.segment_id
        else:
            assert not before.is_final, f"{where}: the line was finished already"
            assert update.revision > before.revision, f"{where}: revision does not rise"
            assert update.stable.startswith(before.stable), (
                f"{where}: stable is rewritten, {before.stable!r} -> {update.stable!r}"
            )
            assert update.lane == before.lane, f"{where}: the lane changed"
        if update.is_final:
            assert not update.unstable, f"{where}: final with an unstable tail"
        assert update.start <= update.end, f"{where}: ends before it starts"
        _check_words(update, where)
        latest[update.segment_id] = update


def _check_words(update: CaptionUpdate, where: str) -> None:
    if update.words:
        said = "".join(word.text for word in update.words)
        assert "".join(said.split()) == "".join(update.stable.split()), (
            f"{where}: the words {said!r} are not those of {update.stable!r}"
        )
    clock = float("-inf")
    for word in update.words:
        assert word.text == word.text.strip(), f"{where}: {word.text!r} brings its own space"
        assert word.text, f"{where}: an empty word"
        assert clock <= word.start <= word.end, f"{where}: the time of {word.text!r} runs backwards"
        clock = word.start
