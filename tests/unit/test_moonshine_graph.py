"""The lean graphs against the network as it was published, on the real weights and real speech."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from fixtures_recordings import Recordings
from numpy.typing import NDArray

from engine.recognizers import moonshine
from engine.recognizers import moonshine_graph as graphs
from engine.recognizers.moonshine import MoonshineRecognizer
from engine.recognizers.moonshine_weights import PublishedGraph
from engine.runtime import open_session
from engine.types import Samples
from models import catalogue
from models.spec import ModelFiles
from models.store import ModelStore

pytestmark = pytest.mark.slow

LAYERS = 6
START, END = 1, 2
ROUNDING = 1e-4
"""Natural log units by which two orders of the same float sums may differ."""

Array = NDArray[np.float32]


@pytest.fixture(scope="module")
def files() -> ModelFiles:
    return ModelStore().files(catalogue.load().get("moonshine-tiny-en"))


@pytest.fixture(scope="module")
def speech(recordings: Recordings) -> Samples:
    samples: Samples = soundfile.read(
        recordings.named("ljspeech_LJ001-0013").path, dtype="float32"
    )[0]
    return samples


class Published:
    """The network as it came, run as its makers run it."""

    def __init__(self, files: ModelFiles) -> None:
        self.encoder = open_session(files.path("encoder_model.ort"))
        self.decoder = open_session(files.path("decoder_model_merged.ort"))
        self.past_names = [
            value.name
            for value in self.decoder.get_inputs()
            if value.name.startswith("past_key_values")
        ]
        self.outputs = [value.name for value in self.decoder.get_outputs()]

    def encode(self, audio: Samples) -> Array:
        mask = np.ones((1, audio.size), np.int64)
        hidden: Array = self.encoder.run(
            None, {"input_values": audio[None], "attention_mask": mask}
        )[0]
        return hidden

    def step(
        self, ids: list[int], hidden: Array, samples: int, past: dict[str, Array] | None = None
    ) -> tuple[Array, dict[str, Array]]:
        """Log probabilities (n, vocabulary) and what is to be remembered."""
        feeds: dict[str, Any] = {
            "input_ids": np.array([ids], np.int64),
            "encoder_hidden_states": hidden,
            "encoder_attention_mask": np.ones((1, samples), np.int64),
            "use_cache_branch": np.array([past is not None]),
        }
        nothing = np.zeros((1, 8, 0, 36), np.float32)
        feeds |= past or dict.fromkeys(self.past_names, nothing)
        got = dict(zip(self.outputs, self.decoder.run(None, feeds), strict=True))
        # With a past the published decoder gives no encoder part back: it does not change.
        present = {
            name: past[name]
            if past is not None and ".encoder." in name
            else got[name.replace("past_key_values", "present")]
            for name in self.past_names
        }
        return log_softmax(got["logits"][0]), present

    def memory(self, present: dict[str, Array]) -> dict[str, Array]:
        """Cross-attention keys and values in the layout of the lean graphs."""

        def stack(part: str) -> Array:
            return np.stack(
                [present[f"past_key_values.{i}.encoder.{part}"][0] for i in range(LAYERS)]
            )

        return {"keys": stack("key").transpose(0, 1, 3, 2), "values": stack("value")}


def log_softmax(logits: Array) -> Array:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    result: Array = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return result


@dataclass(frozen=True)
class Heard:
    """What the published network makes of the speech, greedily.

    Attributes:
        ids: start token and all it wrote.
        memory: cross-attention keys and values, in the lean layout.
        hidden: the encoder's output.
        logp: after each of ``ids``, all of them fed at once.
    """

    ids: list[int]
    memory: dict[str, Array]
    hidden: Array
    logp: Array


@pytest.fixture(scope="module")
def published(files: ModelFiles) -> Published:
    return Published(files)


@pytest.fixture(scope="module")
def heard(published: Published, speech: Samples) -> Heard:
    hidden = published.encode(speech)
    logp, past = published.step([START], hidden, speech.size)
    memory = published.memory(past)
    ids = [START]
    while (token := int(logp[-1].argmax())) != END and len(ids) < 40:
        ids.append(token)
        logp, past = published.step([token], hidden, speech.size, past)
    logp, _ = published.step(ids, hidden, speech.size)
    return Heard(ids, memory, hidden, logp)


@dataclass(frozen=True)
class Sources:
    """The published graphs, opened for their weights."""

    encoder: PublishedGraph
    decoder: PublishedGraph


@pytest.fixture(scope="module")
def sources(files: ModelFiles) -> Sources:
    return Sources(
        PublishedGraph(files.path("encoder_model.ort")),
        PublishedGraph(files.path("decoder_model_merged.ort")),
    )


class Lean(MoonshineRecognizer):
    """A recogniser on graphs built here and now, in one arithmetic."""

    def __init__(self, files: ModelFiles, sources: Sources, arithmetic: graphs.Arithmetic) -> None:
        super().__init__(files, "cpu")
        self._frontend = open_session(graphs.frontend(sources.encoder))
        self._encoder = open_session(
            graphs.encoder(sources.encoder, sources.decoder, arithmetic=arithmetic)
        )
        self._decoder = open_session(graphs.decoder(sources.decoder, arithmetic=arithmetic))


@pytest.fixture(scope="module")
def lean(files: ModelFiles, sources: Sources) -> dict[str, Lean]:
    return {
        "unsigned": Lean(files, sources, "unsigned"),
        "signed": Lean(files, sources, "signed"),
        "float": Lean(files, sources, "float"),
    }


def distance(one: Array, other: Array) -> float:
    """Root mean square of the difference, in units of the other's."""
    return float(np.sqrt(np.mean((one - other) ** 2) / np.mean(other**2)))


