"""Packing the application: what stays out, what is listed, and that it is alike each time."""

from __future__ import annotations

import json
import plistlib
import shutil
import subprocess
import sys
import tarfile
import xml.etree.ElementTree
from pathlib import Path

import pytest

from desktop_app import __version__
from models import catalogue

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT / "scripts"))
try:
    import package
    from packing import archive as package_archive
    from packing import deb as package_deb
    from packing import hook as package_hook
    from packing import parts as package_parts
    from packing import sbom as package_sbom
    from packing import trial as package_trial
finally:
    sys.path.pop(0)


@pytest.mark.parametrize(
    "place",
    [
        "libasound.so.2",
        "libstdc++.so.6",
        "libglib-2.0.so.0",
        "libX11.so.6",
        "libcairo.so.2",
        "libreadline.so.8",
        "PySide6/Qt/plugins/platforms/libqvnc.so",
        "PySide6/Qt/plugins/platformthemes/libqgtk3.so",
        "PySide6/Qt/plugins/imageformats/libqtiff.so",
        "PySide6/Qt/translations/qtbase_de.qm",
        "PySide6\\Qt\\plugins\\sqldrivers\\qsqlite.dll",
        "PySide6/Qt/lib/libQt6EglFsKmsSupport.so.6",
        "numpy/_core/include/numpy/arrayobject.h",
        "onnx/backend/test/data/node/x.onnx",
        "opencc/clib/lib64/libopencc.a",
    ],
)
def test_what_the_machine_has_or_nobody_opens_stays_out(place: str) -> None:
    assert package_parts.left_out(place)


@pytest.mark.parametrize(
    "place",
    [
        "libportaudio.so.2",
        "libjack.so.0",
        "libxcb-cursor.so.0",
        "libxkbcommon-x11.so.0",
        "libssl.so.3",
        "libbz2.so.1.0",
        "libpython3.11.so.1.0",
        "numpy.libs/libscipy_openblas64_-32a4b2a6.so",
        "PySide6/Qt/lib/libQt6Widgets.so.6",
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6/Qt/plugins/platforms/libqoffscreen.so",
        "PySide6/Qt/plugins/platforms/libqwayland.so",
        "PySide6/Qt/plugins/imageformats/libqsvg.so",
        "PySide6/Qt/translations/qtbase_zh_CN.qm",
        "assets/fonts/Inter-Medium.otf",
        "assets/translations/captionglass_zh_CN.qm",
        "models/shipped/silero-vad/silero_vad.onnx",
        "nvidia/cu13/lib/libcublas.so.13",
        "onnxruntime/capi/libonnxruntime_providers_cuda.so",
    ],
)
def test_what_it_needs_goes_in(place: str) -> None:
    assert not package_parts.left_out(place)


def test_a_library_that_was_brought_is_found_first(tmp_path: Path) -> None:
    (tmp_path / "libportaudio.so.2").touch()
    find = package_hook.brought_first(tmp_path, lambda name: f"elsewhere {name}")
    assert find("portaudio") == str(tmp_path / "libportaudio.so.2")
    assert find("pulse") == "elsewhere pulse"
    assert find("bin\\libportaudio-2.dll") == "elsewhere bin\\libportaudio-2.dll"


def test_two_archives_of_one_folder_are_alike(tmp_path: Path) -> None:
    folder = tmp_path / "captionglass"
    (folder / "b").mkdir(parents=True)
    (folder / "captionglass").write_text("program")
    (folder / "captionglass").chmod(0o755)
    (folder / "b" / "data").write_text("data")
    (folder / "b" / "link").symlink_to("data")
    first = package_archive.pack(folder, tmp_path / "first", 1_700_000_000)
    (folder / "b" / "data").touch()
    second = package_archive.pack(folder, tmp_path / "second", 1_700_000_000)
    assert first.read_bytes() == second.read_bytes()
    assert package_archive.listing(folder) == ["b/data", "b/link", "captionglass"]
    if sys.platform == "linux":
        with tarfile.open(first) as archive:
            modes = {member.name: member.mode for member in archive}
        assert modes["captionglass/captionglass"] == 0o755
        assert modes["captionglass/b/data"] == 0o644


def test_a_build_with_other_files_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    package._compare(["a", "b"], ["b", "a"])
    assert "the same files" in capsys.readouterr().out
    with pytest.raises(package.PackageError, match=r"-gone, \+new"):
        package._compare(["a", "gone"], ["a", "new"])


def test_the_version_is_the_programs_own() -> None:
    assert package._version() == __version__


def test_what_the_checkout_holds_and_the_application_does_not_is_noticed() -> None:
    found = "moonshine, moonshine_streaming, onnx_asr, whisper, zipformer"
    package_trial._all_found("families", "engine/recognizers", found)
    with pytest.raises(package_trial.TrialError, match="families are missing: zipformer"):
        package_trial._all_found("families", "engine/recognizers", found.rpartition(",")[0])


