"""Which model to take instead where one is too much for a machine."""

from __future__ import annotations

from models.catalogue import Catalogue
from models.errors import ModelError
from models.languages import MANY, fit
from models.spec import ModelFiles, ModelSpec
from models.store import ModelStore

_SHARE = 0.8
"""Of the size: what is hardly smaller is hardly quicker."""


class SmallerModels:
    """Smaller ones of the catalogue for the same language.

    Args:
        catalogue: where to look.
        store: says what is installed.
        language: BCP 47 code of what is spoken; empty for whatever the model captions.
    """

    def __init__(self, catalogue: Catalogue, store: ModelStore, language: str = "") -> None:
        self._catalogue = catalogue
        self._store = store
        self._language = language

    def named(self, spec: ModelSpec) -> ModelSpec | None:
        """The one to advise: an installed one before one to be fetched, and then the largest of
        those that are smaller, which errs least; None where there is none."""
        found = [
            (self._store.installed(other), other.size, place)
            for place, other in enumerate(self._catalogue.models)
            if other.kind == "recognizer"
            and 0 < other.size <= _SHARE * spec.size
            and self._speaks(other, spec)
        ]
        return self._catalogue.models[max(found)[2]] if found else None

    def installed(self, spec: ModelSpec) -> ModelFiles | None:
        """The one that could take over at once; None where none is here and whole."""
        other = self.named(spec)
        try:
            return self._store.files(other) if other is not None else None
        except ModelError:
            return None

    def _speaks(self, other: ModelSpec, spec: ModelSpec) -> bool:
        if self._language:
            return fit(self._language, other.languages) > 0
        if MANY in other.languages:
            return True
        return all(fit(language, other.languages) for language in spec.languages)
