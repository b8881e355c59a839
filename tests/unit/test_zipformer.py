"""Streaming k2 exports: the encoder against the same network in numpy, everything against
sherpa-onnx on the very same files, and what a damaged export says."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import sherpa_onnx
import soundfile
import zipformer_export as exports
from fixtures_recordings import Recordings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import helper
from zipformer_graphs import Shape, Stack, Weights, joiner_model
from zipformer_numpy import Reference

from engine.errors import RecognizerError
from engine.recognizers import zipformer
from engine.recognizers.base import Token
from engine.recognizers.zipformer import ZipformerRecognizer
from engine.recognizers.zipformer_export import Layout
from engine.recognizers.zipformer_features import Filterbank
from engine.types import Samples
from models import catalogue
from models.spec import ModelFiles

CALM = settings(
    deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
FRAME_S = 0.04
SMALL: dict[str, Any] = {"stacks": (Stack(8, 1, 1, 7), Stack(8, 1, 2, 7), Stack(8, 1, 4, 7))}


@pytest.fixture(scope="module")
def speech(recordings: Recordings) -> Samples:
    samples, _ = soundfile.read(recordings.named("jfk_ask_not").path, dtype="float32")
    return np.asarray(samples[:48_000])


Build = Callable[..., ModelFiles]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Exports by what they are, each written once."""
    known: dict[str, ModelFiles] = {}

    def build(kind: str, vocabulary: str = "bpe", **more: Any) -> ModelFiles:
        name = f"{kind} {vocabulary} {more}"
        if name not in known:
            known[name] = exports.write(tmp_path_factory.mktemp("k2"), kind, vocabulary, **more)
        return known[name]

    return build


_loaded: dict[Path, ZipformerRecognizer] = {}


def model(files: ModelFiles) -> ZipformerRecognizer:
    """Loaded once, and left as it was by each test."""
    if files.folder not in _loaded:
        _loaded[files.folder] = zipformer.load(files, "cpu")
    return _loaded[files.folder]


def heard(
    recognizer: ZipformerRecognizer, speech: Samples, effort: float = 0.0
) -> tuple[Token, ...]:
    stream = recognizer.stream()
    stream.tune(effort)
    stream.accept(speech)
    return stream.hypothesis().tokens


# -- the network ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["zipformer2", pytest.param("ctc", marks=pytest.mark.slow)])
def test_the_encoder_gives_what_the_same_network_in_numpy_does(
    built: Build, speech: Samples, kind: str
) -> None:
    encoder = model(built(kind)).encoders[0]
    bank = Filterbank(80)
    bank.add(speech)
    reference = Reference(Shape(), Weights(exports.SEED), encoder.width, ctc=kind == "ctc")
    states = list(encoder.fresh)
    for step in range(3):  # beyond the left context
        window = bank.frames(step * encoder.shift, encoder.window)
        frames, states = encoder.step(window, states)
        np.testing.assert_allclose(frames, reference.step(window), rtol=2e-3, atol=2e-4)


# -- sherpa-onnx on the same files ----------------------------------------------------------


def part(files: ModelFiles, name: str) -> str:
    return str(files.folder / next(f.name for f in files.spec.files if f.name.startswith(name)))


def sherpa(
    files: ModelFiles, speech: Samples, *, hotwords: str = "", **options: Any
) -> tuple[list[str], list[float]]:
    """Tokens and their times by ``sherpa_onnx``."""
    tokens = str(files.folder / "tokens.txt")
    if any(file.name.startswith("ctc") for file in files.spec.files):
        recognizer = sherpa_onnx.OnlineRecognizer.from_zipformer2_ctc(
            tokens=tokens, model=part(files, "ctc"), num_threads=1, **options
        )
    else:
        if hotwords:
            path = files.folder.parent / "hotwords.txt"
            path.write_text(hotwords, encoding="utf-8")
            options["hotwords_file"] = str(path)
        recognizer = sherpa_onnx.OnlineRecognizer.from_transducer(
            tokens=tokens,
            encoder=part(files, "encoder"),
            decoder=part(files, "decoder"),
            joiner=part(files, "joiner"),
            num_threads=1,
            **options,
        )
    stream = recognizer.create_stream()
    # It waits for one frame more than it looks at.
    stream.accept_waveform(16_000, np.concatenate((speech, np.zeros(160, np.float32))))
    while recognizer.is_ready(stream):
        recognizer.decode_stream(stream)
    return recognizer.tokens(stream), recognizer.timestamps(stream)


