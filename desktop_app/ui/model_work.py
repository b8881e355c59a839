"""Fetching, removing and adding models on threads of their own, while windows come and go."""

from __future__ import annotations

import math
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.posting import post
from desktop_app.ui.model_facts import Entry, State, look
from engine.errors import CaptionglassError

if TYPE_CHECKING:
    from models.catalogue import Catalogue

ADDING = "+"
"""Stands for the id of a model that is being added from a folder, and has none yet."""

UNDO_MS = 10_000
_TELL_S = 0.1
_JOIN_S = 3.0
_MOVES_S = 1.5


@dataclass
class Job:
    """A model on its way, or one that did not arrive. Written by its thread, read by any.

    Attributes:
        state: ``running``, ``paused`` or ``failed``.
        done, total: bytes; the total is 0 where it is not known.
        rate: bytes a second, over the last moments.
        waiting: another program installs it, and this one waits.
        error: why it failed.
        moved: when something arrived although it is held, monotonic seconds: a package that is on
            its way comes to its end.
    """

    state: Literal["running", "paused", "failed"] = "running"
    done: int = 0
    total: int = 0
    rate: float = 0.0
    waiting: bool = False
    error: CaptionglassError | None = None
    moved: float = -math.inf
    cancel: threading.Event = field(default_factory=threading.Event)
    keep: threading.Event = field(default_factory=threading.Event)
    pause: threading.Event = field(default_factory=threading.Event)

    @property
    def moves(self) -> bool:
        """Whether it is held and something still arrives."""
        return self.state == "paused" and time.monotonic() - self.moved < _MOVES_S


