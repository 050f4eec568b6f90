"""`tf.function`: sizes that integers among the arguments decide, of many ops, are None."""


def forms(tf, n, x):
    """What an integer decides the sizes of, by name: functions without arguments."""
    signal, random, enp = tf.signal, tf.random, tf.experimental.numpy
    column = tf.cast(x[:, 0], tf.int32)
    return {
        "hann": lambda: signal.hann_window(n),
        "hamming": lambda: signal.hamming_window(n),
        "kaiser": lambda: signal.kaiser_window(n),
        "kbd": lambda: signal.kaiser_bessel_derived_window(n * 2),
        "vorbis": lambda: signal.vorbis_window(n * 2),
        "frame": lambda: signal.frame(x[:, 0], n, 1),
        "frame2": lambda: signal.frame(x[:, 0], 2, n),
        "frame pad": lambda: signal.frame(x[:, 0], n, n, pad_end=True),
        "istft": lambda: signal.inverse_stft(tf.complex(tf.ones([3, 2]), tf.ones([3, 2])), n, 1),
        "rfft2d": lambda: signal.rfft2d(x, [n, n]),
        "overlap": lambda: signal.overlap_and_add(x, n - 1),
        "dct": lambda: signal.dct(x, n=2),
        "mel2": lambda: signal.linear_to_mel_weight_matrix(4, n, 8000.0, 0.0, 4000.0),
        "range": lambda: tf.range(n),
        "range2": lambda: tf.range(1, n, 2),
        "fill": lambda: tf.fill([n, 3], 1),
        "fillst": lambda: tf.fill(tf.stack([n, n]), 2.0),
        "one_hot": lambda: tf.one_hot([0, 1], n),
        "one_hot0": lambda: tf.one_hot([0, 1], n, axis=0),
        "seqmask": lambda: tf.sequence_mask([1, 2], n),
        "seqmask0": lambda: tf.sequence_mask(column),
        "repeat": lambda: tf.repeat(x, n),
        "repeat0": lambda: tf.repeat(x, n, axis=0),
        "repeatv": lambda: tf.repeat([1, 2], [n, n]),
        "tile": lambda: tf.tile(x, [n, 1]),
        "tile2": lambda: tf.tile(x, [n, n]),
        "reshape": lambda: tf.reshape(x, [n, -1]),
        "reshape2": lambda: tf.reshape(x, tf.stack([n, 2, 2])),
        "reshape3": lambda: tf.reshape(x, [-1, n]),
        "slice": lambda: tf.slice(x, [0, 0], [n, 1]),
        "slice2": lambda: tf.slice(x, [n, 0], [-1, -1]),
        "resize": lambda: tf.image.resize(x[None, :, :, None], [n, 3]),
        "resize2": lambda: tf.image.resize(x[:, :, None], tf.stack([n, n])),
        "mask": lambda: tf.boolean_mask(x, x[:, 0] > 0),
        "unique": lambda: tf.unique(column)[0],
        "uniquec": lambda: tf.unique_with_counts(column)[2],
        "where": lambda: tf.where(x > 0),
        "strided": lambda: x[:n],
        "strided2": lambda: x[n:],
        "strided4": lambda: x[n],
        "strided5": lambda: x[..., :n],
        "strided6": lambda: x[n : n + 1],
        "strided7": lambda: x[1:-n:1],
        "stridenew": lambda: x[:n, tf.newaxis],
        "linspace": lambda: tf.linspace(0.0, 1.0, n),
        "linspace2": lambda: tf.linspace([0.0, 1.0], [1.0, 2.0], n),
        "eye": lambda: tf.eye(n),
        "eye2": lambda: tf.eye(2, n),
        "eye3": lambda: tf.eye(2, batch_shape=[n]),
        "pad": lambda: tf.pad(x, [[n, 0], [0, 1]]),
        "padr": lambda: tf.pad(x, [[1, n], [0, 0]], "REFLECT"),
        "bcast": lambda: tf.broadcast_to(x, [n, 4, 2]),
        "bcast2": lambda: tf.broadcast_to(1, tf.fill([2], n)),
        "split3": lambda: tf.split(x, [n, -1]),
        "normal": lambda: random.normal([n, 2]),
        "uniform": lambda: random.uniform([n]),
        "tnormal": lambda: random.truncated_normal([n]),
        "gamma": lambda: random.gamma([n], 1.0),
        "gamma2": lambda: random.gamma([n], [1.0, 2.0]),
        "poisson": lambda: random.poisson([n], [1.0, 2.0]),
        "categorical": lambda: random.categorical(x, n),
        "snormal": lambda: random.stateless_normal([n, 2], [1, 2]),
        "suniform": lambda: random.stateless_uniform([n], [1, 2]),
        "sgamma": lambda: random.stateless_gamma([n], [1, 2], 1.0),
        "scat": lambda: random.stateless_categorical(x, n, [1, 2]),
        "sbin": lambda: random.stateless_binomial([n], [1, 2], 3.0, 0.5),
        "spoisson": lambda: random.stateless_poisson([n], [1, 2], 3.0),
        "spn": lambda: random.stateless_parameterized_truncated_normal([n], [1, 2]),
        "stn": lambda: random.stateless_truncated_normal([n], [1, 2]),
        "uniform_cand": lambda: random.uniform_candidate_sampler(
            tf.cast(column[:, None], tf.int64), 1, 3, True, 5
        )[0],
        "ragged": lambda: tf.RaggedTensor.from_row_lengths(tf.range(4), [n, 4 - n]).to_tensor(),
        "ragged2": lambda: tf.RaggedTensor.from_row_lengths(tf.range(4), [2, 2]).to_tensor(
            shape=[None, 3]
        ),
        "rrange": lambda: tf.ragged.range([n, 3]).to_tensor(),
        "scatter": lambda: tf.scatter_nd([[0]], [1.0], [n]),
        "scatter2": lambda: tf.scatter_nd([[0]], [[1.0, 2.0]], [n, 2]),
        "useg": lambda: tf.math.unsorted_segment_sum(x, [0, 1, 1, 0], n),
        "topk": lambda: tf.math.top_k(x[:, 0], n).values,
        "bincount": lambda: tf.math.bincount(column),
        "bincount2": lambda: tf.math.bincount(column, minlength=n),
        "bincount3": lambda: tf.math.bincount(column, maxlength=n),
        "bincount4": lambda: tf.math.bincount(column, minlength=n, maxlength=n),
        "hist": lambda: tf.histogram_fixed_width(x[:, 0], [0.0, 1.0], n),
        "conf": lambda: tf.math.confusion_matrix([0, 1], [0, 1], n),
        "conf2": lambda: tf.math.confusion_matrix(column, column),
        "diag": lambda: tf.linalg.diag(x[:n, 0]),
        "band": lambda: tf.linalg.band_part(x, n, 0),
        "sparse": lambda: tf.sparse.to_dense(
            tf.SparseTensor([[0, 1]], [1.0], tf.cast(tf.stack([n, n]), tf.int64))
        ),
        "sparse2": lambda: tf.sparse.eye(3, 2).values,
        "sparsereset": lambda: tf.sparse.to_dense(
            tf.sparse.reset_shape(tf.sparse.from_dense(x), [4, 3])
        ),
        "sfd": lambda: tf.sparse.from_dense(x).values,
        "sfi": lambda: tf.sparse.from_dense(x).indices,
        "gather": lambda: tf.gather(x, tf.range(n)),
        "gathernd": lambda: tf.gather_nd(x, tf.zeros([n, 1], tf.int32)),
        "meshgrid": lambda: tf.meshgrid(tf.range(n), tf.range(3)),
        "zeros": lambda: tf.zeros(n),
        "zeros1": lambda: tf.zeros([n]),
        "ones": lambda: tf.ones((n, 2)),
        "zerosl": lambda: tf.zeros_like(x[:n]),
        "concat": lambda: tf.concat([x, x[:n]], 0),
        "stack": lambda: tf.stack([x[:n], x[:n]]),
        "transp": lambda: tf.transpose(x[:n]),
        "perm": lambda: tf.transpose(x, [n - 1, 2 - n]),
        "expand": lambda: tf.expand_dims(x, n),
        "squeeze": lambda: tf.squeeze(x[:n, :1]),
        "squeeze1": lambda: tf.squeeze(x[:n, :1], 1),
        "sum axis": lambda: tf.reduce_sum(x, n - 1),
        "sum axes": lambda: tf.reduce_sum(x, [n - 1], keepdims=True),
        "cumsum": lambda: tf.cumsum(x, n - 1),
        "roll": lambda: tf.roll(x, n, 0),
        "reverse": lambda: tf.reverse(x, [n - 1]),
        "argmax": lambda: tf.argmax(x, n - 1),
        "tensordot": lambda: tf.tensordot(x[:n], x[:n], [[0], [0]]),
        "matmul": lambda: x[:n] @ tf.transpose(x),
        "einsum": lambda: tf.einsum("ij,kj->ik", x[:n], x),
        "crop": lambda: tf.image.resize_with_crop_or_pad(x[:, :, None], n, 3),
        "padbb": lambda: tf.image.pad_to_bounding_box(x[:, :, None], 1, n, 8, 8),
        "padbb2": lambda: tf.image.pad_to_bounding_box(x[:, :, None], 0, 0, 4 * n, 8),
        "cropbb": lambda: tf.image.crop_to_bounding_box(x[:, :, None], 0, 0, n, 2),
        "ccrop": lambda: tf.image.central_crop(x[:, :, None], 0.5),
        "rcrop": lambda: tf.image.random_crop(x[:, :, None], [n, 2, 1]),
        "cropres": lambda: tf.image.crop_and_resize(
            x[None, :, :, None], tf.zeros([n, 4]), tf.zeros([n], tf.int32), [3, 3]
        ),
        "cropres2": lambda: tf.image.crop_and_resize(
            x[None, :, :, None], tf.zeros([1, 4]), [0], tf.stack([n, n])
        ),
        "glimpse": lambda: tf.image.extract_glimpse(x[None, :, :, None], [2, 2], [[0.0, 0.0]]),
        "flip": lambda: tf.image.flip_left_right(x[:n, :, None]),
        "resize_pad": lambda: tf.image.resize_with_pad(x[:, :, None], n, n),
        "nms": lambda: tf.image.non_max_suppression(tf.zeros([4, 4]), x[:, 0], n),
        "revseq": lambda: tf.reverse_sequence(x, tf.fill([4], n), 1),
        "dynst": lambda: tf.dynamic_stitch([[0], [1]], [x[:1], x[1:2]]),
        "invperm": lambda: tf.math.invert_permutation(tf.range(n)),
        "setdiff": lambda: tf.sets.difference([[1, 2]], [[1]]).values,
        "searchs": lambda: tf.searchsorted(x[:n, 0], [1.0, 2.0]),
        "ensure": lambda: tf.ensure_shape(x[:n], [None, 2]),
        "ensure2": lambda: tf.ensure_shape(x[:n], [2, 2]),
        "shape n": lambda: tf.zeros(tf.shape(x[:n])),
        "shape c": lambda: tf.zeros(tf.concat([[n], tf.shape(x)], 0)),
        "shape x": lambda: tf.zeros(tf.shape(x)),
        "shape s": lambda: tf.zeros(tf.shape(x)[0]),
        "rank": lambda: tf.zeros(tf.fill([n], 2)),
        "rank2": lambda: tf.reshape(x, tf.concat([tf.fill([n], 2), [-1]], 0)),
        "bshape": lambda: tf.broadcast_dynamic_shape([n], [1]),
        "ezeros": lambda: enp.zeros([n, 2]),
        "eones": lambda: enp.ones(n),
        "efull": lambda: enp.full([n], 3.0),
        "ereshape": lambda: enp.reshape(x, [n, -1]),
        "epad": lambda: enp.pad(x, [[n, 1], [0, 0]], "constant"),
        "esplit": lambda: enp.split(x, 2),
        "erandn": lambda: enp.random.uniform(0.0, 1.0, [n]),
        "ediag": lambda: enp.diag(x[:n, 0]),
        "evander": lambda: enp.vander(x[:, 0], 3),
        "eind": lambda: enp.nonzero(x)[0],
        "strsplit": lambda: tf.strings.split(["a b"]).to_tensor(),
        "strings fill": lambda: tf.fill([n], "a"),
        "str join": lambda: tf.strings.join([tf.fill([n], "a"), "b"]),
        "ngrams": lambda: tf.strings.ngrams(tf.fill([n], "a"), 2),
        "reduce": lambda: tf.strings.reduce_join(tf.fill([n, 2], "a"), 1),
        "conv": lambda: tf.nn.conv2d(x[None, :n, :, None], tf.ones([1, 1, 1, 1]), 1, "SAME"),
        "convt": lambda: tf.nn.conv2d_transpose(
            x[None, :, :, None], tf.ones([2, 2, 1, 1]), [1, 4 * n, 4, 1], [2, 2]
        ),
        "pool": lambda: tf.nn.max_pool2d(x[None, :n, :, None], 2, 1, "VALID"),
        "emb": lambda: tf.nn.embedding_lookup(x, tf.range(n)),
        "ctc": lambda: tf.nn.ctc_loss(tf.ones([1, n], tf.int32), tf.ones([4, 1, 3]), [1], [4]),
        "moments": lambda: tf.nn.moments(x[:n], 0)[0],
        "dropout": lambda: tf.nn.dropout(x, 0.5, noise_shape=[n * 2, 1]),
        "cond": lambda: tf.cond(n > 1, lambda: x[:n], lambda: x),
        "while": lambda: tf.while_loop(lambda j: j < n, lambda j: j + 1, [0])[0],
        "map": lambda: tf.map_fn(lambda e: e * 2, tf.range(n)),
        "scan": lambda: tf.scan(lambda a, e: a + e, tf.range(n)),
        "vmap": lambda: tf.vectorized_map(lambda e: e * 2, tf.range(n)),
        "ta": lambda: tf.TensorArray(tf.float32, n, element_shape=[2]).stack(),
        "ta1": lambda: tf.TensorArray(tf.float32, 2).write(0, x[0]).write(1, x[1]).stack(),
        "ta2": lambda: tf.TensorArray(tf.float32, 0, dynamic_size=True).write(n, x[0]).stack(),
        "tag": lambda: tf.TensorArray(tf.float32, 4).unstack(x).gather(tf.range(n)),
        "pyf": lambda: tf.py_function(lambda a: a, [x], tf.float32),
        "npf": lambda: tf.numpy_function(lambda a: a, [x], tf.float32),
        "bitcast": lambda: tf.bitcast(x[:n], tf.uint8),
        "lookup": lambda: tf.math.bincount(column, weights=x[:, 0]),
        "cumu": lambda: tf.math.cumulative_logsumexp(x[:n]),
        "sort": lambda: tf.sort(x[:n]),
        "edit": lambda: tf.edit_distance(tf.sparse.from_dense([[1]]), tf.sparse.from_dense([[1]])),
        "svd": lambda: tf.linalg.svd(x[:n])[0],
        "qr": lambda: tf.linalg.qr(x[:n])[0],
        "pinv": lambda: tf.linalg.pinv(x[:n]),
        "quant": lambda: tf.quantization.fake_quant_with_min_max_args(x[:n]),
        "shuffle": lambda: random.shuffle(x[:n]),
        "timing": lambda: tf.math.reduce_std(x[:n], 0),
        "Dataset": lambda: tf.data.experimental.get_single_element(
            tf.data.Dataset.range(3).batch(3)
        ),
        "hashb": lambda: tf.keras.ops.arange(3),
        "kones": lambda: tf.keras.ops.ones((2, 3)),
        "onesl": lambda: tf.ones_like(x),
        "cartprod": lambda: tf.stack(tf.meshgrid(tf.range(n), tf.range(n)), -1),
        "tridiag": lambda: tf.linalg.tensor_diag(x[:n, 0]),
        "kron": lambda: tf.reshape(x[:n][:, None] * x[:n][None], [n * n, 2]),
        "chunk": lambda: tf.reshape(tf.range(n * 4), [4, n]),
        "shape rank": lambda: tf.zeros([tf.rank(x), 2]),
        "size": lambda: tf.zeros([tf.size(x)]),
        "maxn": lambda: tf.zeros([tf.maximum(n, 3)]),
        "mod": lambda: tf.zeros([n % 2 + 1]),
        "neg": lambda: tf.zeros([-n + 4]),
        "sum n": lambda: tf.zeros([tf.reduce_sum([n, n])]),
        "cast": lambda: tf.zeros([tf.cast(n, tf.int64)]),
        "max i": lambda: tf.zeros([tf.reduce_max(column)]),
        "float": lambda: tf.zeros([tf.cast(tf.cast(n, tf.float32) * 1.5, tf.int32)]),
        "where n": lambda: tf.zeros([tf.where(n > 1, n, 3)]),
        "cond n": lambda: tf.zeros([tf.cond(n > 1, lambda: n, lambda: 3)]),
        "while n": lambda: tf.zeros([tf.while_loop(lambda j: j < n, lambda j: j + 1, [0])[0]]),
        "shape of": lambda: tf.shape(tf.zeros([n, 2])),
        "ident": lambda: tf.zeros([tf.identity(n)]),
        "stop": lambda: tf.zeros([tf.stop_gradient(n)]),
        "const": lambda: tf.zeros([tf.constant(3)]),
        "const2": lambda: tf.zeros([tf.constant(3) + 1]),
        "n0": lambda: tf.zeros([n * 0 + 3]),
        "split m": lambda: tf.zeros(tf.stack([n, 2])),
    }