def chosen(logp: Array, top: NDArray[np.int64]) -> Array:
    result: Array = np.take_along_axis(logp, top, axis=-1)
    return result


def test_the_recording_is_understood(heard: Heard, lean: dict[str, Lean]) -> None:
    text = lean["unsigned"].text(heard.ids[1:])
    assert text == "Then in the same operations with ugly ones."


@pytest.mark.parametrize("part", ["keys", "values"])
def test_the_encoder_is_the_published_one(
    heard: Heard, lean: dict[str, Lean], speech: Samples, part: str
) -> None:
    unsigned = lean["unsigned"].encode(*lean["unsigned"].features(speech))[part]
    exact = lean["float"].encode(*lean["float"].features(speech))[part]
    assert unsigned.shape == heard.memory[part].shape
    # Sums in another order tip a rounding to 8 bits here and there. That is noise of the size of
    # the rounding itself, which the same weights without it measure.
    noise = distance(exact, heard.memory[part])
    assert 0 < noise < 0.12
    assert distance(unsigned, heard.memory[part]) < 1.6 * noise


def test_the_decoder_is_the_published_one_token_by_token(
    published: Published, heard: Heard, lean: dict[str, Lean], speech: Samples
) -> None:
    decoder = lean["unsigned"]
    logp, past = published.step([START], heard.hidden, speech.size)
    ours, top, _, present = decoder.step([START], heard.memory)
    gaps = []
    for token in [*heard.ids[1:], END]:
        gaps.append(float(np.abs(ours[-1] - chosen(logp, top)[-1]).max()))
        assert int(top[-1, 0]) == int(logp[-1].argmax()) == token
        # The same past for both, so that a rounding that tips does not add up.
        shared = np.stack(
            [
                np.stack(
                    [past[f"past_key_values.{i}.decoder.{part}"][0] for part in ("key", "value")]
                )
                for i in range(LAYERS)
            ]
        )
        np.testing.assert_allclose(present, shared, atol=2e-3)
        logp, past = published.step([token], heard.hidden, speech.size, past)
        ours, top, _, present = decoder.step([token], heard.memory, shared)
    assert np.median(gaps) < ROUNDING
    assert max(gaps) < 0.3


def test_the_decoder_is_the_published_one_all_at_once(heard: Heard, lean: dict[str, Lean]) -> None:
    logp, top, _, _ = lean["unsigned"].step(heard.ids, heard.memory)
    assert top[:, 0].tolist() == heard.logp.argmax(axis=-1).tolist()
    np.testing.assert_allclose(logp, chosen(heard.logp, top), atol=ROUNDING)