class ModelWork(QObject):
    """Belongs to the application, so that what is under way goes on when a window closes.

    Attributes:
        entries: all models, as they were when last looked at.
        jobs: those on their way, by id.
        leaving: ids of those that are removed unless that is taken back.
    """

    listed = Signal()
    """``entries`` are others now."""
    changed = Signal(str)
    """Something about a model is otherwise."""
    came = Signal(str)
    """A model has just been installed or added."""
    _looked = Signal(int, object, object)
    _moved = Signal(str)
    _ended = Signal(str, object, str)
    _removed = Signal(str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries: tuple[Entry, ...] = ()
        self.jobs: dict[str, Job] = {}
        self.leaving: dict[str, QTimer] = {}
        self.problem = ""
        self._catalogue: Catalogue | None = None
        self._threads: set[threading.Thread] = set()
        self._round = 0
        self._closed = False
        self._looked.connect(self._take_entries)
        self._moved.connect(self.changed)
        self._ended.connect(self._end)
        self._removed.connect(self._end_removal)

    # What can be asked

    def entry(self, model_id: str) -> Entry | None:
        """What is known of a model; None before it was looked for."""
        return next((entry for entry in self.entries if entry.spec.id == model_id), None)

    def refresh(self) -> None:
        """Look at the disk again; answers by ``listed``."""
        self._round += 1
        self._begin("models-look", self._look, self._round)

    def best_for(self, language: str) -> str:
        """Id of the model to take for a language; empty where none captions it."""
        if self._catalogue is None:
            return ""
        here = [entry.spec.id for entry in self.entries if entry.state == "here"]
        try:
            return self._catalogue.best_for(language, here).id
        except CaptionglassError:
            return ""

    def smaller(self, model_id: str, language: str) -> Entry | None:
        """The model to advise where one is too much for this computer; None where there is none."""
        from models.smaller import SmallerModels
        from models.store import ModelStore

        entry = self.entry(model_id)
        if entry is None or self._catalogue is None:
            return None
        found = SmallerModels(self._catalogue, ModelStore(), language).named(entry.spec)
        return None if found is None else self.entry(found.id)

    def get(self, model_id: str) -> None:
        """Fetch a model, or go on where that broke off."""
        job = self.jobs.get(model_id)
        if job is not None and job.state != "failed":
            self.resume(model_id)
            return
        self.undo(model_id)
        job = self.jobs[model_id] = Job()
        self._begin("models-get", self._get, model_id, job)
        self.changed.emit(model_id)

    def pause(self, model_id: str) -> None:
        """Hold a transfer."""
        job = self.jobs.get(model_id)
        if job is not None and job.state == "running":
            job.state = "paused"
            job.pause.set()
            self.changed.emit(model_id)

    def resume(self, model_id: str) -> None:
        """Go on with a transfer that was held."""
        job = self.jobs.get(model_id)
        if job is not None and job.state == "paused":
            job.state = "running"
            job.pause.clear()
            self.changed.emit(model_id)

    def cancel(self, model_id: str) -> None:
        """Give a transfer up, and what has arrived with it; or forget that one has failed."""
        job = self.jobs.get(model_id)
        if job is None:
            return
        if job.state == "failed":
            del self.jobs[model_id]
        else:
            job.cancel.set()
        self.changed.emit(model_id)

    def discard(self, model_id: str) -> None:
        """Throw away what has arrived of a model that broke off."""
        entry = self.entry(model_id)
        if entry is not None:
            self._begin("models-discard", self._discard, entry)

    def remove(self, model_id: str) -> None:
        """Remove a model in ten seconds, unless that is taken back."""
        if model_id in self.leaving or model_id in self.jobs or self.entry(model_id) is None:
            return
        timer = QTimer(self, singleShot=True, interval=UNDO_MS)
        timer.timeout.connect(partial(self._remove_now, model_id))
        self.leaving[model_id] = timer
        timer.start()
        self.changed.emit(model_id)

    def undo(self, model_id: str) -> None:
        """Do not remove it after all."""
        timer = self.leaving.pop(model_id, None)
        if timer is not None:
            timer.stop()
            timer.deleteLater()
            self.changed.emit(model_id)

    def add(self, folder: Path, language: str = "", copy: bool = False) -> None:
        """Make a folder of the user's own a model.

        Args:
            folder: where it lies.
            language: BCP 47 code it captions; empty for what its files tell.
            copy: take the files into the models folder.
        """
        if ADDING in self.jobs and self.jobs[ADDING].state != "failed":
            return
        job = self.jobs[ADDING] = Job()
        self._begin("models-add", self._add, job, folder, language, copy)
        self.changed.emit(ADDING)

    def close(self) -> None:
        """Stop everything. What has arrived is kept; what was to be removed is removed."""
        self._closed = True
        for job in self.jobs.values():
            job.keep.set()
            job.cancel.set()
        for model_id in list(self.leaving):
            self._remove_now(model_id)
        until = time.monotonic() + _JOIN_S
        for thread in list(self._threads):
            thread.join(max(0.0, until - time.monotonic()))

    # On threads of their own

    def _begin(self, name: str, work: Callable[..., None], *arguments: object) -> None:
        def run() -> None:
            try:
                work(*arguments)
            finally:
                self._threads.discard(thread)

        thread = threading.Thread(target=run, name=name, daemon=True)
        self._threads.add(thread)
        thread.start()

    def _look(self, number: int) -> None:
        from models import catalogue
        from models.store import ModelStore

        try:
            known = catalogue.load()
            entries = look(known, ModelStore())
        except (CaptionglassError, OSError) as error:
            post(self._looked, number, None, str(error))
        else:
            post(self._looked, number, known, entries)

    def _get(self, model_id: str, job: Job) -> None:
        from desktop_app.mirror import use_chosen_mirror
        from models import catalogue
        from models.background import Speed, lower_priority
        from models.download import install
        from models.store import ModelStore

        lower_priority()
        speed = Speed()
        told = 0.0

        def progress(done: int, total: int, what: str) -> None:
            nonlocal told
            if job.pause.is_set() and not what.endswith("paused") and done > job.done:
                job.moved = time.monotonic()
            job.done, job.total, job.waiting = done, total, not total
            job.rate = speed.rate(done)
            if time.monotonic() - told >= _TELL_S:
                told = time.monotonic()
                post(self._moved, model_id)

        def fetch() -> str:
            use_chosen_mirror()
            spec = catalogue.load().get(model_id)
            install(spec, ModelStore(), progress, job.cancel, pause=job.pause, keep=job.keep)
            return model_id

        self._try(model_id, fetch)

    def _add(self, job: Job, folder: Path, language: str, copy: bool) -> None:
        from models import catalogue
        from models.folder import add
        from models.store import ModelStore

        told = 0.0

        def progress(done: int, total: int, what: str) -> None:
            nonlocal told
            del what
            job.done, job.total = done, total
            if time.monotonic() - told >= _TELL_S:
                told = time.monotonic()
                post(self._moved, ADDING)

        def take() -> str:
            taken = [spec.id for spec in catalogue.load()]
            spoken = [language] if language else []
            files = add(
                folder,
                ModelStore(),
                taken,
                languages=spoken,
                copy=copy,
                progress=progress,
                cancel=job.cancel,
            )
            return files.spec.id

        self._try(ADDING, take)

    def _try(self, key: str, work: Callable[[], str]) -> None:
        try:
            came = work()
        except CaptionglassError as error:
            post(self._ended, key, error, "")
        except Exception as error:  # noqa: BLE001 - a bug must reach the row as one line
            said = CaptionglassError(f"something unexpected happened ({type(error).__name__})")
            post(self._ended, key, said, "")
        else:
            post(self._ended, key, None, came)

    def _discard(self, entry: Entry) -> None:
        from models.store import ModelStore

        shutil.rmtree(ModelStore().resume_folder(entry.spec), ignore_errors=True)
        post(self._removed, entry.spec.id, None)

    def _delete(self, entry: Entry) -> None:
        from models.errors import ModelMissingError
        from models.store import ModelStore

        try:
            ModelStore().remove(entry.spec)
        except ModelMissingError:
            post(self._removed, entry.spec.id, None)
        except CaptionglassError as error:
            post(self._removed, entry.spec.id, error)
        else:
            post(self._removed, entry.spec.id, None)

    # Back on Qt's

    def _take_entries(self, number: int, known: Catalogue | None, found: object) -> None:
        if number != self._round:
            return
        if known is None:
            self.problem = str(found)
        else:
            self.problem = ""
            self._catalogue = known
            self.entries = found if isinstance(found, tuple) else ()
        self.listed.emit()

    def _end(self, key: str, error: CaptionglassError | None, came: str) -> None:
        job = self.jobs.get(key)
        if job is None:
            return
        if error is None or job.cancel.is_set():
            del self.jobs[key]
        else:
            job.state, job.error = "failed", error
        if not self._closed:
            if came:
                self._mark(came, "here")
                self.came.emit(came)
            self.refresh()
        self.changed.emit(key)

    def _mark(self, model_id: str, state: State) -> None:
        """Until the disk has been looked at again."""
        self.entries = tuple(
            replace(entry, state=state, removable=state == "here", arrived=0)
            if entry.spec.id == model_id
            else entry
            for entry in self.entries
            if entry.spec.id != model_id or state == "here" or not entry.spec.local
        )
        self.listed.emit()

    def _remove_now(self, model_id: str) -> None:
        entry = self.entry(model_id)
        timer = self.leaving[model_id]
        timer.stop()
        if entry is None:
            self.undo(model_id)
        else:
            self._begin("models-remove", self._delete, entry)

    def _end_removal(self, model_id: str, error: CaptionglassError | None) -> None:
        timer = self.leaving.pop(model_id, None)
        if timer is not None:
            timer.deleteLater()
        if error is not None:
            self.jobs[model_id] = Job("failed", error=error)
        else:
            self._mark(model_id, "afar")
        if not self._closed:
            self.refresh()
        self.changed.emit(model_id)
