"""The assertions of tf.test.TestCase: which pass, which fail, and what those say."""

from programs.program import caught


def _case(tf):
    class Case(tf.test.TestCase):
        def runTest(self):  # noqa: N802 - unittest's name
            pass

    case = Case()
    case.setUp()
    return case


def _all(case, calls):
    return {f"{name} {k}": _one(case, name, *args) for k, (name, *args) in enumerate(calls)}


def _one(case, name, *args):
    found = caught(getattr(case, name), *args)
    if hasattr(found, "text"):
        found.text = found.text.split("\n")[0]
    return found


def closeness(tf, np):
    case, t = _case(tf), tf.constant
    nan = float("nan")
    return _all(
        case,
        [
            ("assertAllClose", [1.0, 2.0], t([1.0, 2.0])),
            ("assertAllClose", t([1.0, 2.0]), [1.0, 2.0 + 1e-7]),
            ("assertAllClose", [1.0, 2.0], t([1.0, 2.1])),
            ("assertAllClose", [1.0, 2.0], [1.1, 2.1], 0.0, 0.2),
            ("assertAllClose", [1.0, 2.0], [1.0]),
            ("assertAllClose", [1.0, nan], [1.0, nan]),
            ("assertAllClose", {"a": [1.0], "b": (2.0, t(3.0))}, {"a": [1.0], "b": (2.0, t(3.0))}),
            ("assertAllClose", {"a": [1.0], "b": 2.0}, {"a": [1.0], "b": 2.5}),
            ("assertAllClose", {"a": 1.0}, {"b": 1.0}),
            ("assertAllClose", {"a": 1.0}, [1.0]),
            ("assertAllClose", [t([1.0]), t([2.0, 3.0])], [t([1.0]), t([2.0, 3.5])]),
            ("assertAllClose", [1.0, 2.0], [1.5, 2.0], 1e-6, 1e-6, "a message"),
            ("assertAllClose", 1, t(1.0)),
            ("assertAllClose", tf.Variable(1.0), 1.0),
            ("assertNotAllClose", [1.0, 2.0], [1.0, 2.1]),
            ("assertNotAllClose", [1.0, 2.0], [1.0, 2.0]),
            ("assertAllCloseAccordingToType", t([1.0], tf.half), t([1.0004], tf.half)),
            ("assertAllCloseAccordingToType", t([1.0]), t([1.001])),
            ("assertAllCloseAccordingToType", t([1.0], tf.bfloat16), t([1.004], tf.bfloat16)),
            ("assertNear", 1.0, 1.05, 0.1),
            ("assertNear", 1.0, 1.5, 0.1),
            ("assertNear", 1.0, nan, 0.1),
            ("assertNear", 1.0, 1.5, 0.1, "a message"),
            ("assertNear", np.ones(1), t([[1.0]]), 0.1),
            ("assertNear", np.ones(1), t([[1.5]]), 0.1),
            ("assertNear", np.ones(2), 1.0, 0.1),
            ("assertArrayNear", [1.0, 2.0], [1.0, 2.05], 0.1),
            ("assertArrayNear", [1.0, 2.0], [1.0, 2.5], 0.1),
            ("assertArrayNear", [1.0, 2.0], [1.0], 0.1),
            ("assertNDArrayNear", np.ones(2), np.ones(2) + 0.05, 0.1),
            ("assertNDArrayNear", np.ones(2), np.ones(2) + 0.5, 0.1),
        ],
    )


