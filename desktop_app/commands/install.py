"""Models on their way to this machine, with a progress bar where somebody watches."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from desktop_app.console import complain
from desktop_app.mirror import use_chosen_mirror
from models.catalogue import Catalogue
from models.errors import ModelDamagedError, ModelMissingError
from models.spec import ModelFiles, ModelSpec
from models.store import ModelStore

if TYPE_CHECKING:
    from engine.config import Denoise


def recognizer(catalogue: Catalogue, model_id: str | None) -> ModelSpec:
    """The recogniser of that id, or the default one.

    Raises:
        UnknownModelError: no such model.
        UsageError: the model is no recogniser.
    """
    from engine.errors import UsageError

    spec = catalogue.get(model_id or catalogue.default)
    if spec.kind != "recognizer":
        ids = ", ".join(known.id for known in catalogue.recognizers())
        raise UsageError(f"{spec.id} does not turn speech into words", f"use {ids}")
    return spec


def installed(spec: ModelSpec, store: ModelStore) -> ModelFiles:
    """The model's files, fetched first where they are missing or damaged.

    Raises:
        ModelError: they could not be had.
    """
    try:
        return store.files(spec)
    except ModelMissingError:
        pass
    except ModelDamagedError as error:
        complain(f"{error.message}; fetching it again")
    return fetch(spec, store)


def denoiser(denoise: Denoise, catalogue: Catalogue, store: ModelStore) -> ModelFiles | None:
    """What takes out that much noise, fetched first where it is missing; None for none.

    Raises:
        ModelError: it could not be had.
    """
    from engine.config import DENOISERS

    if denoise == "off":
        return None
    return installed(catalogue.get(DENOISERS[denoise]), store)


def punctuator(wanted: bool, catalogue: Catalogue, store: ModelStore) -> ModelFiles | None:
    """What sets full stops and commas, fetched first where it is missing; None for none.

    Raises:
        ModelError: it could not be had.
    """
    from engine.config import PUNCTUATOR

    return installed(catalogue.get(PUNCTUATOR), store) if wanted else None


def fetch(spec: ModelSpec, store: ModelStore) -> ModelFiles:
    """Download and check the model; shows progress on standard error.

    Raises:
        ModelError: it could not be had.
    """
    from models.download import install

    use_chosen_mirror()
    if not sys.stderr.isatty():
        complain(f"fetching {spec.id} ({spec.size / 1e6:.0f} MB) ...")
        return install(spec, store, _Lines(spec.id))
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(spec.id, total=None)

        def report(done: int, total: int, what: str) -> None:
            # The bar has a column for the speed.
            bar.update(task, completed=done, total=total or None, description=what.split(",")[0])

        return install(spec, store, report)


class _Lines:
    """A line for each quarter of the way, where nobody sees a bar."""

    def __init__(self, model_id: str) -> None:
        self._model_id = model_id
        self._told = 0

    def __call__(self, done: int, total: int, what: str) -> None:
        quarter = 4 * done // total if total else 0
        if self._told < quarter < 4:
            self._told = quarter
            complain(f"{self._model_id}: {25 * quarter} % of {total / 1e6:.0f} MB, {what}")
