"""One precision and no silent promotion, on every device; names for the doctests."""

import jax
import numpy as np
import pytest

collect_ignore = ["goldens"]  # needs TensorFlow

jax.config.update("jax_numpy_dtype_promotion", "strict")
jax.config.update("jax_default_matmul_precision", "highest")


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace):
    import tapefacade as tf

    doctest_namespace.update(tf=tf, np=np, jax=jax)


def pytest_addoption(parser):
    parser.addoption("--subject", action="append", help="only these subjects of tests/cases")


def pytest_collection_modifyitems(config, items):
    chosen = config.getoption("--subject")
    if not chosen:
        return
    import cases

    wanted = {id(case) for subject in chosen for case in cases.SUBJECTS[subject]}
    params = [getattr(getattr(item, "callspec", None), "params", {}) for item in items]
    kept = [i for i, p in zip(items, params, strict=True) if id(p.get("case")) in wanted]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