def same(
    recognizer: ZipformerRecognizer,
    ours: Sequence[Token],
    theirs: tuple[list[str], list[float]],
) -> bool:
    """Also that there is something to compare. Their times are those of the frames' beginnings."""
    pieces = _pieces(recognizer)
    assert [pieces[token.id] for token in ours] == theirs[0]
    times = [(token.time or 0.0) - FRAME_S for token in ours]
    assert times == pytest.approx(theirs[1], abs=1e-3)
    return len(ours) >= 5


def _pieces(recognizer: ZipformerRecognizer) -> list[str]:
    vocabulary = recognizer.vocabulary
    spelled = [vocabulary._pieces[token] for token in range(len(vocabulary))]
    return [piece.replace("\u2581", " ") for piece in spelled]


TRANSDUCERS = [
    pytest.param("zipformer2", "bpe", marks=pytest.mark.slow),
    pytest.param("zipformer2", "mixed", marks=pytest.mark.slow),
    ("zipformer", "bpe"),
    ("zipformer", "zh"),
    ("lstm", "bpe"),
]
KINDS = [*TRANSDUCERS, pytest.param("ctc", "zh", marks=pytest.mark.slow)]


@pytest.mark.parametrize(("kind", "vocabulary"), KINDS)
def test_greedy_says_what_sherpa_says_when_sherpa_says_it(
    built: Build, speech: Samples, kind: str, vocabulary: str
) -> None:
    files = built(kind, vocabulary)
    recognizer = model(files)
    assert same(recognizer, heard(recognizer, speech), sherpa(files, speech))


@pytest.mark.parametrize(("kind", "vocabulary"), TRANSDUCERS)
def test_so_does_the_beam_search(built: Build, speech: Samples, kind: str, vocabulary: str) -> None:
    files = built(kind, vocabulary)
    recognizer = model(files)
    theirs = sherpa(files, speech, decoding_method="modified_beam_search", max_active_paths=4)
    assert same(recognizer, heard(recognizer, speech, effort=0.5), theirs)


@pytest.mark.parametrize("method", ["greedy_search", "modified_beam_search"])
def test_so_does_a_penalty_on_blanks(built: Build, speech: Samples, method: str) -> None:
    files = built("lstm", "bpe")
    recognizer = model(files)
    recognizer.blank_penalty = 3.0
    effort = 0.0 if method == "greedy_search" else 0.5
    ours = heard(recognizer, speech, effort)
    theirs = sherpa(files, speech, decoding_method=method, blank_penalty=3.0)
    assert same(recognizer, ours, theirs)
    recognizer.blank_penalty = 0.0
    assert len(ours) > len(heard(recognizer, speech, effort))


@pytest.mark.parametrize(
    ("kind", "vocabulary", "unit", "phrases"),
    [
        ("zipformer", "zh", "cjkchar", ["中国", "大家", "自己的", "不", "他", "要下"]),
        ("lstm", "bpe", "bpe", ["WHICH WOULD", "BEEN", "THEIRS", "NOT DOING"]),
    ],
)
def test_favoured_phrases_weigh_what_they_weigh_with_sherpa(
    built: Build, speech: Samples, kind: str, vocabulary: str, unit: str, phrases: list[str]
) -> None:
    files = built(kind, vocabulary)
    recognizer = model(files)
    plain = heard(recognizer, speech, 0.5)
    unknown = recognizer.favour(phrases, 4.0)
    ours = heard(recognizer, speech, 0.5)
    theirs = sherpa(
        files,
        speech,
        hotwords="\n".join(phrase for phrase in phrases if phrase not in unknown),
        hotwords_score=4.0,
        modeling_unit=unit,
        bpe_vocab=str(files.folder / "bpe.vocab"),
        decoding_method="modified_beam_search",
        max_active_paths=4,
    )
    assert same(recognizer, ours, theirs)
    assert [token.id for token in ours] != [token.id for token in plain]
    assert recognizer.favour([]) == []
    assert heard(recognizer, speech, 0.5) == plain


