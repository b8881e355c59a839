"""``captionglass models quantize`` and ``compare``: smaller models, and what they cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from desktop_app.console import EXIT_DONE, complain, say
from desktop_app.interrupts import Interrupts
from engine.errors import UsageError
from models.catalogue import load
from models.store import ModelStore


def quantize_model(model_id: str, to: str, *, new_id: str = "") -> int:
    """Make a smaller model of an installed one.

    Raises:
        UnknownModelError, ModelMissingError: there is no such model, or it is not installed.
        UsageError: it cannot be made that.
    """
    from engine.quantize import Precision, quantize

    catalogue, store = load(), ModelStore()
    files = store.files(catalogue.get(model_id))
    taken = [spec.id for spec in catalogue]
    with Interrupts():
        made = quantize(files, cast(Precision, to), store, taken, new_id, complain)
    sizes = f"{made.spec.size / 1e6:.0f} MB, {files.spec.id} has {files.spec.size / 1e6:.0f} MB"
    say(f"{made.spec.id} is made, in {made.folder} ({sizes})")
    return EXIT_DONE


def compare_models(
    ids_and_audio: Sequence[str], reference: Path, *, seconds: float, as_json: bool = False
) -> int:
    """Print a table of models: size, memory, speed, word errors.

    Args:
        ids_and_audio: ids of installed models, and sound files or folders.
        reference: what is said in each.
        seconds: take no more sound than this.
        as_json: as one document.

    Raises:
        UsageError: no model or no sound is named, or there is no such manifest.
        ModelMissingError: a model is not installed.
        CaptionglassError: a model failed, or a recording cannot be read.
    """
    from engine.bench.compare import compare
    from engine.bench.recordings import find, within

    catalogue, store = load(), ModelStore()
    known = {spec.id for spec in catalogue}
    ids = [text for text in ids_and_audio if text in known]
    audio = [Path(text) for text in ids_and_audio if text not in known]
    missing = [path for path in audio if not path.exists()]
    if missing:
        # Neither a model nor a file: most are misspelt ids.
        catalogue.get(str(missing[0]))
    if not ids or not audio:
        raise UsageError(
            "name at least one model and one sound file",
            "captionglass models compare ID... --reference MANIFEST.tsv AUDIO...",
        )
    models = [store.files(catalogue.get(model_id)) for model_id in ids]
    vad = store.files(catalogue.get(catalogue.vad))
    recordings = within(find(audio, reference), seconds)
    with Interrupts():
        report = compare(models, vad, recordings, complain)
    if as_json:
        say(json.dumps(report.as_json(), ensure_ascii=False, indent=2))
    else:
        for line in report.lines():
            say(line)
    return EXIT_DONE
