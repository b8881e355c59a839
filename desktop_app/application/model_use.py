"""Which model captions, and going over to another one while captions run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from engine.types import Notice

if TYPE_CHECKING:
    from desktop_app.application.caption_app import CaptionApp
    from desktop_app.ui.model_work import ModelWork
    from models.spec import ModelSpec

SWAPPED, REFUSED, SLOW = "model.swapped", "model.swap_failed", "engine.slow"
"""Codes of the engine's notices that are about the model in use."""


class ModelUse(QObject):
    """The one place that changes the model.

    Attributes:
        refused: why a model did not take over, by its id.
        too_slow: id of a model that this computer is too slow for; empty for none.
    """

    changed = Signal()
    """Another model is in use, is being loaded, or was refused."""

    def __init__(self, app: CaptionApp) -> None:
        super().__init__(app)
        self._app = app
        self._work: ModelWork | None = None
        self._asked = ""
        self._when_here: dict[str, bool] = {}
        self.refused: dict[str, Notice] = {}
        self.too_slow = ""

    @property
    def work(self) -> ModelWork:
        """What fetches, removes and adds models."""
        if self._work is None:
            from desktop_app.ui.model_work import ModelWork

            self._work = ModelWork(self)
            self._work.came.connect(self._arrived)
        return self._work

    @property
    def language(self) -> str:
        """BCP 47 code of what is spoken, as the settings say; empty where that is not known."""
        return self._app.settings.language

    @property
    def current(self) -> str:
        """Id of the model that captions, or will once captions run."""
        session = self._app.session
        return (session.stats().model_id if session is not None else "") or self._app.wish().model

    @property
    def coming(self) -> str:
        """Id of the model that is being loaded; empty for none."""
        session = self._app.session
        if session is None:
            return self._app.wish().model if self._app.starting.under_way else ""
        stats = session.stats()
        return stats.next_model_id or (stats.model_id if stats.state == "starting" else "")

    def use(self, model_id: str, *, begin: bool = False) -> None:
        """Caption with another model from now on, and at the next start; it is fetched first where
        it is not here. Where it does not take over, the one before goes on and stays chosen.

        Args:
            model_id: which.
            begin: begin captions where they have never begun.
        """
        from models import catalogue
        from models.errors import CaptionglassError, ModelMissingError
        from models.store import ModelStore

        self.refused.pop(model_id, None)
        self.work.undo(model_id)
        try:
            files = ModelStore().files(catalogue.load().get(model_id))
        except ModelMissingError:
            # The newest wish counts.
            self._when_here = {model_id: begin}
            self.work.get(model_id)
            return
        except CaptionglassError as error:
            self.refused[model_id] = Notice(REFUSED, "error", error.message, error.remedy)
            self.changed.emit()
            return
        self._when_here = {}
        session = self._app.session
        lives = session is not None and session.error is None
        running = self.current
        self._app.override(model=None)
        self._app.change_settings(model=model_id)
        if session is not None and lives and session.stats().state != "stopped":
            if running != model_id or session.stats().next_model_id:
                self._asked = model_id
                session.swap_model(files)
        elif begin or self._app.begun:
            self._app.retry()
        self.changed.emit()

    def installed(self) -> list[ModelSpec]:
        """What could be used at once, as the catalogue has it."""
        from models import catalogue
        from models.store import ModelStore

        store = ModelStore()
        return [spec for spec in catalogue.load().recognizers() if store.installed(spec)]

    def use_next(self) -> None:
        """Go over to the installed model behind the one in use, or the one that is coming."""
        ids = [spec.id for spec in self.installed()]
        now = self.coming or self.current
        if ids and ids != [now]:
            self.use(ids[(ids.index(now) + 1) % len(ids)] if now in ids else ids[0])

    def heed(self, notice: Notice) -> None:
        """Follow what the engine says of models."""
        if notice.code == SWAPPED:
            self._asked = self.too_slow = ""
            self._app.measuring.recall(self.current)
        elif notice.code == REFUSED:
            # It may have been asked for by the settings.
            asked, self._asked = self._asked or self._app.settings.model, ""
            if asked != self.current:
                self.refused[asked] = notice
                self._app.change_settings(model=self.current)
        elif notice.code == SLOW:
            self.too_slow = self.current
        else:
            return
        self.changed.emit()

    def close(self) -> None:
        """Stop what is under way."""
        if self._work is not None:
            self._work.close()

    def _arrived(self, model_id: str) -> None:
        if model_id in self._when_here:
            self.use(model_id, begin=self._when_here[model_id])