# -- streams --------------------------------------------------------------------------------


@CALM
@given(st.lists(st.integers(0, 20_000), min_size=1, max_size=8), st.sampled_from([0.0, 0.5, 1.0]))
def test_however_the_sound_is_cut_the_tokens_are_the_same(
    built: Build, speech: Samples, cuts: list[int], effort: float
) -> None:
    recognizer = model(built("lstm"))
    whole = recognizer.stream()
    whole.tune(effort)
    whole.accept(speech)
    stream = recognizer.stream()
    stream.tune(effort)
    place = 0
    for cut in cuts:
        stream.accept(speech[place : place + cut])
        stream.hypothesis()
        place += cut
    stream.accept(speech[place:])
    assert stream.hypothesis() == whole.hypothesis()
    assert stream.finish() == whole.finish()


def test_blocks_of_a_device_give_the_same_to_a_real_encoder(built: Build, speech: Samples) -> None:
    recognizer = model(built("zipformer2"))
    expected = heard(recognizer, speech)
    stream = recognizer.stream()
    seen: tuple[Token, ...] = ()
    for place in range(0, speech.size, 320):
        stream.accept(speech[place : place + 320])
        running = stream.hypothesis()
        assert running.tokens[: len(seen)] == seen, "greedy tokens never change"
        assert running.stable == len(running.tokens)
        assert running.heard_s <= (place + 320) / 16_000
        seen = running.tokens
    assert seen == expected


@CALM
@given(st.data(), st.sampled_from([0.0, 0.5, 1.0]))
def test_what_is_settled_is_never_contradicted(
    built: Build, speech: Samples, data: st.DataObject, effort: float
) -> None:
    recognizer = model(built("lstm"))
    stream = recognizer.stream()
    stream.tune(effort)
    settled: list[int] = []
    agreed: list[int] = []
    for place in range(0, speech.size, 6_400):
        stream.accept(speech[place : place + 6_400])
        running = stream.hypothesis()
        whole = settled + [token.id for token in running.tokens]
        assert whole[: len(agreed)] == agreed
        agreed = whole[: len(settled) + running.stable]
        count = data.draw(st.integers(0, len(running.tokens)))
        stream.settle(count)
        settled = whole[: len(settled) + count]
    final = stream.finish()
    assert final.stable <= len(final.tokens)


def test_silence_between_lines_is_in_no_time(built: Build, speech: Samples) -> None:
    recognizer = model(built("zipformer2"))
    stream = recognizer.stream()
    spoken = 0.0
    ends: list[float] = []
    for _ in range(4):
        stream.accept(speech[:20_000])
        running = stream.finish()
        times = [token.time or 0.0 for token in running.tokens]
        assert times == sorted(times)
        assert all(spoken <= time <= spoken + 1.25 for time in times)
        spoken += 1.25
        ends += times
        stream.settle(len(times))
    assert len(ends) > 4
    stream.reset()
    stream.accept(speech[:20_000])
    assert all((token.time or 0.0) <= 1.25 for token in stream.finish().tokens)


def test_all_sound_of_a_line_is_heard_at_its_end(built: Build) -> None:
    recognizer = model(built("zipformer2"))
    for count in (0, 1, 159, 160, 7_000, 16_001):
        stream = recognizer.stream()
        stream.accept(np.zeros(count, np.float32))
        assert stream.finish().heard_s == pytest.approx(count / 16_000)


def test_a_reset_forgets_everything(built: Build, speech: Samples) -> None:
    recognizer = model(built("zipformer2"))
    expected = heard(recognizer, speech)
    stream = recognizer.stream()
    stream.accept(speech[::-1].copy())
    stream.finish()
    stream.reset()
    stream.accept(speech)
    assert stream.hypothesis().tokens == expected


def test_two_lanes_do_not_disturb_each_other(built: Build, speech: Samples) -> None:
    recognizer = model(built("zipformer"))
    expected = heard(recognizer, speech)
    one, other = recognizer.stream(), recognizer.stream()
    for place in range(0, speech.size, 4_000):
        one.accept(speech[place : place + 4_000])
        other.accept(speech[::-1][place : place + 4_000].copy())
        one.hypothesis()
        other.hypothesis()
    assert one.hypothesis().tokens == expected


