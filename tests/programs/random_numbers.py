"""Random numbers that a seed repeats: the numbers themselves are TensorFlow's."""

import copy
import pickle

from programs.program import caught


def global_seeds(tf, np):
    found = {}
    for seed in (1, 0, 2**40 + 5, -3):
        tf.random.set_seed(seed)
        found[seed] = [
            tf.random.uniform([3]),
            tf.random.normal([2, 3], 1.0, 2.0),
            tf.random.truncated_normal([5]),
            tf.random.uniform([4], 0, 10, tf.int32),
            tf.random.uniform([4], -5, 2**40, tf.int64),
            tf.random.uniform([2], dtype=tf.float64),
            tf.random.normal([2], dtype=tf.float16),
        ]
    return found


def seeds_of_ops(tf, np):
    tf.random.set_seed(1)
    alone = [tf.random.uniform([3], seed=7) for _ in range(3)]
    tf.random.set_seed(1)
    among = [
        tf.random.uniform([3], seed=7),
        tf.nn.dropout(tf.ones([3]), 0.5, seed=7),
        tf.random.normal([3], seed=7),
        tf.random.uniform([3], seed=7),
        tf.random.uniform([3], seed=7, dtype=tf.float64),
        tf.random.uniform([3], 0, 5, tf.int32, seed=7),
        tf.random.truncated_normal([3], seed=-7),
        tf.random.truncated_normal([3], seed=-7),
        tf.random.uniform([3]),
    ]
    tf.random.set_seed(0)
    zeros = tf.random.uniform([2], seed=0)
    return {"alone": alone, "among": among, "zeros": zeros}


def orders(tf, np):
    tf.random.set_seed(2)
    x = tf.range(20)
    return [
        tf.random.shuffle(x),
        tf.random.shuffle(x),
        [tf.random.shuffle(x, seed=3) for _ in range(2)],
        tf.random.shuffle(tf.reshape(x, [10, 2])),
        tf.random.shuffle(x[:1]),
        tf.random.shuffle(x[:0]),
        tf.random.shuffle(tf.constant(3)),
        tf.random.uniform([2]),
    ]


def classes(tf, np):
    tf.random.set_seed(2)
    logits = tf.constant([[0.0, 1.0, 2.0], [3.0, 0.0, -1.0]])
    return [
        tf.random.categorical(logits, 5),
        tf.random.categorical(logits, 5, dtype=tf.int32),
        [tf.random.categorical(logits, 3, seed=5) for _ in range(2)],
        tf.random.categorical(tf.zeros([1, 100]), 40),
    ]


def dropping(tf, np):
    tf.random.set_seed(3)
    x = tf.ones([3, 4])
    return [
        tf.nn.dropout(x, 0.5),
        tf.nn.dropout(x, 0.25, noise_shape=[3, 1]),
        tf.nn.dropout(x, 0.0),
        tf.nn.dropout(tf.cast(x, tf.float64), 0.5),
    ]


def initial_values(tf, np):
    tf.random.set_seed(4)
    seeded = tf.random_normal_initializer(seed=3)
    return [
        tf.random_normal_initializer()([3]),
        tf.random_uniform_initializer()([3]),
        seeded([3]),
        seeded([3]),
        tf.random_uniform_initializer(seed=3)([3]),
        tf.random.normal([2]),
    ]


def images(tf, np):
    tf.random.set_seed(5)
    image = tf.reshape(tf.range(48.0), [4, 4, 3])
    return [
        tf.image.random_flip_left_right(image)[0],
        tf.image.random_flip_up_down(tf.stack([image] * 4))[:, 0, 0, 0],
        tf.image.random_crop(image, [2, 2, 3]),
        tf.image.random_brightness(image, 0.2)[0],
        tf.image.stateless_random_flip_left_right(image, [1, 2])[0],
        tf.image.stateless_random_crop(image, [2, 2, 3], [1, 2]),
    ]


