"""Presets without a window: what one sets is heard by the session, and what cannot be had changes
nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fixtures_session import FakeSession

from desktop_app.serve.controller import Appearance, NotNowError
from desktop_app.serve.engine_controller import EngineController, appearance_of
from desktop_app.settings.declared import Settings
from desktop_app.settings.presets import Preset, PresetStore
from engine.config import EngineConfig, LatencyProfile
from engine.errors import UsageError


class Shelf:
    """Two models, of which one is installed."""

    def files(self, model_id: str) -> Any:
        if model_id == "away":
            raise NotNowError("away is not installed", "captionglass models get away")
        return SimpleNamespace(spec=SimpleNamespace(id=model_id))


class Session(FakeSession):
    """Remembers what it was given."""

    def swap_source(self, index: int, source: Any) -> None:
        self.calls.append(f"source {index} {source.description}")

    def swap_model(self, files: Any, at: float = 0.0, provider: Any = None) -> None:
        del at, provider
        self.calls.append(f"model {files.spec.id}")


@pytest.fixture
def store(tmp_path: Path) -> PresetStore:
    found = PresetStore(tmp_path / "presets.toml")
    found.save(Preset("Talk", {"source": "system", "model": "big", "profile": 75.0, "lines": 5}))
    found.save(Preset("Later", {"source": "system", "model": "away"}))
    found.save(Preset("A file", {"source": "/etc/passwd"}))
    return found


@pytest.fixture
def controller(store: PresetStore) -> EngineController:
    sessions: list[Session] = []

    def make(config: EngineConfig, sources: Sequence[Any]) -> Any:
        del sources
        sessions.append(Session(config, ()))
        sessions[-1].run()
        return sessions[-1]

    def look() -> Appearance:
        preset = made.preset
        return appearance_of(preset.used_on(Settings()) if preset is not None else Settings())

    source = SimpleNamespace(lane="mic", description="a device", stop=lambda: None)
    made = EngineController(
        some_config(),
        "mic",
        lambda _: [source],
        make,
        Shelf(),
        look,
        lambda: store,  # type: ignore[arg-type]
    )
    made.start()
    return made


def some_config() -> EngineConfig:
    files: Any = SimpleNamespace(spec=SimpleNamespace(id="small"))
    return EngineConfig(model=files, vad=files, profile=LatencyProfile(50.0))


def test_a_preset_sets_source_model_slider_and_look(controller: EngineController) -> None:
    assert controller.state().preset == ""
    controller.use_preset("talk")
    session: Any = controller.session
    assert session.calls[-3:] == ["source 0 a device", "model big", "set_profile"]
    state = controller.state()
    assert (state.preset, state.source, state.slider) == ("Talk", "system", 75.0)
    assert controller.appearance().lines == 5
    assert [row.name for row in controller.presets() if row.in_use] == ["Talk"]
    before = list(session.calls)
    controller.use_preset("Talk")
    assert session.calls == [*before, "set_profile"], "what is so already is not done again"


@pytest.mark.parametrize(
    ("name", "error"), [("Later", NotNowError), ("Nothing", UsageError), ("A file", UsageError)]
)
def test_what_cannot_be_had_changes_nothing(
    controller: EngineController, name: str, error: type[Exception]
) -> None:
    session: Any = controller.session
    before = list(session.calls)
    with pytest.raises(error):
        controller.use_preset(name)
    assert session.calls == before
    assert (controller.state().source, controller.state().preset) == ("mic", "")