class TestChunkSizes:
    """A folder with the same model at several chunk sizes."""

    def test_each_is_a_place_on_the_slider(self, built: Build) -> None:
        recognizer = model(built("zipformer2", chunks=(32, 8, 16), **SMALL))
        assert recognizer.chunks_s == (0.16, 0.32, 0.64)
        stream = recognizer.stream()
        chunks = []
        for effort in (0.0, 0.3, 0.5, 0.8, 1.0):
            stream.tune(effort)
            chunks.append(stream.chunk_s)
        assert chunks == [0.16, 0.32, 0.32, 0.64, 0.64]

    def test_a_move_goes_on_with_what_was_heard(self, built: Build, speech: Samples) -> None:
        recognizer = model(built("zipformer2", chunks=(32, 8, 16), **SMALL))
        stream = recognizer.stream()
        said: list[int] = []
        for place, effort in zip(range(0, speech.size, 8_000), (0.0, 0.3, 1.0) * 2, strict=True):
            stream.tune(effort)
            stream.accept(speech[place : place + 8_000])
            running = stream.hypothesis()
            assert running.heard_s > (place + 8_000) / 16_000 - stream.chunk_s - 0.2
            # A greedy search has one path; a wide one may still differ from it.
            stream.settle(len(running.tokens))
            said += [token.id for token in running.tokens]
        assert len(said) > 5

    def test_other_states_wait_for_the_end_of_the_line(
        self, built: Build, speech: Samples, tmp_path: Path
    ) -> None:
        short = built("zipformer2", **SMALL)
        long = built("zipformer2", chunks=(32,), left=64, **SMALL)
        folder = tmp_path / "both"
        shutil.copytree(short.folder, folder)
        shutil.copy(part(long, "encoder"), folder)
        stream = model(exports.files_of(folder)).stream()
        stream.accept(speech[:24_000])
        stream.hypothesis()
        stream.tune(1.0)
        assert stream.chunk_s == 0.32
        stream.finish()
        assert stream.chunk_s == 0.64
        stream.accept(speech[24_000:])
        assert stream.finish().heard_s == pytest.approx(3.0)


# -- damage ---------------------------------------------------------------------------------


def edited(path: Path, change: Callable[[onnx.ModelProto], None]) -> None:
    graph = onnx.load(str(path))
    change(graph)
    onnx.save(graph, str(path))


def metadata(**changes: str | None) -> Callable[[onnx.ModelProto], None]:
    def change(graph: onnx.ModelProto) -> None:
        known = {entry.key: entry.value for entry in graph.metadata_props}
        known.update({key: value for key, value in changes.items() if value is not None})
        for key, value in changes.items():
            if value is None:
                del known[key]
        del graph.metadata_props[:]
        helper.set_model_props(graph, known)

    return change


@pytest.fixture
def folder(built: Build, tmp_path: Path) -> Path:
    target = tmp_path / "模型 🎧 k2"
    shutil.copytree(built("zipformer2", **SMALL).folder, target)
    return target


def failure(folder: Path) -> str:
    with pytest.raises(RecognizerError) as caught:
        zipformer.load(exports.files_of(folder), "cpu")
    assert caught.value.remedy
    assert "\n" not in str(caught.value)
    return str(caught.value)


def encoder_of(folder: Path) -> Path:
    return next(folder.glob("encoder*"))


@pytest.mark.parametrize(
    "key", ["T", "decode_chunk_len", "encoder_dims", "left_context_len", "query_head_dims"]
)
def test_a_missing_metadata_key_is_named(folder: Path, key: str) -> None:
    edited(encoder_of(folder), metadata(**{key: None}))
    assert f"lacks '{key}'" in failure(folder)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"T": "many"}, "'many' for 'T'"),
        ({"T": "44"}, "44 at a time"),
        ({"decode_chunk_len": "0"}, "a chunk of 0 frames"),
        ({"left_context_len": "32,16,9"}, "cached_key_2"),
        ({"cnn_module_kernels": "15,15"}, "different numbers of stacks"),
        ({"num_encoder_layers": "1,1,4"}, "states"),
        ({"model_type": "parakeet"}, "'parakeet'"),
        ({"model_type": None}, "'unnamed'"),
        ({"feature": "whisper"}, "'whisper'"),
        ({"T": None, "decode_chunk_len": None}, "no streaming model"),
    ],
)
def test_metadata_that_does_not_fit_is_one_clear_error(
    folder: Path, changes: dict[str, str | None], says: str
) -> None:
    edited(encoder_of(folder), metadata(**changes))
    assert says in failure(folder)


