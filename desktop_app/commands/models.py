"""``captionglass models``: list, fetch, check and remove weights."""

from __future__ import annotations

import json
from collections.abc import Sequence

from desktop_app.commands.install import fetch
from desktop_app.console import EXIT_DONE, EXIT_FAILED, complain, say
from desktop_app.interrupts import Interrupts
from models.catalogue import load
from models.errors import ModelDamagedError, ModelError, ModelMissingError
from models.spec import ModelSpec
from models.store import ModelStore


def list_models(*, as_json: bool = False) -> int:
    """Print every known model and its state."""
    catalogue = load()
    store = ModelStore()
    rows = [(spec, _state(spec, store)) for spec in catalogue]
    if as_json:
        say(
            json.dumps(
                [
                    {
                        "id": spec.id,
                        "title": spec.title,
                        "kind": spec.kind,
                        "languages": list(spec.languages),
                        "licence": spec.licence,
                        "bytes": spec.size,
                        "state": state,
                        "default": spec.id == catalogue.default,
                    }
                    for spec, state in rows
                ],
                ensure_ascii=False,
                indent=2,
            )
        )
        return EXIT_DONE
    width = max(len(spec.id) for spec, _ in rows)
    for spec, state in rows:
        mark = "*" if spec.id == catalogue.default else " "
        languages = ",".join(spec.languages) or "-"
        size = f"{spec.size / 1e6:.0f} MB"
        say(f"{mark} {spec.id:<{width}}  {size:>7}  {state:<13}  {languages:<5}  {spec.title}")
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
        say(f"{spec.id} is removed" if was_there else f"{spec.id} was not installed")
    return EXIT_DONE


def _state(spec: ModelSpec, store: ModelStore) -> str:
    try:
        store.files(spec)
    except ModelMissingError:
        return "not installed"
    except ModelDamagedError:
        return "damaged"
    return "installed"
