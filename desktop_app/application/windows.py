"""The windows beside the captions: made when first asked for, one of each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from desktop_app.ui.theme import Theme, theme_for

if TYPE_CHECKING:
    from desktop_app.application.caption_app import CaptionApp


class _Themed(Protocol):
    def set_theme(self, theme: Theme) -> None: ...


@runtime_checkable
class _Keeping(Protocol):
    """A window that goes on where the one before it was left."""

    def kept(self) -> Any: ...
    def take_back(self, kept: Any) -> None: ...


class Windows(QObject):
    """Opens them, keeps them in the look of the settings, closes them.

    Args:
        app: what the windows show and change.
    """

    def __init__(self, app: CaptionApp) -> None:
        super().__init__(app)
        self._app = app
        self._open: dict[str, QWidget] = {}

    def opened(self, kind: str) -> QWidget | None:
        """The window of that kind; None where it was not opened yet."""
        return self._open.get(kind)

    def show(self, kind: str) -> None:
        """Open a window, or bring it to the front.

        Args:
            kind: a key of ``MAKERS``.
        """
        window = self._open.get(kind)
        if window is None:
            window = self._open[kind] = MAKERS[kind](self._app)
        window.show()
        window.raise_()
        window.activateWindow()

    def restyle(self) -> None:
        """Take the colours that the settings and the desktop ask for."""
        theme = theme_for(self._app.settings)
        for window in self._open.values():
            cast(_Themed, window).set_theme(theme)

    def renew(self) -> None:
        """Make each window anew where it stands, since its texts were in another language."""
        for kind, old in list(self._open.items()):
            shown, place = old.isVisible(), old.geometry()
            kept = old.kept() if isinstance(old, _Keeping) else None
            self._forget(kind)
            if shown:
                self.show(kind)
                new = self._open[kind]
                new.setGeometry(place)
                if isinstance(new, _Keeping):
                    new.take_back(kept)

    def close(self) -> None:
        """Close them all."""
        for kind in list(self._open):
            self._forget(kind)

    def _forget(self, kind: str) -> None:
        window = self._open.pop(kind)
        window.close()
        window.deleteLater()


def _diagnostics(app: CaptionApp) -> QWidget:
    from desktop_app.ui.diagnostics import Diagnostics

    notices = app.overlay.notices
    return Diagnostics(
        app.stats,
        theme_for(app.settings),
        settings=partial(getattr, app, "settings"),
        notices=partial(getattr, notices, "recent"),
    )


def _models(app: CaptionApp) -> QWidget:
    from desktop_app.ui.model_window import ModelWindow

    return ModelWindow(app.models, theme_for(app.settings))


def _first_run(app: CaptionApp) -> QWidget:
    from desktop_app.ui.first_run import FirstRun

    return FirstRun(app, theme_for(app.settings))


def _settings(app: CaptionApp) -> QWidget:
    from desktop_app.ui.settings_window import SettingsWindow

    return SettingsWindow(app, theme_for(app.settings))


def _transcript(app: CaptionApp) -> QWidget:
    return app.keeping.make_window()


def _obs_guide(app: CaptionApp) -> QWidget:
    return app.serving.make_guide()


MAKERS: dict[str, Callable[[CaptionApp], QWidget]] = {
    "diagnostics": _diagnostics,
    "settings": _settings,
    "transcript": _transcript,
    "obs_guide": _obs_guide,
    "models": _models,
    "first_run": _first_run,
}
"""How each kind is made. A window also has ``set_theme(theme)``; one with ``kept()`` and
``take_back(kept)`` is told where the one before it stood when the language changes."""
