"""Installing onto a disk that is full, fails or is no folder: one line, and nothing is left."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from fixtures_models import REPOSITORY, TinyModel, build_wheel
from installing import assert_nothing_left, changed, from_links, never

from models.download import install, needed_bytes
from models.errors import ModelError, NoSpaceError
from models.store import ModelStore


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models")


def test_a_full_disk_is_told_before_anything_is_fetched(
    store: ModelStore, tiny: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = needed_bytes(tiny.spec) - 1
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    big = changed(tiny.spec, "weights.bin", size=50_000_000)
    with pytest.raises(NoSpaceError, match=r"it needs 50\.0 MB, 0\.0 MB are free: free some"):
        install(big, store, fetch=never)
    with pytest.raises(NoSpaceError):
        install(tiny.spec, store, fetch=never)
    assert_nothing_left(store)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free + 1))
    install(tiny.spec, store, fetch=from_links(tiny))


def test_space_that_the_dead_take_up_is_counted_as_free(
    store: ModelStore, tiny: TinyModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    for model_id in ("tiny.en", "other"):
        (store.root / f".{model_id}.abc_1.partial" / "new").mkdir(parents=True)

    def disk_usage(root: Path) -> SimpleNamespace:
        return SimpleNamespace(free=0 if list(root.glob(".*.partial")) else 1 << 30)

    monkeypatch.setattr(shutil, "disk_usage", disk_usage)
    install(tiny.spec, store, fetch=from_links(tiny))
    assert store.installed(tiny.spec)


@pytest.mark.parametrize(
    ("number", "expected"), [(errno.ENOSPC, NoSpaceError), (errno.EACCES, ModelError)]
)
def test_a_disk_that_fails_while_writing_is_one_line(
    store: ModelStore, tiny: TinyModel, number: int, expected: type[ModelError]
) -> None:
    def fetch(*_arguments: object) -> Path:
        raise OSError(number, os.strerror(number))

    with pytest.raises(expected) as caught:
        install(tiny.spec, store, fetch=fetch)
    assert str(store.root) in str(caught.value)
    assert "CAPTIONGLASS_MODELS" in caught.value.remedy
    assert_nothing_left(store)


@pytest.mark.skipif(sys.platform != "linux", reason="a small disk is made with Linux namespaces")
@pytest.mark.usefixtures("local_pip")
def test_a_disk_that_is_really_full(tmp_path: Path, tiny: TinyModel) -> None:
    build_wheel(tiny.links, "tiny-one", "1.0", {"padding": bytes(4_000_000)})
    listed = tiny.write_catalogue(tmp_path / "catalogue.toml")
    disk = tmp_path / "disk"
    disk.mkdir()
    code = (
        "import sys; from pathlib import Path; from models import catalogue, download, store\n"
        "where = store.ModelStore(Path(sys.argv[2]))\n"
        "try: download.install(catalogue.load(Path(sys.argv[1])).get('tiny.en'), where)\n"
        "except Exception as error: print(type(error).__name__, error)\n"
        "print([path.name for path in where.root.iterdir()])"
    )
    in_namespace = ("unshare", "--user", "--map-root-user", "--mount", "sh", "-c")
    on_small_disk = 'mount -t tmpfs -o size=1m none "$0" || exit 77; exec "$@"'
    child = (sys.executable, "-c", code, str(listed), str(disk))
    done = subprocess.run(
        [*in_namespace, on_small_disk, str(disk), *child],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode in (1, 77) and not done.stdout:
        pytest.skip(f"no namespaces here: {done.stderr.strip()}")
    error, left = done.stdout.splitlines()
    assert error.startswith("NoSpaceError no space for model tiny.en")
    assert left == "['.tiny.en.lock']"


def test_a_models_folder_that_is_a_file_is_one_line(tmp_path: Path, tiny: TinyModel) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ModelError, match="cannot be put into") as caught:
        install(tiny.spec, ModelStore(tmp_path / "file" / "models"), fetch=never)
    assert "CAPTIONGLASS_MODELS" in caught.value.remedy