def test_a_past_changes_nothing_without_quantised_activations(
    heard: Heard, lean: dict[str, Lean]
) -> None:
    decoder = lean["float"]
    whole, whole_top, whole_attention, whole_present = decoder.step(heard.ids, heard.memory)
    past = None
    rows, attention = [], []
    for piece in (heard.ids[:3], heard.ids[3:4], heard.ids[4:]):
        logp, _, looked, past = decoder.step(piece, heard.memory, past)
        rows.append(logp)
        attention.append(looked)
    np.testing.assert_allclose(np.concatenate(rows), whole, atol=1e-3)
    np.testing.assert_allclose(np.concatenate(attention, axis=1), whole_attention, atol=1e-4)
    np.testing.assert_allclose(past, whole_present, atol=1e-3)
    assert whole_top.shape == (len(heard.ids), graphs.TOP)


def test_only_the_rows_asked_for_are_given(heard: Heard, lean: dict[str, Lean]) -> None:
    whole, top, _, _ = lean["unsigned"].step(heard.ids, heard.memory)
    part, part_top, attention, present = lean["unsigned"].step(heard.ids, heard.memory, first_row=4)
    assert part_top.tolist() == top[4:].tolist()
    # The last projection quantises what it is given, and is given fewer rows.
    np.testing.assert_allclose(part, whole[4:], atol=0.3)
    assert attention.shape[1] == len(heard.ids)
    assert present.shape[3] == len(heard.ids)


def test_the_alternatives_come_in_order_and_attention_is_a_distribution(
    heard: Heard, lean: dict[str, Lean]
) -> None:
    logp, _, attention, _ = lean["unsigned"].step(heard.ids, heard.memory)
    assert (np.diff(logp, axis=1) <= 0).all()
    assert logp.max() <= 0
    frames = heard.memory["keys"].shape[-1]
    assert attention.shape == (len(graphs.ALIGNED_HEADS), len(heard.ids), frames)
    np.testing.assert_allclose(attention.sum(axis=-1), 1.0, atol=1e-4)


def test_signed_and_unsigned_are_the_same_to_the_bit(
    heard: Heard, lean: dict[str, Lean], speech: Samples, tmp_path: Path
) -> None:
    if not moonshine._signed_is_exact(tmp_path):
        pytest.skip("this processor saturates where signed weights are multiplied")
    one, other = lean["unsigned"], lean["signed"]
    features = one.features(speech)
    memory = one.encode(*features)
    for part, value in other.encode(*features).items():
        np.testing.assert_array_equal(value, memory[part])
    for mine, theirs in zip(
        one.step(heard.ids, memory), other.step(heard.ids, memory), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)


