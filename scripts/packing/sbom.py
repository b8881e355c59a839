"""The list of what the packaged application is made of, as CycloneDX JSON.

Read from the requirement locks and from what is installed, and from the program's own catalogue
for the models it ships. It runs in the environment that ``scripts/package.py`` makes.

    PYTHONPATH=.:scripts python -m packing.sbom APPLICATION FILE
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

from packing import parts

_LONGEST_LICENCE = 60
"""Characters: some packages put the whole text where the name belongs."""


def bill(version: str, application: Path | None = None) -> dict[str, Any]:
    """All of it.

    Args:
        version: of the program.
        application: the folder that was built, for the system's libraries in it.
    """
    components = [_python()]
    components += [_library(name) for name in parts.distributions()]
    components += [] if application is None else _system(application)
    components += _models()
    content: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "captionglass",
                "name": "captionglass",
                "version": version,
                "licenses": [{"license": {"id": "MIT"}}],
            }
        },
        "components": components,
        "dependencies": [
            {"ref": "captionglass", "dependsOn": [each["bom-ref"] for each in components]}
        ],
    }
    # The same content has the same number.
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).digest()
    content["serialNumber"] = f"urn:uuid:{uuid.UUID(bytes=digest[:16], version=4)}"
    return content


def _python() -> dict[str, Any]:
    version = ".".join(map(str, sys.version_info[:3]))
    return _component("library", "python", version, f"pkg:generic/python@{version}", "PSF-2.0")


def _library(name: str) -> dict[str, Any]:
    found = importlib.metadata.distribution(name)
    made = _component(
        "library", name, found.version, f"pkg:pypi/{name}@{found.version}", licence_of(found)
    )
    if summary := _said(found, "Summary"):
        made["description"] = summary
    return made


def _system(application: Path) -> list[dict[str, Any]]:
    """The Debian packages whose licences lie in the application: their libraries do too."""
    made = []
    for text in sorted((application / "_internal" / "licences").glob("*/copyright")):
        name = text.parent.name
        asked = ["dpkg-query", "--show", "--showformat", "${Version} ${Architecture}\n", name]
        done = subprocess.run(asked, capture_output=True, encoding="utf-8", check=True)
        version, architecture = done.stdout.splitlines()[0].split()
        purl = f"pkg:deb/debian/{name}@{version}?arch={architecture}"
        made.append(_component("library", name, version, purl, f"see licences/{name}/copyright"))
    return made


def licence_of(found: importlib.metadata.Distribution) -> str:
    """What a package says its licence is; its classifiers where it says nothing short."""
    for key in ("License-Expression", "License"):
        said = _said(found, key)
        if said and len(said) <= _LONGEST_LICENCE and said.upper() != "UNKNOWN":
            return said
    classifiers = [
        value.rpartition(" :: ")[2]
        for value in found.metadata.get_all("Classifier") or ()
        if value.startswith("License ::")
    ]
    return " and ".join(each for each in classifiers if each != "OSI Approved")


def _said(found: importlib.metadata.Distribution, key: str) -> str:
    return found.metadata[key].strip() if key in found.metadata else ""


def _models() -> list[dict[str, Any]]:
    from models import catalogue

    known = catalogue.load()
    made = []
    for spec in (known.get(known.default), known.get(known.vad)):
        each = _component("machine-learning-model", spec.id, "", "", spec.licence)
        each["description"] = f"{spec.title}, by {spec.attribution}"
        each["components"] = [
            {
                "type": "file",
                "bom-ref": f"{spec.id}/{file.name}",
                "name": file.name,
                "hashes": [{"alg": "SHA-256", "content": file.sha256}],
            }
            for file in spec.files
        ]
        made.append(each)
    return made


def _component(kind: str, name: str, version: str, purl: str, licence: str) -> dict[str, Any]:
    made: dict[str, Any] = {"type": kind, "bom-ref": purl or name, "name": name}
    if version:
        made["version"] = version
    if purl:
        made["purl"] = purl
    if licence:
        # Names of the SPDX list and free words alike may stand here.
        made["licenses"] = [{"license": {"name": licence}}]
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("application", type=Path)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    from desktop_app import __version__

    text = json.dumps(bill(__version__, options.application), ensure_ascii=False, indent=1) + "\n"
    options.file.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
