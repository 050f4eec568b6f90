"""Rows for tapefacade/_ops/debugging/shapes.py."""

from cases.case import Case, f, i, raises

V, M = f(1, 2), f([[1, 2]])


def passes(path, inputs, id=""):
    return Case("debugging." + path, inputs, id=id, gradient=False)


def fails(path, inputs, static=None, id="error"):
    return raises("debugging." + path, inputs, static, id=id)


CASES = [
    passes("assert_rank", (V, 1)),
    Case("assert_rank", (1, 0), id="root"),
    passes("assert_rank", ([1, 2], 1), id="python"),
    fails("assert_rank", (V, 2)),
    fails("assert_rank", (V, 2, "m"), id="message"),
    fails("assert_rank", (V, "a"), id="text"),
    fails("assert_rank", (V, 1.5), id="float"),
    fails("assert_rank", (V, [1, 2]), id="list"),
    passes("assert_rank_at_least", (V, 1)),
    fails("assert_rank_at_least", (V, 2, "m")),
    passes("assert_rank_in", (V, [1, 2])),
    fails("assert_rank_in", (V, (0, 2))),
    fails("assert_rank_in", (V, [2], "m"), id="message"),
    passes("assert_type", (V, "float32")),
    fails("assert_type", (V, "int32")),
    fails("assert_type", (1.0, "int32", "m"), id="message"),
    passes("assert_integer", (i(1),)),
    fails("assert_integer", (V,)),
    fails("assert_integer", (1.0, "m"), id="message"),
    passes("assert_scalar", (f(1.0),)),
    fails("assert_scalar", (V,)),
    fails("assert_scalar", (V, "m"), id="message"),
    passes("assert_proper_iterable", ([1, 2],)),
    fails("assert_proper_iterable", ("a",), id="text"),
    fails("assert_proper_iterable", (1,), id="number"),
    passes("is_numeric_tensor", (V,)),
    passes("is_numeric_tensor", (1.0,), id="number"),
    passes("assert_same_float_dtype", ((f(1.0), V),)),
    passes("assert_same_float_dtype", (), id="default"),
    fails("assert_same_float_dtype", ((i(1), i(2)),), id="int"),
    fails("assert_same_float_dtype", ((M, i(2)),), id="different"),
    passes("assert_shapes", ([],)),
]