def test_the_probe_tells_exact_from_saturating(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "prepared"
    session = open_session(graphs.signed_probe())
    (product,) = session.run(None, {"probe": np.ones((1, 64), np.float32)})
    exact = abs(float(product[0, 0]) - 64 * 127) < 1
    assert moonshine._signed_is_exact(folder) is exact
    (kept,) = folder.iterdir()
    with monkeypatch.context() as patch:
        patch.setattr(graphs, "signed_probe", lambda: pytest.fail("it was kept"))
        assert moonshine._signed_is_exact(folder) is exact
    kept.write_bytes(b"rubbish")
    assert moonshine._signed_is_exact(folder) is exact

    class Saturating:
        """Adds pairs of products in 16 bits: 255 * 127 * 2 does not fit."""

        def run(self, outputs: None, feeds: dict[str, Array]) -> list[Array]:
            del outputs, feeds
            return [np.array([[32 * 32_767 / 255]], np.float32)]

    monkeypatch.setattr(moonshine, "open_session", lambda *_: Saturating())
    assert not moonshine._signed_is_exact(folder)


@pytest.mark.parametrize(
    "cuts",
    [
        [2_000, 2_511, 5_000, 5_100, 5_200, 20_000, 20_001, 41_000],
        [1_600, 1_900, 2_300, 9_999, 30_000, 30_384, 41_000],
        list(range(1_600, 41_000, 1_536)),
    ],
)
def test_the_front_end_is_the_same_however_the_window_grew(
    files: ModelFiles, speech: Samples, cuts: list[int]
) -> None:
    recognizer = MoonshineRecognizer(files, "cpu")
    stream = recognizer.stream()
    for cut in cuts:
        features, sums, squares = stream._front(speech[:cut])
        whole, whole_sums, whole_squares = recognizer.features(speech[:cut])
        # The last one or two may wait until there is enough sound behind them.
        count = features.shape[2]
        assert whole.shape[2] - 1 <= count <= whole.shape[2]
        np.testing.assert_allclose(features, whole[:, :, :count], atol=1e-4)
        np.testing.assert_allclose(sums, whole_sums[: sums.size], atol=1e-3)
        np.testing.assert_allclose(squares, whole_squares[: squares.size], atol=1e-3)


def test_the_front_end_starts_afresh_where_the_window_was_cut(
    files: ModelFiles, speech: Samples
) -> None:
    recognizer = MoonshineRecognizer(files, "cpu")
    stream = recognizer.stream()
    stream._front(speech[:30_000])
    features, _, _ = stream._front(speech[10_000:36_000])
    np.testing.assert_array_equal(features, recognizer.features(speech[10_000:36_000])[0])


# -- the prepared files ---------------------------------------------------------------------


@pytest.fixture
def own_copy(files: ModelFiles, tmp_path: Path) -> ModelFiles:
    """The model in a folder of this test's, with nothing prepared."""
    folder = tmp_path / "model"
    folder.mkdir()
    for file in files.spec.files:
        shutil.copy(files.path(file.name), folder / file.name)
    return replace(files, folder=folder, writable_folder=None)


def words(recognizer: MoonshineRecognizer, speech: Samples) -> str:
    hypothesis = recognizer.stream().decode(speech)
    return recognizer.text([token.id for token in hypothesis.tokens])


def test_prepared_files_are_made_once_and_made_anew_when_damaged(
    own_copy: ModelFiles, speech: Samples
) -> None:
    text = words(MoonshineRecognizer(own_copy, "cpu"), speech)
    made = sorted(own_copy.prepared.iterdir())
    assert len(made) == 4
    assert all(path.suffix == ".onnx" for path in made), "something half-made was left"
    contents = {path: path.read_bytes() for path in made}
    stamps = {path: path.stat().st_mtime_ns for path in made}
    assert words(MoonshineRecognizer(own_copy, "cpu"), speech) == text
    assert {path: path.stat().st_mtime_ns for path in made} == stamps

    whole = made[0].read_bytes()
    for damage in (whole[: len(whole) // 2], b"no graph at all"):
        made[0].write_bytes(damage)
        assert words(MoonshineRecognizer(own_copy, "cpu"), speech) == text
        assert {path: path.read_bytes() for path in made} == contents
    assert sorted(own_copy.prepared.iterdir()) == made


def test_a_folder_that_cannot_be_written_costs_time_only(
    own_copy: ModelFiles, speech: Samples, files: ModelFiles
) -> None:
    # A file where the folder should be: not even an administrator can write there.
    own_copy.prepared.write_text("in the way", encoding="utf-8")
    assert words(MoonshineRecognizer(own_copy, "cpu"), speech) == words(
        MoonshineRecognizer(files, "cpu"), speech
    )
    assert own_copy.prepared.read_text(encoding="utf-8") == "in the way"


def test_a_read_only_model_is_prepared_elsewhere(own_copy: ModelFiles, tmp_path: Path) -> None:
    before = sorted(own_copy.folder.iterdir())
    elsewhere = replace(own_copy, writable_folder=tmp_path / "not there yet")
    MoonshineRecognizer(elsewhere, "cpu")
    assert sorted(own_copy.folder.iterdir()) == before
    assert len(list(elsewhere.prepared.iterdir())) == 4


def test_a_processor_that_saturates_gets_the_unsigned_graphs(
    own_copy: ModelFiles, speech: Samples, files: ModelFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moonshine, "_signed_is_exact", lambda _: False)
    text = words(MoonshineRecognizer(own_copy, "cpu"), speech)
    assert text == words(MoonshineRecognizer(files, "cpu"), speech)
    names = {path.name.split(".")[0] for path in own_copy.prepared.iterdir()}
    assert names == {"frontend", "encoder-unsigned", "decoder-unsigned"}