def candidates(tf, np):
    tf.random.set_seed(6)
    true = tf.constant([[0, 3], [5, 2]], tf.int64)
    weights = [float(k) for k in range(1, 11)]
    found = []
    for unique, seed in ((False, None), (True, None), (False, 3), (True, 3)):
        for _ in range(2):
            found += [
                tf.random.uniform_candidate_sampler(true, 2, 7, unique, 10, seed=seed),
                tf.random.log_uniform_candidate_sampler(true, 2, 7, unique, 10, seed=seed),
                tf.nn.learned_unigram_candidate_sampler(true, 2, 7, unique, 10, seed=seed),
                tf.nn.fixed_unigram_candidate_sampler(
                    true, 2, 7, unique, 10, unigrams=weights, distortion=0.7, seed=seed
                ),
            ]
    found += [
        tf.nn.fixed_unigram_candidate_sampler(
            [[0, 1]], 2, 5, False, 3, unigrams=weights[:6], num_shards=2, shard=1
        ),
        tf.nn.fixed_unigram_candidate_sampler(
            [[0, 1]], 2, 5, False, 12, unigrams=weights, num_reserved_ids=2
        ),
    ]
    return [list(result) for result in found]


def losses_that_sample(tf, np):
    tf.random.set_seed(7)
    weights = tf.reshape(tf.linspace(-1.0, 2.0, 30), [10, 3])
    biases, inputs = tf.linspace(1.0, 0.0, 10), tf.constant([[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]])
    labels = tf.constant([[1, 3], [2, 2]], tf.int64)
    found = []
    for loss in (tf.nn.nce_loss, tf.nn.sampled_softmax_loss):
        for remove in (False, True):
            with tf.GradientTape() as tape:
                tape.watch([weights, biases, inputs])
                y = loss(weights, biases, labels, inputs, 4, 10, 2, remove_accidental_hits=remove)
            gradients = tape.gradient(y, [weights, biases, inputs])
            found.append([y, *[tf.convert_to_tensor(g) for g in gradients]])
    return found


def gradients_of_ctc_loss(tf, np):
    logits = tf.reshape(tf.sin(tf.range(60.0)), [5, 3, 4])
    labels = tf.constant([[1, 2, 2], [3, 1, 0], [1, 0, 0]])
    lengths, frames = tf.constant([3, 2, 1]), tf.constant([5, 4, 3])
    sparse = tf.sparse.from_dense(labels)
    found = {}
    for name, given, more in (
        ("first", labels, {}),
        ("last", labels, {"blank_index": -1}),
        ("unique", labels, {"unique": tf.nn.ctc_unique_labels(labels)}),
        ("sparse", sparse, {"blank_index": 0}),
        ("sparse last", sparse, {"blank_index": 3}),
    ):
        with tf.GradientTape() as tape:
            tape.watch(logits)
            y = tf.nn.ctc_loss(given, logits, lengths, frames, **more)
        found[name] = [y, tape.gradient(y, logits)]
    few = tf.constant([2, 1, 3])
    return {
        **found,
        "no blank": caught(lambda: tf.nn.ctc_loss(sparse, logits, None, frames)),
        "too few": caught(lambda: tf.nn.ctc_loss(sparse, logits, None, few, blank_index=0)),
    }


def decoders_of_ctc(tf, np):
    logits = 3 * tf.sin(tf.reshape(tf.range(96.0), [8, 3, 4]) ** 2)
    frames = tf.constant([8, 0, 5])
    greedy, beams = tf.nn.ctc_greedy_decoder, tf.nn.ctc_beam_search_decoder
    found = {}
    for name, call in {
        "greedy": lambda: greedy(logits, frames),
        "repeated": lambda: greedy(logits, frames, merge_repeated=False),
        "blank": lambda: greedy(logits, frames, blank_index=0),
        "beams": lambda: beams(logits[:5], tf.minimum(frames, 5), 400),
        "two": lambda: beams(logits[:4, ::2], tf.constant([4, 3]), 200, 2),
    }.items():
        decoded, scores = call()
        found[name] = [[[s.indices, s.values, s.dense_shape] for s in decoded], scores]
    return {
        **found,
        "matrix": caught(lambda: greedy(logits[0], frames)),
        "lengths": caught(lambda: greedy(logits, frames[:2])),
        "long": caught(lambda: beams(logits, frames + 9)),
        "index": caught(lambda: greedy(logits, frames, blank_index=7)),
        "paths": caught(lambda: beams(logits, frames, 1, 2)),
        "leaves": caught(lambda: beams(logits, frames, 9, 3)),
    }


