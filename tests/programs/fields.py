"""Training loops of several fields, cut down: what people write with tapes, and its numbers."""


def graph_convolution(tf, np):
    tf.random.set_seed(1)
    edges = np.array([[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2], [3, 3]])
    degree = np.bincount(edges[:, 0]).astype(np.float32)
    adjacency = tf.SparseTensor(edges, 1.0 / degree[edges[:, 0]], [4, 4])
    features = tf.random.normal([4, 3])
    w, a = tf.Variable(tf.random.normal([3, 2])), tf.Variable(tf.random.normal([4, 1]))
    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            h = tf.nn.relu(tf.sparse.sparse_dense_matmul(adjacency, features @ w))
            ends = tf.gather(h, edges[:, 0]), tf.gather(h, edges[:, 1])
            score = tf.exp(tf.nn.leaky_relu(tf.concat(ends, 1) @ a))[:, 0]
            share = score / tf.gather(tf.math.segment_sum(score, edges[:, 0]), edges[:, 0])
            out = h + tf.math.unsorted_segment_sum(ends[1] * share[:, None], edges[:, 0], 4)
            ce = tf.nn.sparse_softmax_cross_entropy_with_logits([0, 0, 1, 1], out)
            loss = tf.reduce_mean(tf.boolean_mask(ce, [True, False, True, True]))
        for v, g in zip([w, a], tape.gradient(loss, [w, a]), strict=True):
            v.assign_sub(0.5 * g)
        losses.append(loss)
    return {"losses": losses, "w": w, "a": a}


def words_to_vectors(tf, np):
    tf.random.set_seed(42)
    params = [tf.Variable(tf.random.uniform([9, 4], -1.0, 1.0)) for _ in range(2)]
    params.append(tf.Variable(tf.zeros([9])))
    losses, kinds = [], []
    for sampled in (tf.nn.nce_loss, tf.nn.sampled_softmax_loss):  # draws from the global seed
        for step in range(3):
            centre = np.array([step, 3, 3, 8])
            context = np.array([[1], [step], [2], [7]])
            with tf.GradientTape() as tape:
                x = tf.nn.embedding_lookup(params[0], centre)
                loss = tf.reduce_mean(sampled(params[1], params[2], context, x, 3, 9))
            for v, g in zip(params, tape.gradient(loss, params), strict=True):
                kinds.append(type(g).__name__)
                v.scatter_sub(tf.IndexedSlices(0.3 * g.values, g.indices))
            losses.append(loss)
    return {"losses": losses, "kinds": kinds, "embeddings": params[0]}


def texts(tf, np):
    tf.random.set_seed(5)
    docs = tf.constant(["A great film!", "Boring, boring acting", "great fun & a great story"])
    clean = tf.strings.regex_replace(tf.strings.lower(docs), "[^a-z ]", "")
    words = tf.strings.split(clean)
    known, _, count = tf.unique_with_counts(words.flat_values)
    known = tf.gather(known, tf.argsort(count, direction="DESCENDING", stable=True))
    keys = tf.lookup.KeyValueTensorInitializer(known, tf.range(len(known), dtype=tf.int64))
    table = tf.lookup.StaticVocabularyTable(keys, num_oov_buckets=1)
    ids = table.lookup(words)
    emb, b = tf.Variable(tf.random.normal([int(table.size()), 3])), tf.Variable(0.0)
    losses = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            bag = tf.nn.embedding_lookup_sparse(emb, ids.to_sparse(), None, combiner="sqrtn")
            rows = tf.ragged.map_flat_values(tf.nn.embedding_lookup, emb, ids)
            logits = tf.reduce_sum(bag + tf.reduce_max(rows, axis=1), 1) + b
            ce = tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0, 1.0], logits=logits)
            loss = tf.reduce_mean(ce)
        for v, g in zip([emb, b], tape.gradient(loss, [emb, b]), strict=True):
            v.assign_sub(0.2 * tf.convert_to_tensor(g))
        losses.append(loss)
    return {"known": known.numpy(), "ids": ids.to_list(), "losses": losses, "emb": emb}


def speech(tf, np):
    t = np.arange(512, dtype=np.float32) / 512
    waves = tf.constant(np.stack([np.sin(6 * f * t * (1 + t)) for f in (30, 45, 90, 95)]))
    mel = tf.signal.linear_to_mel_weight_matrix(8, 33, 512, 20.0, 250.0)
    with tf.GradientTape() as tape:
        tape.watch(waves)
        power = tf.abs(tf.signal.stft(waves, frame_length=64, frame_step=32)) ** 2
        log_mel = tf.math.log(tf.tensordot(power, mel, 1) + 0.5)
        mfcc = tf.signal.mfccs_from_log_mel_spectrograms(log_mel)[..., :5]
        energy = tf.reduce_sum(mfcc[0] ** 2)
    w = tf.Variable(tf.ones([3, 5, 2]) * [[[0.1, -0.1]]])
    losses = []
    for _ in range(4):
        with tf.GradientTape() as training:
            h = tf.nn.conv1d(mfcc, w, stride=2, padding="SAME")
            logits = tf.reduce_mean(tf.nn.max_pool1d(h, 2, 2, "VALID"), axis=1)
            losses.append(tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(LABELS, logits)))
        w.assign_sub(0.05 * training.gradient(losses[-1], w))
    return {
        "mfcc": tf.norm(mfcc, axis=1),
        "losses": losses,
        "wave": tape.gradient(energy, waves)[0, 100:104],
    }


LABELS = ((1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, 1.0))


