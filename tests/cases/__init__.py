"""The rows of all subjects: `SUBJECTS` by name (`nn.pooling`), `CASES` as one list."""

import importlib
import pathlib

from cases.case import Case, fingerprint, name

_FOLDER = pathlib.Path(__file__).parent
SUBJECTS: dict[str, list[Case]] = {
    ".".join(parts): importlib.import_module(".".join(["cases", *parts])).CASES
    for path in sorted(_FOLDER.rglob("*.py"))
    if (parts := path.relative_to(_FOLDER).with_suffix("").parts)[-1]
    not in ("__init__", "answer", "case", "store")
}
CASES: list[Case] = [case for rows in SUBJECTS.values() for case in rows]


def refuse_duplicates() -> None:
    first: dict[str, str] = {}
    for subject, rows in SUBJECTS.items():
        for case in rows:
            if name(case) in first:
                where = f"tests/cases/{first[name(case)].replace('.', '/')}.py"
                raise ValueError(f"{name(case)!r} in {subject} is already a row of {where}.")
            first[name(case)] = subject


refuse_duplicates()

__all__ = ["CASES", "SUBJECTS", "Case", "fingerprint", "name"]