def generators_from_seeds(tf, np):
    make = tf.random.Generator.from_seed
    found = {str(seed): make(seed).state for seed in (5, -1, 2**70, 2**63, -(2**70), 2**200, True)}
    found |= {
        "list": make([1, 2]).state,
        "long list": make([1, 2, 3, 4]).state,
        "numpy": make(np.int64(5)).state,
        "tensor": make(tf.constant([7, 8], tf.uint32)).state,
        "float": make(1.5).state,
        "none": caught(lambda: make(None)),
        "state": [tf.random.create_rng_state(5, alg) for alg in ("philox", 2, "auto_select")],
        "unknown": caught(lambda: make(5, alg="x")),
        "float algorithm": caught(lambda: make(5, alg=1.5)),
        "threefry": caught(lambda: make(5, alg="threefry").normal([2])),
    }
    return found


def states(tf, np):
    make = tf.random.Generator
    g = make.from_state([3, 4, 5], "philox")
    v = tf.Variable([1, 2, 3], dtype=tf.int64)
    shared = make.from_state(v, tf.random.Algorithm.PHILOX)
    shared.skip(2)
    return {
        "state": [g.state, g.key, g.algorithm],
        "key and counter": make.from_key_counter(3, [1, 2], "philox").state,
        "shared": [v, shared.state is v],
        "free": [make.from_non_deterministic_state().state.shape],
        "auto": make.from_seed(5, "auto_select").algorithm,
        "short": caught(lambda: make.from_state([3, 4], 1)),
        "matrix": caught(lambda: make.from_state([[3, 4, 5]], 1)),
        "counter": caught(lambda: make.from_key_counter(3, [7], 1)),
        "key": caught(lambda: make.from_key_counter([3], [7, 8], 1)),
        "nothing": caught(lambda: make()),
        "copy": make(copy_from=g).state,
        "class": [isinstance(g, tf.random.Generator), type(g.state).__name__],
    }


def resetting(tf, np):
    g = tf.random.Generator.from_seed(1)
    found = []
    for change in (
        lambda: g.reset([7, 8, 9]),
        lambda: g.reset_from_seed(4),
        lambda: g.reset_from_key_counter(1, [2, 3]),
        lambda: g.skip(3),
        lambda: g.skip(-1),
        lambda: g.skip(tf.constant(2)),
        lambda: g.reset([-1, -1, 5]),
        lambda: g.skip(1),
        lambda: g.skip(2**54),
    ):
        found.append([change(), g.state.numpy()])
    errors = [caught(lambda: g.reset([1, 2])), caught(lambda: g.skip([1, 2]))]
    return found, errors


def draws(tf, np):
    g = tf.random.Generator.from_seed(1)
    found = []
    for draw in (
        lambda: g.normal([7]),
        lambda: g.normal([2, 3], 1.0, [1.0, 2.0, 3.0], tf.float64),
        lambda: g.normal([]),
        lambda: g.normal([0, 2]),
        lambda: g.truncated_normal([5], dtype=tf.float16),
        lambda: g.uniform([3]),
        lambda: g.uniform([3], -1, 5.0, tf.bfloat16),
        lambda: g.uniform([4], 0, 10, tf.int32),
        lambda: g.uniform([4], None, None, tf.int64),
        lambda: g.uniform_full_int([3]),
        lambda: g.uniform_full_int([3], tf.int32),
        lambda: g.make_seeds(3),
        lambda: [other.state for other in g.split(2)],
    ):
        found.append([draw(), g.state.numpy()])
    return found


def refused_draws(tf, np):
    g = tf.random.Generator.from_seed(1)
    return {
        "no maximum": caught(lambda: g.uniform([2], dtype=tf.int32)),
        "one limit": caught(lambda: g.uniform([2], None, 3, tf.int32)),
        "limits": caught(lambda: g.uniform([2], 5, 5, tf.int32)),
        "vector": caught(lambda: g.uniform([2], [1, 2], 5, tf.int32)),
        "shape": caught(lambda: g.normal(3)),
        "negative": caught(lambda: g.normal([-1])),
        "None": caught(lambda: g.normal(None)),
        "integers": caught(lambda: g.normal([2], dtype=tf.int32)),
        "uint8": caught(lambda: g.uniform_full_int([2], tf.uint8)),
        "complex": caught(lambda: g.uniform([2], dtype=tf.complex64)),
        "state": g.state,
    }