def burgers(tf, np):
    tf.random.set_seed(3)
    w = [tf.Variable(tf.random.normal(s, stddev=0.5)) for s in [(2, 6), (6, 6), (6, 1)]]
    x, t = tf.random.uniform([7, 1], -1.0, 1.0), tf.random.uniform([7, 1])
    x0 = np.linspace(-1, 1, 5, dtype=np.float32)[:, None]

    def u(x, t):
        return tf.tanh(tf.tanh(tf.concat([x, t], 1) @ w[0]) @ w[1]) @ w[2]

    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape(persistent=True) as inner:
                    inner.watch([x, t])
                    value = u(x, t)
                slope = inner.gradient(value, x)
            residual = inner.gradient(value, t) + value * slope
            residual -= 0.01 / np.pi * outer.gradient(slope, x)
            start = u(x0, tf.zeros_like(x0)) + np.sin(np.pi * x0)
            loss = tf.reduce_mean(residual**2) + tf.reduce_mean(tf.square(start))
        for v, g in zip(w, tape.gradient(loss, w), strict=True):
            v.assign_sub(0.1 * g)
        losses.append(loss)
    return {"losses": losses, "w": w}


def learning_to_learn(tf, np):
    tf.random.set_seed(10)
    meta = [tf.Variable(tf.random.normal([1, 8])), tf.Variable(tf.zeros([8]))]
    meta.append(tf.Variable(tf.random.normal([8, 1], stddev=0.3)))
    x = tf.constant(np.linspace(-2, 2, 6, dtype=np.float32)[:, None])

    def mse(p, y):
        return tf.reduce_mean((tf.nn.relu(x @ p[0] + p[1]) @ p[2] - y) ** 2)

    losses = []
    for _ in range(3):
        with tf.GradientTape() as outer:
            loss = 0.0
            for amplitude in (0.5, 2.0):
                y, fast = amplitude * tf.sin(x), [tf.identity(p) for p in meta]
                for _ in range(2):
                    with tf.GradientTape() as inner:
                        inner.watch(fast)
                        before = mse(fast, y)
                    grads = inner.gradient(before, fast)
                    fast = [p - 0.05 * g for p, g in zip(fast, grads, strict=True)]
                loss += mse(fast, y)
        grads, norm = tf.clip_by_global_norm(outer.gradient(loss, meta), 5.0)
        for p, g in zip(meta, grads, strict=True):
            p.assign_sub(0.05 * g)
        losses.append([loss, norm])
    return {"losses": losses, "meta": meta}


def gaussian_process(tf, np):
    x = np.linspace(-2, 2, 8)[:, None]
    y = np.sin(2 * x) + 0.1 * np.cos(9 * x)
    params = [tf.Variable(v, dtype=tf.float64) for v in (0.0, 0.3, -1.0)]

    def loss_of(scale, amplitude, noise):
        squares = tf.reduce_sum((x[:, tf.newaxis] - x[tf.newaxis]) ** 2, axis=-1)
        kernel = tf.exp(amplitude - 0.5 * squares / tf.exp(2 * scale))
        root = tf.linalg.cholesky(kernel + tf.exp(2 * noise) * tf.eye(8, dtype=tf.float64))
        fit = tf.matmul(y, tf.linalg.cholesky_solve(root, y), transpose_a=True)
        return 0.5 * tf.squeeze(fit) + tf.reduce_sum(tf.math.log(tf.linalg.diag_part(root)))

    losses = []
    for _ in range(3):
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as inner:
                loss = loss_of(*params)
            g = inner.gradient(loss, params)
        hessian = tf.stack([tf.stack(outer.gradient(part, params)) for part in g])
        e, v = tf.linalg.eigh(hessian)
        step = v @ (tf.transpose(v) @ tf.stack(g)[:, None] / (tf.abs(e)[:, None] + 1.0))
        for p, s in zip(params, tf.unstack(step[:, 0]), strict=True):
            p.assign_sub(0.5 * s)
        losses.append(loss)
    return {"losses": losses, "hessian": hessian, "eigenvalues": e, "params": params}


def recurrent_characters(tf, np):
    tf.random.set_seed(12)
    units, steps = 5, 3
    emb = tf.Variable(tf.random.normal([4, units]))
    kernel = tf.Variable(tf.random.normal([2 * units, 4 * units], stddev=0.3))
    tokens = np.array([[0, 1, 2, 3], [2, 3, 0, 1]])
    losses = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            h = c = tf.zeros([2, units])
            x = tf.transpose(tf.nn.embedding_lookup(emb, tokens[:, :-1]), [1, 0, 2])
            inputs = tf.TensorArray(tf.float32, size=steps).unstack(x)
            outputs = tf.TensorArray(tf.float32, size=steps)
            for t in range(steps):
                i, f, g, o = tf.split(tf.concat([inputs.read(t), h], 1) @ kernel, 4, axis=1)
                c = tf.sigmoid(f + 1.0) * c + tf.sigmoid(i) * tf.tanh(g)
                h = tf.sigmoid(o) * tf.tanh(c)
                outputs = outputs.write(t, h)
            logits = tf.einsum("tbu,vu->btv", outputs.stack(), emb)
            ce = tf.nn.sparse_softmax_cross_entropy_with_logits(tokens[:, 1:], logits)
            losses.append(tf.reduce_mean(ce))
        grads = tape.gradient(losses[-1], [emb, kernel])
        grads, norm = tf.clip_by_global_norm([tf.convert_to_tensor(g) for g in grads], 0.5)
        for v, g in zip([emb, kernel], grads, strict=True):
            v.assign_sub(g)
    sampled = tf.random.categorical(logits[:, -1] / 0.8, num_samples=4, dtype=tf.int32)
    return {"losses": losses, "norm": norm, "kernel": kernel[0], "sampled": sampled}