def shapes(tf, value):
    return [str(tensor.shape) for tensor in tf.nest.flatten(value)]


def called(tf, signature):
    """What a function sees in its first call."""
    seen = []

    @tf.function(autograph=False, input_signature=signature)
    def f(n, x):
        seen.append({name: shapes(tf, form()) for name, form in forms(tf, n, x).items()})
        return n

    f(tf.constant(2), tf.constant([[1.0, 2.0], [0.0, 1.0], [2.0, 0.0], [3.0, 1.0]]))
    return seen[0]


def described(tf, spec):
    """What a function sees that is not called, and what is said of its result."""

    def one(name):
        seen = []

        @tf.function(autograph=False)
        def f(n, x):
            made = forms(tf, n, x)[name]()
            seen.append(shapes(tf, made))
            return made

        concrete = f.get_concrete_function(tf.TensorSpec([], tf.int32), spec)
        return seen[-1], shapes(tf, concrete.structured_outputs)

    return {name: one(name) for name in forms(tf, tf.constant(2), tf.ones([4, 2]))}


def what_a_call_sees(tf, np):
    return called(tf, None)


def what_a_call_with_open_sizes_sees(tf, np):
    return called(tf, [tf.TensorSpec([], tf.int32), tf.TensorSpec([None, 2])])


def what_is_described(tf, np):
    return described(tf, tf.TensorSpec([4, 2]))


def what_is_described_of_open_sizes(tf, np):
    return described(tf, tf.TensorSpec([None, 2]))
