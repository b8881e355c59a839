"""The figures of the README are found by the script that measures them again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "measure"))

import figure_runs  # noqa: E402 - the scripts are no package
import readme_figures  # noqa: E402
from readme_figures import Said, numbers, table  # noqa: E402


def test_every_number_in_the_tables_of_the_readme_can_be_measured_again() -> None:
    said = [figure for figure in readme_figures.said() if figure.page == readme_figures.README]
    stated = [
        value
        for head in ("profile", "model")
        for cells in table(readme_figures.README, head).rows.values()
        for cell in cells
        for value in numbers(cell)
    ]
    stated += [numbers(row[-1])[-1] for row in table(readme_figures.README, "what").rows.values()]
    assert len(stated) > 60
    assert sorted(figure.value for figure in said) == sorted(stated)


def test_every_figure_has_a_run_and_every_run_a_figure() -> None:
    assert {figure.run for figure in readme_figures.said()} == set(figure_runs.RUNS)


def test_a_figure_that_is_no_longer_said_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    read = readme_figures.read
    monkeypatch.setattr(readme_figures, "read", lambda page: read(page).replace("cores", "kernels"))
    with pytest.raises((LookupError, KeyError)):
        readme_figures.said()


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        ("123 / 435", [123.0, 435.0]),
        ("no caption, 0.03 cores with the start", [0.03]),
        ("-3.0", [-3.0]),
        ("+0.5", [0.5]),
        ("moonshine-voice 0.0.73", []),
        ("1.33 s", [1.33]),
        ("", []),
    ],
)
def test_numbers_are_read_out_of_cells(cell: str, found: list[float]) -> None:
    assert numbers(cell) == found


def test_the_table_says_how_many_times_as_much_was_measured() -> None:
    figures = [
        Said("README.md", "memory", 200.0, "memory", "megabytes"),
        Said("README.md", "erasure", 0.0, "bench", "erasure"),
        Said("README.md", "help", 0.1, "help", "seconds"),
    ]
    measured = {"memory": {"megabytes": 300.0}, "bench": {"erasure": 0.0}}
    _, memory, erasure, unmeasured = readme_figures.report(figures, measured).splitlines()
    assert memory.split()[-3:] == ["200", "300", "1.50"]
    assert erasure.split()[-2:] == ["0", "0"]
    assert unmeasured.split()[-2:] == ["-", "-"]


def test_what_a_program_says_instead_is_told() -> None:
    with pytest.raises(figure_runs.RunError, match="something else: 'nonsense'"):
        figure_runs._named(("a",), None, "nonsense")
    with pytest.raises(figure_runs.RunError, match="ended with 3: of no use"):
        figure_runs._run(
            sys.executable, "-c", "import sys; print('of no use', file=sys.stderr); sys.exit(3)"
        )
