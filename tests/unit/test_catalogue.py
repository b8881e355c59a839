"""The catalogue: the shipped one is right, and a broken one is told by name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures_models import REPOSITORY

from engine.recognizers.base import families
from models import catalogue
from models.errors import ModelError, UnknownModelError
from models.spec import HttpsFile, HubFile, ModelSpec, WheelMember

ENTRY = """
title = "A"
family = "moonshine"
kind = "recognizer"
languages = ["en", "zh-Hant"]
licence = "MIT"
attribution = "Somebody"
wheels = { "some-pkg==1.0" = 99 }

[[models.a.files]]
name = "a.bin"
source = ["some-pkg==1.0:some/a1", "other==2.0rc1+x:a2"]
size = 7
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
"""
VAD = (
    ENTRY.replace('"recognizer"', '"vad"')
    .replace('["en", "zh-Hant"]', "[]")
    .replace("models.a", "models.v")
)
TEXT = f'default = "a"\nvad = "v"\n[models.a]\n{ENTRY}\n[models.v]\n{VAD}'


def load(tmp_path: Path, text: str) -> catalogue.Catalogue:
    path = tmp_path / "catalogue.toml"
    path.write_text(text, encoding="utf-8")
    return catalogue.load(path)


def test_the_shipped_catalogue_has_the_default_model_and_the_vad() -> None:
    known = catalogue.load()
    assert known.default == "moonshine-tiny-en"
    assert known.vad == "silero-vad"
    spec = known.get("moonshine-tiny-en")
    assert [file.name for file in spec.files] == [
        "encoder_model.ort",
        "decoder_model_merged.ort",
        "tokenizer.json",
    ]
    assert spec.size == 13281600 + 30412256 + 1985533
    assert known.get(known.vad).kind == "vad"
    assert spec in known.recognizers()
    assert known.get(known.vad) not in known.recognizers()
    assert list(known) == list(known.models)


def test_an_entry_is_read_whole(tmp_path: Path) -> None:
    spec = load(tmp_path, TEXT).get("a")
    assert (spec.title, spec.family, spec.languages) == ("A", "moonshine", ("en", "zh-Hant"))
    (file,) = spec.files
    assert (file.name, file.size, file.sha256) == ("a.bin", 7, "0" * 64)
    assert file.source == (
        WheelMember("some-pkg", "1.0", "some/a1", 99),
        WheelMember("other", "2.0rc1+x", "a2", None),
    )


def test_an_entry_names_its_hub_its_site_and_what_it_is_for(tmp_path: Path) -> None:
    text = (
        TEXT
        + f"""
[languages]
two = ["en", "yue"]