def test_the_bill_of_materials_names_libraries_and_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(package_parts, "distributions", lambda: ["numpy", "pydantic"])
    made = package_sbom.bill("1.2.3")
    assert made == package_sbom.bill("1.2.3")
    assert json.loads(json.dumps(made))["metadata"]["component"]["version"] == "1.2.3"
    names = {each["name"]: each for each in made["components"]}
    known = catalogue.load()
    assert {"python", "numpy", "pydantic", known.default, known.vad} == names.keys()
    assert names["numpy"]["purl"].startswith("pkg:pypi/numpy@")
    assert "BSD" in names["numpy"]["licenses"][0]["license"]["name"]
    files = names[known.default]["components"]
    hashes = {each["hashes"][0]["content"] for each in files}
    assert hashes == {file.sha256 for file in known.get(known.default).files}
    references = [each["bom-ref"] for each in made["components"]]
    assert made["dependencies"][0]["dependsOn"] == references
    assert len(set(references)) == len(references)


def test_every_library_says_its_licence() -> None:
    import importlib.metadata

    silent = [
        name
        for name in package_parts.distributions()
        if not package_sbom.licence_of(importlib.metadata.distribution(name))
    ]
    assert silent == []


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="needs Debian's tools")
def test_libraries_of_the_system_go_in_with_their_licences(tmp_path: Path) -> None:
    library = next(Path("/usr/lib").glob("*/libdbus-1.so.3"))
    found = package_parts.system_licences(
        [
            ("libdbus-1.so.3", str(library), "BINARY"),
            ("ours.so", str(tmp_path / "ours.so"), "BINARY"),
        ]
    )
    text = "/usr/share/doc/libdbus-1-3/copyright"
    assert found == [("licences/libdbus-1-3/copyright", text, "DATA")]
    folder = tmp_path / "_internal" / "licences" / "libdbus-1-3"
    folder.mkdir(parents=True)
    (folder / "copyright").write_text("free")
    (made,) = package_sbom._system(tmp_path)
    assert made["purl"].startswith("pkg:deb/debian/libdbus-1-3@")


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs Debian's tools")
def test_the_debian_package_installs_a_command_a_menu_entry_and_an_icon(tmp_path: Path) -> None:
    application = tmp_path / "captionglass"
    application.mkdir()
    (application / "captionglass").write_text("#!/bin/sh\n")
    (application / "captionglass").chmod(0o755)
    made = [tmp_path / f"{number}.deb" for number in (1, 2)]
    for target in made:
        package_deb.build(application, "1.2.3", tmp_path / "tree", target, 1_700_000_000)
    assert made[0].read_bytes() == made[1].read_bytes()
    shown = subprocess.run(
        ["dpkg-deb", "--contents", made[0]], capture_output=True, encoding="utf-8", check=True
    ).stdout
    for path in (
        "./usr/bin/captionglass -> ../lib/captionglass/captionglass",
        "./usr/lib/captionglass/captionglass",
        "./usr/share/applications/captionglass.desktop",
        "./usr/share/icons/hicolor/scalable/apps/captionglass.svg",
        "./usr/share/metainfo/captionglass.metainfo.xml",
        "./usr/share/doc/captionglass/copyright",
    ):
        assert path in shown, path
    asked = ["dpkg-deb", "--field", str(made[0]), "Version", "Depends"]
    fields = subprocess.run(asked, capture_output=True, encoding="utf-8", check=True).stdout
    assert "Version: 1.2.3" in fields
    assert "libc6 (>= 2.17)" in fields
    assert "libasound2-plugins" in fields
    assert "libglib2.0-0 | libglib2.0-0t64" in fields
    assert "portaudio" not in fields


def test_the_oldest_c_library_is_read_from_what_is_inside(tmp_path: Path) -> None:
    (tmp_path / "notes").write_bytes(b"\0GLIBC_2.99\0")
    (tmp_path / "one.so.1").write_bytes(b"\x7fELF..\0GLIBC_2.9\0GLIBC_2.33\0GLIBC_PRIVATE\0")
    (tmp_path / "program").write_bytes(b"\x7fELF..\0GLIBC_2.4\0GLIBC_2.31.1\0")
    assert package_deb.needed_glibc(tmp_path) == "2.33"


def test_the_desktop_file_and_the_metadata_are_valid() -> None:
    assert package_deb.checks() == []
    metadata = xml.etree.ElementTree.parse(package_deb.LINUX / "captionglass.metainfo.xml")
    release = metadata.find("releases/release")
    assert release is not None
    assert release.get("version") == __version__


def test_macos_may_hear_the_microphone() -> None:
    path = ROOT / "assets" / "macos" / "entitlements.plist"
    entitlements = plistlib.loads(path.read_bytes())
    assert entitlements["com.apple.security.device.audio-input"] is True
    spec = (ROOT / "pyinstaller.spec").read_text(encoding="utf-8")
    assert "NSMicrophoneUsageDescription" in spec
    assert "NSAudioCaptureUsageDescription" in spec
