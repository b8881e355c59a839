"""``captionglass models``: list, fetch, add, check and remove weights."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from desktop_app import __version__
from desktop_app.commands.install import fetch
from desktop_app.console import EXIT_DONE, EXIT_FAILED, complain, say
from desktop_app.interrupts import Interrupts
from engine.bench.measured import MeasuredFile
from models.catalogue import load
from models.errors import ModelDamagedError, ModelError, ModelMissingError
from models.languages import UNKNOWN, fit
from models.spec import ModelSpec
from models.store import ModelStore

_SHOWN_LANGUAGES = 4


def list_models(*, as_json: bool = False, language: str = "", installed_only: bool = False) -> int:
    """Print known models and their state.

    Args:
        as_json: as one document.
        language: only those that caption it; empty for all.
        installed_only: only those that are here.

    Raises:
        UnknownModelError: no model captions that language.
    """
    catalogue = load()
    store = ModelStore()
    rows = [(spec, _state(spec, store)) for spec in catalogue]
    here = [spec.id for spec, state in rows if state == "installed"]
    marked = catalogue.best_for(language, here).id
    shown = [
        (spec, state)
        for spec, state in rows
        if (not language or fit(language, spec.languages))
        and (not installed_only or state != "not installed")
    ]
    speeds = MeasuredFile()
    cores = {spec.id: _cores(spec, speeds) for spec, _ in shown}
    if as_json:
        say(
            json.dumps(
                [
                    {
                        "id": spec.id,
                        "title": spec.title,
                        "kind": spec.kind,
                        "family": spec.family,
                        "languages": list(spec.languages),
                        "licence": spec.licence,
                        "bytes": spec.size,
                        "state": state,
                        "default": spec.id == catalogue.default,
                        "pinned": _known(spec, store).pinned,
                        "streaming": spec.streaming,
                        "good_for": spec.good_for,
                        "derived_from": spec.derived_from or None,
                        "folder": None if spec.folder is None else str(spec.folder),
                        "cores_here": cores[spec.id],
                    }
                    for spec, state in shown
                ],
                ensure_ascii=False,
                indent=2,
            )
        )
        return EXIT_DONE
    width = max((len(spec.id) for spec, _ in shown), default=0)
    for spec, state in shown:
        mark = "*" if spec.id == marked else " "
        known = _known(spec, store)
        size = f"{'' if known.pinned else '~'}{known.size / 1e6:.0f} MB"
        notes = [spec.good_for or spec.title]
        if not known.pinned:
            notes.append("not pinned yet")
        if cores[spec.id] is not None:
            notes.append(f"{cores[spec.id]:.2f} cores here")
        say(
            f"{mark} {spec.id:<{width}}  {size:>8}  {state:<13}  {_languages(spec):<11}  "
            f"{spec.licence:<12}  {'; '.join(notes)}"
        )
    return EXIT_DONE


def add_model(
    folder: Path, *, model_id: str = "", languages: Sequence[str] = (), copy: bool = False
) -> int:
    """Make a folder of the user's own a model.

    Raises:
        ModelError: it is none that is known, something is missing, the id is taken.
    """
    from models.folder import add

    store = ModelStore()
    taken = [spec.id for spec in load()]
    with Interrupts():
        files = add(folder, store, taken, model_id=model_id, languages=languages, copy=copy)
    spec = files.spec
    where = f"copied into {files.folder}" if copy else f"used where it lies, in {files.folder}"
    say(f"{spec.id} is a model for {spec.family} ({_languages(spec)}), {where}")
    if spec.languages == (UNKNOWN,):
        complain(f"nobody said what {spec.id} captions: add it with --language to have it offered")
    return EXIT_DONE


def get_models(ids: Sequence[str]) -> int:
    """Fetch models; what is installed and whole already stays.

    Raises:
        ModelError: unknown, or could not be had.
    """
    catalogue = load()
    specs = [catalogue.get(model_id) for model_id in ids]
    store = ModelStore()
    with Interrupts():
        for spec in specs:
            if _state(spec, store) == "installed":
                say(f"{spec.id} is installed already")
                continue
            files = fetch(spec, store)
            say(f"{spec.id} is installed in {files.folder}")
    return EXIT_DONE


def verify_models(ids: Sequence[str]) -> int:
    """Check the sha256 of every file; returns 1 where one is damaged or missing.

    Raises:
        UnknownModelError: no such model.
    """
    catalogue = load()
    store = ModelStore()
    specs = [catalogue.get(model_id) for model_id in ids] or [
        spec for spec in catalogue if _state(spec, store) != "not installed"
    ]
    if not specs:
        say("no model is installed")
    code = EXIT_DONE
    for spec in specs:
        try:
            store.verify(spec)
        except ModelError as error:
            complain(str(error))
            code = EXIT_FAILED
        else:
            say(f"{spec.id} is whole")
    return code


def remove_models(ids: Sequence[str]) -> int:
    """Remove models.

    Raises:
        UnknownModelError: no such model.
        ModelError: its files cannot be removed.
    """
    catalogue = load()
    specs = [catalogue.get(model_id) for model_id in ids]
    store = ModelStore()
    for spec in specs:
        was_there = _state(spec, store) != "not installed"
        store.remove(spec)
        if spec.folder is not None:
            say(f"{spec.id} is removed; {spec.folder} stays as it is")
        else:
            say(f"{spec.id} is removed" if was_there else f"{spec.id} was not installed")
    return EXIT_DONE


def _languages(spec: ModelSpec) -> str:
    """The first few, short enough for a column."""
    if len(spec.languages) <= _SHOWN_LANGUAGES:
        return ",".join(spec.languages) or "-"
    return f"{','.join(spec.languages[:2])} +{len(spec.languages) - 2}"


def _known(spec: ModelSpec, store: ModelStore) -> ModelSpec:
    """The model as its pins tell, where they are here."""
    try:
        return store.files(spec).spec
    except ModelError:
        return spec


def _cores(spec: ModelSpec, speeds: MeasuredFile) -> float | None:
    found = speeds.load(spec.id, __version__)
    return None if found is None else round(found.stops["balanced"].cores, 3)


def _state(spec: ModelSpec, store: ModelStore) -> str:
    try:
        store.files(spec)
    except ModelMissingError:
        return "not installed"
    except ModelDamagedError:
        return "damaged"
    return "installed"