[models.h]
title = "H"
family = "whisper"
kind = "recognizer"
languages = "two"
licence = "CC-BY-4.0"
attribution = "Somebody"
good_for = "Everything"
streaming = true
hub = "some-one/model@abc123"
site = "https://example.org/m/"
files = [
    {{ name = "a.bin", size = 7, sha256 = "{"1" * 64}" }},
    {{ name = "b.bin", path = "onnx/b.bin", size = 9 }},
    {{ name = "c.bin", size = 9, source = "https://a.org/c", elsewhere = ["hub:x/y@main:c"] }},
]
"""
    )
    spec = load(tmp_path, text).get("h")
    assert (spec.languages, spec.streaming, spec.good_for) == (("en", "yue"), True, "Everything")
    first, second, third = spec.files
    assert first.source == (HubFile("some-one/model", "abc123", "a.bin"),)
    assert first.elsewhere == (HttpsFile("https://example.org/m/a.bin"),)
    assert second.source == (HubFile("some-one/model", "abc123", "onnx/b.bin"),)
    assert third.source == (HttpsFile("https://a.org/c"),)
    assert third.elsewhere == (HubFile("x/y", "main", "c"),)
    assert [file.pinned for file in spec.files] == [True, False, False]
    assert not spec.pinned
    assert not spec.local


@pytest.mark.parametrize("spec", catalogue.load().models, ids=lambda spec: spec.id)
def test_every_entry_can_be_used(spec: ModelSpec) -> None:
    assert spec.files or spec.kind == "denoiser"
    assert spec.size < 4_000_000_000
    for licence in re.split(" AND | OR | WITH ", spec.licence):
        assert licence in SPDX
    assert all(langcodes(code) for code in spec.languages)
    if spec.kind == "recognizer":
        assert spec.family in families()
        assert spec.good_for
        assert len(spec.good_for) < 100
    for file in spec.files:
        assert file.source
        for part in (*file.source, *file.elsewhere):
            if isinstance(part, HttpsFile):
                assert part.url.startswith("https://")
            if isinstance(part, HubFile) and file.pinned:
                # A branch may move on; what is pinned must stay.
                assert re.fullmatch("[0-9a-f]{40}", part.revision)


SPDX = {"MIT", "Apache-2.0", "CC-BY-4.0", "BSD-3-Clause"}


def langcodes(code: str) -> bool:
    """A code as BCP 47 writes them: language in small letters, script, region."""
    pattern = "[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?"
    return re.fullmatch(pattern, code) is not None


def test_there_is_a_choice_from_tiny_to_large_in_every_family() -> None:
    known = catalogue.load().recognizers()
    assert len(known) >= 20
    assert {spec.family for spec in known} >= {
        "moonshine",
        "moonshine_streaming",
        "whisper",
        "zipformer",
        "onnx_asr",
    }
    sizes = sorted(spec.size for spec in known)
    assert sizes[0] < 30_000_000
    assert sizes[-1] > 3_000_000_000


@pytest.mark.parametrize(
    ("language", "installed", "best"),
    [
        ("", (), "moonshine-tiny-en"),
        ("en", (), "moonshine-tiny-en"),
        ("en-GB", ("moonshine-tiny-en", "whisper-base"), "moonshine-tiny-en"),
        ("en", ("whisper-base",), "whisper-base"),
        ("zh-CN", (), "zipformer-zh-en"),
        ("zh", ("moonshine-tiny-en", "whisper-base"), "whisper-base"),
        ("zh_TW", ("whisper-base", "zipformer-zh-14m"), "zipformer-zh-14m"),
        ("ko", (), "zipformer-ko"),
        ("sw", ("moonshine-tiny-en",), "whisper-base"),
        ("yue", (), "whisper-large-v3-turbo"),
    ],
)
def test_the_best_for_a_language(language: str, installed: tuple[str, ...], best: str) -> None:
    assert catalogue.load(catalogue.CATALOGUE).best_for(language, installed).id == best


def test_a_language_nobody_captions_is_said_so() -> None:
    with pytest.raises(UnknownModelError, match="no model captions the language 'tlh'"):
        catalogue.load(catalogue.CATALOGUE).best_for("tlh")


def test_one_more_entry_is_all_that_a_new_model_needs(tmp_path: Path) -> None:
    more = '\n[models."one-more.en"]\n' + ENTRY.replace("models.a", 'models."one-more.en"')
    known = load(tmp_path, catalogue.CATALOGUE.read_text(encoding="utf-8") + more)
    assert known.get("one-more.en").family == "moonshine"
    assert [spec.id for spec in known.recognizers()][-1] == "one-more.en"


@pytest.mark.parametrize(
    ("asked", "remedy"),
    [
        ("moonshine-tiny", "did you mean moonshine-tiny-en?"),
        ("Moonshine-Tiny-EN", "did you mean moonshine-tiny-en?"),
        ("zzz", "known models are moonshine-tiny-en, "),
        ("", "known models are"),
    ],
)
def test_an_unknown_id_is_answered_with_the_nearest(asked: str, remedy: str) -> None:
    with pytest.raises(UnknownModelError, match=re.escape(repr(asked))) as caught:
        catalogue.load().get(asked)
    assert caught.value.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "A"\n', "", "'title' is missing"),
        ('title = "A"', 'title = " "', "title must be text"),
        ('title = "A"', "title = 3", "title must be text"),
        ('title = "A"', 'title = "A"\nlisence = "MIT"', "did you mean 'licence'?"),
        ('family = "moonshine"', 'family = "Moon shine"', "family = 'Moon shine'"),
        ('kind = "recognizer"', 'kind = "recogniser"', "kind must be"),
        ('["en", "zh-Hant"]', "[]", "a recognizer names its languages"),
        ('["en", "zh-Hant"]', '["English"]', "'English' is not a BCP 47"),
        ('["en", "zh-Hant"]', '"en"', "languages must be a list"),
        ("= 99", "= 0", "some-pkg==1.0 must be a whole number above zero"),
        ('{ "some-pkg==1.0" = 99 }', "3", "wheels must be a table"),
        ('{ "some-pkg==1.0"', '{ "some-pkg==1.1"', "wheels lists 'some-pkg==1.1'"),
        ('"a.bin"', '"../a.bin"', "name = '../a.bin'"),
        ('"a.bin"', '"prepared"', "kept for derived files"),
        ("size = 7", "size = -7", "size must be a whole number"),
        ("size = 7", "size = true", "size must be a whole number"),
        ("size = 7", "size = 7\nmode = 1", "'mode' is not a key"),
        ('sha256 = "0', 'sha256 = "X', "sha256 = 'X"),
        ('["some-pkg==1.0:some/a1", "other==2.0rc1+x:a2"]', "[]", "source names no place"),
        ("some-pkg==1.0:some/a1", "some-pkg:some/a1", "PACKAGE==VERSION:MEMBER"),
        ("some-pkg==1.0:some/a1", "some-pkg>=1.0:some/a1", "PACKAGE==VERSION:MEMBER"),
        ("some-pkg==1.0:some/a1", "some-pkg==1.0:/etc/passwd", "PACKAGE==VERSION:MEMBER"),
        ("some-pkg==1.0:some/a1", "hub:some/repo:a1", "hub:OWNER/NAME@REVISION:PATH"),
        ("some-pkg==1.0:some/a1", "https://host", "is not the address of a file"),
        ("other==2.0rc1+x:a2", "https://host/a", "only wheel members can be joined"),
        ('licence = "MIT"', 'licence = "MIT licence"', "licence = 'MIT licence'"),
        ('licence = "MIT"', 'licence = "MIT"\nstreaming = 1', "streaming must be true or false"),
        ('licence = "MIT"', 'licence = "MIT"\nhub = "some/repo"', "hub = 'some/repo'"),
        ('"a.bin"', '"pins.json"', "kept for derived files"),
        ('"a.bin"', '"captionglass.json"', "kept for derived files"),
        ("some-pkg==1.0:some/a1", "--index-url==1:a", "PACKAGE==VERSION:MEMBER"),
    ],
)
def test_a_broken_entry_is_named_with_what_is_wrong(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert old in ENTRY
    text = TEXT.replace(old, new, 1)
    with pytest.raises(ModelError) as caught:
        load(tmp_path, text)
    message = str(caught.value)
    assert message.startswith("catalogue entry 'a'")
    assert complaint in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('default = "a"', "", "'default' is missing"),
        ('default = "a"', 'default = "v"', "default = 'v' is not the id of a recognizer"),
        ('vad = "v"', 'vad = "w"', "vad = 'w' is not the id of a vad"),
        ('vad = "v"', 'vad = "v"\ndefualt = 3', "did you mean 'default'?"),
        ("[models.a]", '[models."A b"]\n[models.a]', "the id 'A b'"),
        ("[models.a]", "[models]\nb = 3\n[models.a]", "b must be a table"),
        ("[[models.a.files]]", "[models.a.files]", "files must be a list"),
        ("[models.v]", "[models.a]", "cannot be read"),
        ("size = 7", "size = ", "cannot be read"),
    ],
)
def test_a_broken_catalogue_is_one_clear_line(
    tmp_path: Path, old: str, new: str, complaint: str
) -> None:
    assert old in TEXT
    with pytest.raises(ModelError) as caught:
        load(tmp_path, TEXT.replace(old, new, 1))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_files_may_not_share_a_name_on_any_file_system(tmp_path: Path) -> None:
    file = ENTRY[ENTRY.index("[[models.a.files]]") :]
    text = TEXT.replace(file, file + file.replace("a.bin", "A.bin"), 1)
    with pytest.raises(ModelError, match="'a' is broken, two of its files have the same name"):
        load(tmp_path, text)


def test_a_catalogue_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        catalogue.load(tmp_path / "nothing.toml")


def test_looking_models_up_loads_nothing_heavy() -> None:
    code = (
        "import sys, models.catalogue, models.store, models.download\n"
        "models.catalogue.load()\n"
        "heavy = {'numpy', 'onnxruntime', 'onnx', 'PySide6', 'platformdirs', 'pip'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
