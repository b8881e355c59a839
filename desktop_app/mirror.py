"""Where models are fetched from, as the settings say."""

from __future__ import annotations


def use_chosen_mirror() -> None:
    """Have models fetched from the mirror in the settings file, if one is set there."""
    from desktop_app.settings.store import SettingsStore
    from models.hub import use_mirror

    use_mirror(SettingsStore().load().models_mirror)