@pytest.mark.parametrize("missing", ["tokens.txt", "encoder*", "decoder*", "joiner*"])
def test_a_missing_file_is_named(folder: Path, missing: str) -> None:
    next(folder.glob(missing)).unlink()
    assert missing.rstrip("*") in failure(folder)


def test_a_file_that_has_gone_since_the_store_looked_is_named(folder: Path) -> None:
    files = exports.files_of(folder)
    (folder / "tokens.txt").unlink()
    with pytest.raises(RecognizerError, match=r"tokens\.txt is missing"):
        zipformer.load(files, "cpu")


@pytest.mark.parametrize("which", ["encoder*", "decoder*", "joiner*"])
@pytest.mark.parametrize("damage", [b"", b"rubbish" * 100, "half"])
def test_a_damaged_graph_is_one_clear_error(folder: Path, which: str, damage: bytes | str) -> None:
    path = next(folder.glob(which))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if isinstance(damage, str) else damage)
    assert path.name in failure(folder)


def test_parts_of_different_models_are_one_clear_error(folder: Path, built: Build) -> None:
    (folder / "tokens.txt").write_text("<blk> 0\n<unk> 1\n", encoding="utf-8")
    assert "2 tokens" in failure(folder)
    shutil.copy(built("zipformer2", **SMALL).folder / "tokens.txt", folder)
    onnx.save(joiner_model(Weights(1), 90, 30), part_path(folder, "joiner"))
    assert "joiner" in failure(folder)


def part_path(folder: Path, name: str) -> str:
    return str(next(folder.glob(f"{name}*")))


def test_encoder_and_decoder_in_each_others_place_are_one_clear_error(folder: Path) -> None:
    encoder, decoder = encoder_of(folder), Path(part_path(folder, "decoder"))
    blob = encoder.read_bytes()
    shutil.copy(decoder, encoder)
    decoder.write_bytes(blob)
    assert encoder.name in failure(folder)


def test_any_name_of_a_folder_will_do_and_8_bits_are_for_the_processor(
    folder: Path, speech: Samples, built: Build
) -> None:
    expected = heard(model(built("zipformer2", **SMALL)), speech)
    assert heard(model(exports.files_of(folder)), speech) == expected
    encoder = encoder_of(folder)
    shutil.copy(encoder, encoder.with_name(encoder.name.replace(".onnx", ".int8.onnx")))
    encoder.write_bytes(b"the float one is not for the processor")
    assert heard(zipformer.load(exports.files_of(folder), "cpu"), speech) == expected


def test_an_export_that_takes_one_row_at_a_time_says_the_same(
    folder: Path, speech: Samples, built: Build
) -> None:
    def fix(graph: onnx.ModelProto) -> None:
        for value in (*graph.graph.input, *graph.graph.output):
            value.type.tensor_type.shape.dim[0].dim_value = 1

    edited(Path(part_path(folder, "decoder")), fix)
    edited(Path(part_path(folder, "joiner")), fix)
    one_by_one = model(exports.files_of(folder))
    for effort in (0.0, 0.5):
        plain = heard(model(built("zipformer2", **SMALL)), speech, effort)
        assert [token.id for token in heard(one_by_one, speech, effort)] == [
            token.id for token in plain
        ]


def test_the_files_of_every_such_model_in_the_catalogue_are_known_by_their_names() -> None:
    specs = [spec for spec in catalogue.load().recognizers() if spec.family == "zipformer"]
    assert specs
    for spec in specs:
        layout = Layout.of(ModelFiles(spec, Path("nowhere")), "cpu")
        assert (layout.decoder is None) == ("ctc" in spec.id)
