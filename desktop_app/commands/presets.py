"""``captionglass presets``: bundles of source, model, slider and look, on the command line."""

from __future__ import annotations

import json

from desktop_app.console import EXIT_DONE, complain, say
from desktop_app.settings.presets import Preset, PresetStore, of_settings, preset_of
from desktop_app.settings.store import SettingsStore
from engine.types import Notice


def list_presets(*, as_json: bool = False) -> int:
    """Print a line for each preset."""
    store, settings = PresetStore(), SettingsStore()
    presets = store.presets()
    now = preset_of(settings.load(), presets)
    _tell([*store.notices, *settings.notices])
    if as_json:
        content = [_as_json(preset) | {"in_use": preset.name == now} for preset in presets]
        say(json.dumps(content, ensure_ascii=False, indent=1))
        return EXIT_DONE
    width = max(len(preset.name) for preset in presets)
    for preset in presets:
        mark = "*" if preset.name == now else " "
        values = ", ".join(f"{key} {value}" for key, value in _work(preset).items())
        say(f"{mark} {preset.name:<{width}}  {'own' if preset.own else 'shipped':<7}  {values}")
    return EXIT_DONE


def show_preset(name: str, *, as_json: bool = False) -> int:
    """Print what a preset sets, as it would stand in a file.

    Raises:
        UsageError: there is none of that name.
    """
    store = PresetStore()
    preset = store.find(name)
    _tell(store.notices)
    if as_json:
        say(json.dumps(_as_json(preset), ensure_ascii=False, indent=1))
        return EXIT_DONE
    import tomlkit

    say(tomlkit.dumps({"presets": {preset.name: dict(preset.values)}}).rstrip())
    return EXIT_DONE


def save_preset(name: str) -> int:
    """Keep what the settings file says now.

    Raises:
        CaptionglassError: it is no name, or the file cannot be written.
    """
    store, settings = PresetStore(), SettingsStore()
    preset = of_settings(name, settings.load())
    store.save(preset)
    _tell([*store.notices, *settings.notices])
    say(f"Kept as {preset.name}")
    return EXIT_DONE


def rename_preset(name: str, new: str) -> int:
    """Give a preset another name.

    Raises:
        CaptionglassError: it cannot have it.
    """
    PresetStore().rename(name, new)
    return EXIT_DONE


def delete_preset(name: str) -> int:
    """Delete a preset.

    Raises:
        CaptionglassError: there is none of that name, or it is a shipped one.
    """
    PresetStore().delete(name)
    return EXIT_DONE


def _as_json(preset: Preset) -> dict[str, object]:
    return {"name": preset.name, "own": preset.own, "sets": dict(preset.values)}


def _work(preset: Preset) -> dict[str, object]:
    return {
        key: f"{value:g}" if isinstance(value, float) else value
        for key, value in preset.values.items()
        if key in ("source", "model", "profile")
    }


def _tell(notices: list[Notice]) -> None:
    for notice in notices:
        complain(f"{notice.text}: {notice.remedy}" if notice.remedy else notice.text)
