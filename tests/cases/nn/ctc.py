"""Rows for tapefacade/_ops/nn/ctc.py."""

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


CASES_CTC = [
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


M = i([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]])
COLLAPSE = "nn.collapse_repeated"

CASES_LABELS = [
    Case(COLLAPSE, (M, i(5, 3))),
    Case(COLLAPSE, (M.astype("int64"), [5, 4]), id="int64"),
    Case(COLLAPSE, (M, [5, 0]), id="nothing"),
    Case(COLLAPSE, (M, [5, 9]), id="long"),
    Case(COLLAPSE, (i([[1, 1, 2]]), [-1]), id="negative"),
    Case(COLLAPSE, (f([[], []]), [0, 0]), id="empty", gradient=False),
    Case(COLLAPSE, (M.astype("float32"), [5, 4]), id="float", gradient=False),
    raises(COLLAPSE, (np.zeros((0, 3), "int32"), i([])), id="no rows"),
    raises(COLLAPSE, (i(1, 1, 2), i([3])), id="vector"),
    raises(COLLAPSE, (i([[1, 1, 2]]), [3, 1]), id="lengths"),
]


CASES = [*CASES_CTC, *CASES_LABELS]
