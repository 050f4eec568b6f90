"""Rows for tapefacade/_ops/random/gamma_poisson.py."""

from cases.case import Case, d, f, i, raises
from cases.random.stateful import drawn

SEED = i(1, 2)

CASES = [
    drawn("random.gamma", ([3], 2.0)),
    drawn("random.gamma", ([3], [1.0, 2.0], [[1.0], [2.0]]), id="broadcast"),
    drawn("random.gamma", ([], d(2.0)), {"dtype": "float64"}, id="float64"),
    drawn("random.gamma", ([2], 2), id="int"),
    raises("random.gamma", ([2, -1], 2.0), id="negative"),
    drawn("random.stateless_gamma", ([3], SEED, 2.0)),
    drawn("random.stateless_gamma", ([3, 2], SEED, [1.0, 2.0], [[2.0], [1.0], [3.0]]), id="both"),
    raises("random.stateless_gamma", ([3], SEED, [1.0, 2.0]), id="shape"),
    drawn("random.poisson", ([3], 2.0)),
    drawn("random.poisson", ([3], [1.0, 2.0]), id="vector"),
    drawn("random.poisson", ([2], f(1, 2)), id="gradient"),
    drawn("random.poisson", ([3], 2, "int32"), id="int"),
    drawn("random.poisson", ([3], 2.0, "float64"), id="float64"),
    Case("random.poisson", ([3], [0.0, -1.0]), id="zero"),
    raises("random.poisson", (2, 2.0), id="int shape"),
    raises("random.poisson", ([3], 2.0, "bfloat16"), id="bfloat16"),
    drawn("random.stateless_poisson", ([3], SEED, 2.0)),
    drawn("random.stateless_poisson", ([3, 2], SEED, f(1, 2), "float32"), id="vector"),
    drawn("random.stateless_binomial", ([3], SEED, 10.0, 0.5)),
    drawn("random.stateless_binomial", ([3], SEED, [9.0, 9.0, 9.0], 0.5, "float32"), id="float"),
    Case("random.stateless_binomial", ([2], SEED, 10.0, 1.0), id="certain"),
]
