"""Rows for tapefacade/_ops/nn/sampled_losses.py."""

import numpy as np

from cases.case import Case, f, i, raises
from cases.random.stateful import drawn

UNIFORM, LOGARITHMIC, LEARNED, FIXED = (
    f"random.{kind}_candidate_sampler"
    for kind in ("uniform", "log_uniform", "learned_unigram", "fixed_unigram")
)
ALL, HITS = "random.all_candidate_sampler", "nn.compute_accidental_hits"
NCE, SOFTMAX = "nn.nce_loss", "nn.sampled_softmax_loss"
TRUE = i([[0, 3], [5, 2]], dtype="int64")
W, B = f(np.linspace(-1, 2, 30).reshape(10, 3)), f(np.linspace(1, 0, 10))
X = f([[1, 2, 3], [0.5, -1, 0]])
LABELS, PAIRS = i([[1], [2]], dtype="int64"), i([[1, 3], [2, 2]], dtype="int64")
SAMPLED = i(1, 2, 1, 5, dtype="int64")
VALUES = (SAMPLED, f([[0.5], [0.4]]), f(0.5, 0.4, 0.5, 0.2))
PAIR_VALUES = (SAMPLED, f([[0.5, 0.1], [0.4, 0.4]]), f(0.5, 0.4, 0.5, 0.2))


def loss(path, labels=LABELS, id="", weights=W, **static):
    return Case(path, (weights, B, labels, X, 4, 10), static, id=id, rtol=1e-5)


CASES = [
    *[
        row
        for path in (UNIFORM, LOGARITHMIC, LEARNED, FIXED)
        for more in [{"unigrams": [1.0] * 10} if path == FIXED else {}]
        for row in (
            drawn(path, (TRUE, 2, 3, False, 10), more),
            Case(path, (TRUE, 2, 1, False, 10), {**more, "seed": 3}, id="one", values=False),
            raises(path, (TRUE, 2, 11, True, 10), more, id="too many"),
            raises(path, (TRUE, 3, 3, True, 10), more, id="num_true"),
            raises(path, (i([[20, 1]], dtype="int64"), 2, 3, True, 10), more, id="out of range"),
            raises(path, (i(1, 2, dtype="int64"), 2, 3, True, 10), more, id="vector"),
            raises(path, (TRUE, 2, 0, True, 10), more, id="none"),
        )
    ],
    Case(UNIFORM, (i([[0]], dtype="int64"), 1, 5, False, 1), id="one class"),
    Case(
        FIXED,
        (i([[1]], dtype="int64"), 1, 3, False, 3),
        {"unigrams": [0.0, 1.0, 0.0]},
        id="certain",
    ),
    raises(FIXED, (TRUE, 2, 3, True, 10), id="no weights"),
    raises(FIXED, (TRUE, 2, 3, True, 10), {"unigrams": [1.0]}, id="weights"),
    raises(FIXED, (TRUE, 2, 3, True, 10), {"unigrams": [1.0], "vocab_file": "x"}, id="both"),
    Case(ALL, (TRUE, 2, 10, True)),
    raises(ALL, (TRUE, 2, 5, True), id="out of range"),
    Case(HITS, (TRUE, i(2, 0, 7, 5, 2, dtype="int64"), 2)),
    Case(HITS, (TRUE, i(12, dtype="int64").reshape(1), 2), id="none"),
    raises(HITS, (TRUE, i(2, 0, dtype="int64"), 3), id="num_true"),
    raises(HITS, (TRUE, i([[2, 0]], dtype="int64"), 2), id="matrix"),
    *[
        row
        for path in (NCE, SOFTMAX)
        for row in (
            Case(path, (W, B, LABELS, X, 4, 10), values=False, numerical=False),
            loss(path, id="sampled", sampled_values=VALUES),
            loss(path, id="hits", sampled_values=VALUES, remove_accidental_hits=True),
            loss(path, id="no hits", sampled_values=VALUES, remove_accidental_hits=False),
            loss(path, PAIRS, id="pairs", sampled_values=PAIR_VALUES, num_true=2),
            loss(path, id="parts", weights=[W[:5], W[5:]], sampled_values=VALUES),
            raises(path, (W, B, i([[20], [1]], dtype="int64"), X, 4, 10), id="label"),
            raises(path, (W, B, LABELS, X, 11, 10), id="too many"),
            raises(path, (W, B, LABELS, f(np.ones((2, 4))), 4, 10), id="inputs"),
        )
    ],
]
