"""Rows for the loss of connectionist temporal classification."""

import numpy as np

from cases.case import Case, f, i, raises

LOSS, UNIQUE = "nn.ctc_loss", "nn.ctc_unique_labels"
X = f(np.sin(np.arange(60) ** 2).reshape(5, 3, 4))
LABELS = i([[1, 2, 2], [3, 1, 0], [1, 0, 0]])
LENGTHS, FRAMES = i(3, 2, 1), i(5, 4, 3)


def loss(id="", logits=X, labels=LABELS, lengths=LENGTHS, frames=FRAMES, **static):
    # Its second derivatives are NaN in TensorFlow: tests/programs/sampling.py asks for the first.
    inputs = (labels, logits, lengths, frames)
    return Case(LOSS, inputs, static, id=id, rtol=1e-5, gradient=False)


CASES = [
    loss(),
    loss("batch major", X.transpose(1, 0, 2).copy(), logits_time_major=False),
    loss("blank at the end", blank_index=-1),
    loss("blank", blank_index=2),
    loss("float16", X.astype("float16")),
    loss("int64", labels=LABELS.astype("int64")),
    loss("no labels", lengths=i(0, 0, 1)),
    loss("too few frames", frames=i(2, 4, 0)),
    loss("nothing", lengths=i(0, 0, 0), frames=i(0, 1, 2)),
    raises(LOSS, (LABELS, X, None, FRAMES), id="no lengths"),
    Case(UNIQUE, (LABELS,)),
    Case(UNIQUE, (i([[3, 4, 4, 3, 0], [0, 0, 1, 0, 2]], dtype="int64"),), id="int64"),
]
