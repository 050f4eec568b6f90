"""Asks TensorFlow every row of tests/cases and stores what it answers.

    python tests/goldens/generate.py [SUBJECT ...] [--all]

Runs the named subjects, or those whose rows have changed; `--all` runs all. It needs
TensorFlow, as the other generate files here do; nothing else in the tests does.
"""

import argparse
import logging
import os
import pathlib
import sys
import time
import warnings
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from cases import SUBJECTS, fingerprint, name
from cases.answer import ask
from cases.store import FOLDER, golden_path, load, save


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("subjects", nargs="*")
    parser.add_argument("--all", action="store_true", help="also what has not changed")
    chosen = parser.parse_args()
    wanted = {golden_path(subject) for subject in SUBJECTS}
    for path in FOLDER.rglob("*.npz"):
        if path not in wanted:
            path.unlink()
    subjects = chosen.subjects or [s for s in SUBJECTS if chosen.all or changed(s)]
    if not subjects:
        print("Every row has its golden answer.")
        return

    warnings.simplefilter("ignore")
    import tensorflow as tf

    tf.get_logger().setLevel(logging.ERROR)
    refused = sum(renew(tf, subject) for subject in subjects)
    if refused:
        sys.exit(f"TensorFlow refuses {refused} rows that are not marked raises=True.")


def changed(subject: str) -> bool:
    return load(subject)[1] != {name(case): fingerprint(case) for case in SUBJECTS[subject]}


def renew(tf: Any, subject: str) -> int:
    """Stores the answers to a subject's rows; returns how many rows have none."""
    start, answers, rows, refused = time.perf_counter(), {}, {}, 0
    for case in SUBJECTS[subject]:
        try:
            answers[name(case)] = ask(tf, case)
        except Exception as e:  # the other rows are still asked
            refused += 1
            print(f"  {name(case)}: {type(e).__name__}: {e}")
            continue
        rows[name(case)] = fingerprint(case)
        if (answers[name(case)].error or ("",))[0] == "nothing":
            print(f"  {name(case)} is marked raises=True, but TensorFlow accepts it")
    save(subject, answers, rows, tf.__version__)
    print(f"{subject}: {len(answers)} rows in {time.perf_counter() - start:.1f} s")
    return refused


if __name__ == "__main__":
    main()
