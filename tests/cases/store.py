"""Golden answers on disk: one `.npz` a subject, an index in JSON and the bytes of all arrays."""

import dataclasses
import json
import pathlib
from typing import Any

import ml_dtypes  # noqa: F401  NumPy then knows "bfloat16" by name
import numpy as np

from cases.answer import Answer

FOLDER = pathlib.Path(__file__).parents[1] / "goldens" / "cases"
ARRAYS = ("values", "gradient", "second")


def golden_path(subject: str) -> pathlib.Path:
    """Where the answers to `nn.pooling` are: `nn/pooling.npz`."""
    return FOLDER.joinpath(*subject.split(".")).with_suffix(".npz")


def load(subject: str) -> tuple[dict[str, Answer], dict[str, str]]:
    """The answers and the fingerprints of their rows, by name; nothing where nothing is stored."""
    path = golden_path(subject)
    if not path.exists():
        return {}, {}
    with np.load(path, allow_pickle=False) as file:
        index, data = json.loads(file["index"].tobytes()), file["data"].tobytes()
    answers = {}
    for key, fields in index["answers"].items():
        for field in ARRAYS:
            if fields[field] is not None:
                fields[field] = [unpacked(entry, data) for entry in fields[field]]
        for field in ("error", "gradient_error", "second_error"):
            fields[field] = fields[field] and tuple(fields[field])
        answers[key] = Answer(**fields)
    return answers, index["rows"]


def save(subject: str, answers: dict[str, Answer], rows: dict[str, str], version: str) -> None:
    data = bytearray()
    index: dict[str, Any] = {"tensorflow": version, "rows": rows, "answers": {}}
    for key, answer in answers.items():
        fields = dataclasses.asdict(answer)
        for field in ARRAYS:
            if fields[field] is not None:
                fields[field] = [packed(v, data) for v in getattr(answer, field)]
        index["answers"][key] = fields
    text = json.dumps(index, separators=(",", ":"), sort_keys=True).encode()
    golden_path(subject).parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        golden_path(subject),
        allow_pickle=False,
        index=np.frombuffer(text, np.uint8),
        data=np.frombuffer(bytes(data), np.uint8),
    )


def packed(value: np.ndarray | None, data: bytearray) -> list | None:
    if value is None:
        return None
    if value.dtype == object:  # strings
        return ["string", list(value.shape), [v.decode("latin1") for v in value.ravel()]]
    start = len(data)
    data += value.tobytes()
    return [value.dtype.name, list(value.shape), start]


def unpacked(entry: list | None, data: bytes) -> np.ndarray | None:
    if entry is None:
        return None
    dtype, shape, start = entry
    if dtype == "string":
        return np.array([v.encode("latin1") for v in start], object).reshape(shape)
    count = int(np.prod(shape))
    return np.frombuffer(data, np.dtype(dtype), count, start).reshape(shape)