def equality(tf, np):
    case, t = _case(tf), tf.constant
    nan = float("nan")
    return _all(
        case,
        [
            ("assertAllEqual", [1, 2], t([1, 2])),
            ("assertAllEqual", [1, 2], t([1, 3])),
            ("assertAllEqual", [1, 2], [1]),
            ("assertAllEqual", [[1, 2]], [[1, 2]]),
            ("assertAllEqual", [1, 2], [1.0, 2.0]),
            ("assertAllEqual", [nan], [nan]),
            ("assertAllEqual", True, t(True)),
            ("assertAllEqual", ["a", "b"], ["a", "b"]),
            ("assertAllEqual", ["a", "b"], ["a", "c"]),
            ("assertAllEqual", 1, 2, "a message"),
            ("assertAllEqual", [], []),
            ("assertAllEqual", [[1], [2, 3]], [[1], [2, 3]]),
            ("assertAllEqual", [[1], [2, 3]], [[1], [2, 4]]),
            ("assertNotAllEqual", [1, 2], [1, 3]),
            ("assertNotAllEqual", [1, 2], [1, 2]),
            ("assertAllGreater", [1.0, 2.0], 0.5),
            ("assertAllGreater", [1.0, 2.0], 1.0),
            ("assertAllGreaterEqual", [1.0, 2.0], 1.0),
            ("assertAllGreaterEqual", [1.0, 2.0], 1.5),
            ("assertAllLess", [1.0, 2.0], 2.5),
            ("assertAllLess", [1.0, 2.0], 2.0),
            ("assertAllLessEqual", [1.0, 2.0], 2.0),
            ("assertAllLessEqual", t([1.0, 2.0]), 1.5),
            ("assertAllInRange", [1.0, 2.0], 1.0, 2.0),
            ("assertAllInRange", [1.0, 2.0], 1.0, 1.5),
            ("assertAllInRange", [1.0, 2.0], 1.0, 2.0, True),
            ("assertAllInRange", [1.0, 2.0], 1.0, 2.0, False, True),
            ("assertAllInRange", ["a"], 1.0, 2.0),
            ("assertAllInSet", [1, 2, 1], {1, 2}),
            ("assertAllInSet", [1, 2, 3], {1, 2}),
            ("assertShapeEqual", np.ones([2, 3]), tf.zeros([2, 3])),
            ("assertShapeEqual", np.ones([2, 3]), tf.zeros([3, 2])),
            ("assertShapeEqual", [1], tf.zeros([1])),
            ("assertDTypeEqual", t([1.0]), np.float32),
            ("assertDTypeEqual", t([1.0]), "float64"),
            ("assertDTypeEqual", np.ones(1), np.float64),
            ("assertDTypeEqual", [1.0], np.float64),
            ("assertDTypeEqual", t([1.0]), tf.float32),
            ("assertDeviceEqual", "/cpu:0", "/device:CPU:0"),
            ("assertDeviceEqual", "/CPU:0", "/GPU:0"),
            ("assertItemsEqual", [1, 2], [2, 1]),
            ("assertItemsEqual", [1, 2], [2, 2]),
            ("assertStartsWith", "abc", "ab"),
            ("assertStartsWith", "abc", "b"),
            ("assertStartsWith", "abc", "b", "a message"),
        ],
    )


def containers(tf, np):
    case = _case(tf)
    return _all(
        case,
        [
            ("assertEmpty", []),
            ("assertEmpty", [1]),
            ("assertEmpty", 1),
            ("assertNotEmpty", [1]),
            ("assertNotEmpty", ()),
            ("assertLen", [1, 2], 2),
            ("assertLen", [1, 2], 3),
            ("assertLen", tf.ones([2, 3]), 2),
            ("assertLen", 5, 3),
            ("assertBetween", 1, 0, 2),
            ("assertBetween", 3, 0, 2),
            ("assertEndsWith", "abc", "bc"),
            ("assertEndsWith", "abc", "b"),
            ("assertNotEndsWith", "abc", "bc"),
            ("assertNotStartsWith", "abc", "ab"),
            ("assertSameElements", [1, 2, 2], [2, 1]),
            ("assertSameElements", [1, 2], [2, 3]),
            ("assertContainsSubset", {1}, [1, 2]),
            ("assertContainsSubset", {1, 3}, [1, 2]),
            ("assertNoCommonElements", [1], [2]),
            ("assertNoCommonElements", [1, 2], [2]),
            ("assertSequenceAlmostEqual", [1.0, 2.0], [1.0, 2.0000000001]),
            ("assertSequenceAlmostEqual", [1.0, 2.0], [1.0, 2.1]),
            ("assertDictAlmostEqual", {"a": 1.0}, {"a": 1.0}),
            ("assertContainsInOrder", ["a", "c"], "abc"),
            ("assertContainsInOrder", ["c", "a"], "abc"),
            ("assertContainsSubsequence", [1, 2, 3], [1, 3]),
            ("assertContainsSubsequence", [1, 2, 3], [3, 1]),
            ("assertContainsExactSubsequence", [1, 2, 3], [2, 3]),
            ("assertContainsExactSubsequence", [1, 2, 3], [1, 3]),
            ("assertTotallyOrdered", [1], [2, 2], [3]),
            ("assertTotallyOrdered", [2], [1]),
            ("assertRegexMatch", "abc", ["x", "b"]),
            ("assertRegexMatch", "abc", ["x"]),
            ("assertIsSubclass", int, object),
            ("assertIsSubclass", int, str),
            ("assertSameStructure", {"a": [1]}, {"a": [1]}),
            ("assertSameStructure", {"a": [1]}, {"a": [2]}),
        ],
    )


def errors(tf, np):
    case = _case(tf)
    x = tf.ones([2, 3])

    def raising(context, *args):
        def run():
            with getattr(case, context)(*args):
                tf.matmul(x, x).numpy()

        found = caught(run)
        if hasattr(found, "text"):
            found.text = found.text.split(" In[")[0].split(" <class")[0]
        return found

    return {
        "op": raising("assertRaisesOpError", "Matrix size-incompatible"),
        "op of another text": raising("assertRaisesOpError", "something else"),
        "predicate": raising(
            "assertRaisesWithPredicateMatch",
            tf.errors.InvalidArgumentError,
            lambda error: "incompatible" in str(error),
        ),
        "class": raising("assertRaises", tf.errors.InvalidArgumentError),
        "another class": raising("assertRaises", ValueError),
        "literal": caught(case.assertRaisesWithLiteralMatch, KeyError, "'a'", lambda: {}["a"]),
        "nothing raised": caught(case.assertRaisesWithLiteralMatch, KeyError, "a", lambda: 1),
    }