def binomial_numbers(tf, np):
    g = tf.random.Generator.from_state([3, 4, 5], "philox")
    found = []
    for shape, counts, chances in (
        ([7], 5.0, 1.0),
        ([2, 4], [1.0] * 4, 0.0),
        ([3, 2], [1.0, 2.0], 1.0),
        ([], 5.0, 1.0),
        ([0], 5.0, 1.0),
    ):
        found.append([g.binomial(shape, counts, chances), g.state.numpy()])
    return found, g.binomial([2], 5.0, 0.5, tf.int64).dtype


def copies(tf, np):
    g = tf.random.Generator.from_seed(1)
    g.normal([2])
    others = [copy.deepcopy(g), pickle.loads(pickle.dumps(g)), tf.random.Generator(copy_from=g)]
    return {"own": [other.normal([2]) for other in others], "first": g.normal([2])}


def on_a_tape(tf, np):
    g = tf.random.Generator.from_seed(2)
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = g.normal([3], mean=w, stddev=w) + g.uniform([3], 0.0, w)
    return tape.gradient(y, w), [v.name for v in tape.watched_variables()]


def the_global_generator(tf, np):
    g = tf.random.Generator.from_seed(2)
    tf.random.set_global_generator(g)
    tf.random.set_seed(3)
    same = tf.random.get_global_generator() is g
    return same, g.state, tf.random.experimental.get_global_generator().uniform([2])


def namespaces(tf, np):
    names = ("Algorithm", "Generator")
    same = [getattr(tf.random, name) is getattr(tf.random.experimental, name) for name in names]
    return same, [str(a) for a in tf.random.Algorithm]


def by_rejection(tf, np):
    alpha = [0.0, 0.1, 0.7, 1.0, 1.5, 30.0]
    rates = [-1.0, 0.0, 0.5, 9.9, 10.0, 1000.0]
    counts, chances = [0.0, 5.0, 20.0, 1000.0, 90.0, 7.0], [0.5, 0.9, 0.2, 0.02, 0.7, 1.0]
    tf.random.set_seed(3)
    g = tf.random.Generator.from_seed(4)
    return {
        "gamma": [tf.random.gamma([4], alpha) for _ in range(2)],
        "of a seed": [tf.random.gamma([4], 2.0, seed=5) for _ in range(2)],
        "rates": tf.random.gamma([3], 0.3, [[2.0, 4.0]]),
        "stateless gamma": tf.random.stateless_gamma([40, 6], [1, 2], alpha),
        "float64": tf.random.stateless_gamma([5], [1, 2], 0.4, dtype=tf.float64),
        "float16": tf.random.stateless_gamma([5], [1, 2], 0.4, dtype=tf.float16),
        "poisson": [tf.random.poisson([4], rates) for _ in range(2)],
        "int32": [tf.random.poisson([4, 2], 3.0, tf.int32, seed=5) for _ in range(2)],
        "stateless poisson": tf.random.stateless_poisson([40, 6], [1, 2], rates, tf.int64),
        "binomial": tf.random.stateless_binomial([40, 6], [1, 2], counts, chances),
        "generator": [
            g.binomial([3, 6], counts, chances),
            g.binomial([4], 9.0, 0.4),
            g.normal([2]),
        ],
        "shape": caught(lambda: tf.random.stateless_gamma([3], [1, 2], [1.0])),
    }


def by_rejection_in_a_function(tf, np):
    tf.random.set_seed(3)

    @tf.function
    def draw(a):
        return tf.random.gamma([3], a), tf.random.poisson([3], a), tf.random.gamma([2], a, seed=7)

    return [draw(tf.constant(2.0)) for _ in range(3)]


def gamma_gradients(tf, np):
    alpha, beta = tf.constant([0.3, 1.0, 4.0]), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([alpha, beta])
        y = tf.reduce_sum(tf.random.stateless_gamma([5, 3], [1, 2], alpha, beta) ** 2)
    return tape.gradient(y, [alpha, beta])
