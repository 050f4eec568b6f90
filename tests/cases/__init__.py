"""The rows of all subjects: `SUBJECTS` by name, `CASES` as one list."""

import importlib
import pathlib

from cases.case import Case, fingerprint, name

SUBJECTS: dict[str, list[Case]] = {
    path.stem: importlib.import_module(f"cases.{path.stem}").CASES
    for path in sorted(pathlib.Path(__file__).parent.glob("*.py"))
    if path.stem not in ("__init__", "answer", "case", "store")
}
CASES: list[Case] = [case for rows in SUBJECTS.values() for case in rows]


def refuse_duplicates() -> None:
    first: dict[str, str] = {}
    for subject, rows in SUBJECTS.items():
        for case in rows:
            if name(case) in first:
                where = f"tests/cases/{first[name(case)]}.py"
                raise ValueError(f"{name(case)!r} in {subject} is already a row of {where}.")
            first[name(case)] = subject


refuse_duplicates()

__all__ = ["CASES", "SUBJECTS", "Case", "fingerprint", "name"]