def evaluation(tf, np):
    case = _case(tf)
    structure = {"a": tf.constant([1.0, 2.0]), "b": (tf.constant(1), tf.Variable(2.0))}
    found = case.evaluate(structure)
    with case.session() as session:
        ran = case.evaluate(structure)
    with case.cached_session() as cached:
        pass
    parts = [
        tf.sparse.from_dense([[0.0, 2.0]]),
        tf.IndexedSlices(tf.constant([1.0]), tf.constant([2])),
        tf.IndexedSlices(tf.constant([1.0]), tf.constant([2]), tf.constant([5])),
        lambda: tf.constant(3.0),
    ]
    values = case.evaluate(parts)
    return {
        "parts": [[type(value).__name__ for value in values], [list(v) for v in values[:3]]],
        "called": values[3],
        "session": ran,
        "nothing of a session": caught(lambda: session.run(structure)),
        "cached session": [
            cached.run(structure),
            cached.run(lambda: structure["a"], feed_dict={}),
            caught(lambda: cached.run(structure, feed_dict={"a": 1})),
            caught(lambda: cached.run(structure, None, options=1)),
            caught(lambda: cached.graph),
        ],
        "structure": found,
        "kinds": [type(found["a"]).__name__, type(found["b"]).__name__],
        "tensor": case.evaluate(tf.constant(3)),
        "none": case.evaluate([tf.constant(1), None]),
        "python": caught(case.evaluate, [1, None]),
        "both": case.evaluate_if_both_tensors(tf.constant(1), tf.constant(2)),
        "one": case.evaluate_if_both_tensors(1, 2),
        "directories": [
            case.get_temp_dir() == case.get_temp_dir(),
            __import__("os").path.isdir(case.get_temp_dir()),
        ],
    }


def seeds(tf, np):
    case = _case(tf)
    numbers = [np.random.rand(), __import__("random").random()]
    case.setUp()
    return {"numpy and python": numbers == [np.random.rand(), __import__("random").random()]}


def machine(tf, np):
    test = tf.test
    ran = []

    class Case(test.TestCase):
        @test.disable_with_predicate(pred=lambda: True, skip_message="not here")
        def test_never(self):
            ran.append("never")

        @test.disable_with_predicate(lambda: False, "not here")
        def test_always(self):
            ran.append("always")

        @test.with_eager_op_as_function
        def test_plain(self):
            ran.append("plain")

    result = __import__("unittest").TestResult()
    for name in ("test_never", "test_always", "test_plain"):
        Case(name).run(result)
    return {
        "ran": ran,
        "skipped": [reason for _, reason in result.skipped],
        "wrong": [len(result.errors), len(result.failures), result.testsRun],
        "kinds": [test.is_built_with_rocm(), test.is_built_with_xla()],
        "class": issubclass(test.TestCase, __import__("unittest").TestCase),
    }


def gradients(tf, np):
    def one(function, *inputs, **keywords):
        theory, numbers = tf.test.compute_gradient(function, list(inputs), **keywords)
        return [theory, [np.round(n, 2) for n in numbers]]

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64)
    c = tf.constant([1.0 + 2.0j, 0.5 - 1.0j], tf.complex128)
    return {
        "matmul": one(lambda a, b: a @ b, x, x),
        "square": one(tf.square, tf.constant([1.0, 2.0])),
        "numpy": one(tf.reduce_sum, np.array([1.0, 2.0])),
        "delta": one(tf.exp, tf.constant(0.5), delta=0.01),
        "complex": one(lambda z: z * z, c),
        "to real": one(tf.abs, tf.constant([3.0 + 4.0j], tf.complex128)),
        "unconnected": one(lambda a, b: a * 1.0, tf.constant([1.0]), tf.constant([2.0, 3.0])),
        "not a list": caught(lambda: tf.test.compute_gradient(tf.square, tf.constant(1.0))),
        "two outputs": caught(lambda: tf.test.compute_gradient(lambda a: (a, a), [1.0])),
        "scalars": one(lambda a: a * 2.0, tf.constant(1.5)),
    }


def messages_of_protobuf(tf, np):
    message = tf.train.FloatList(value=[1.0, 2.5])

    def equal(expected):
        return caught(lambda: _case(tf).assertProtoEquals(expected, message))

    found = [equal("value: 1.0 value: 2.5"), equal(message), equal(tf.train.Int64List(value=[1]))]
    return [getattr(each, "name", each) for each in found]
