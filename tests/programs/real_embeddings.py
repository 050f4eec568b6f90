"""Programs that learn vectors: of words, users, items, nodes, relations and views."""

from .program import seeded


def words_by_negative_sampling(tf, np):
    class Word2Vec(tf.keras.Model):
        def __init__(self, vocab_size, embedding_dim):
            super().__init__()
            self.target_embedding = tf.keras.layers.Embedding(
                vocab_size, embedding_dim, name="w2v_embedding"
            )
            self.context_embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim)

        def call(self, pair):
            target, context = pair
            if len(target.shape) == 2:
                target = tf.squeeze(target, axis=1)
            word_emb = self.target_embedding(target)
            context_emb = self.context_embedding(context)
            return tf.einsum("be,bce->bc", word_emb, context_emb)

    text = "the wide road shimmered in the hot sun on the road"
    sentence = text.split()
    vocab = {word: k + 1 for k, word in enumerate(dict.fromkeys(sentence))}
    ids = [vocab[word] for word in sentence]
    rng, targets, contexts, labels = np.random.default_rng(0), [], [], []
    for k, target in enumerate(ids):
        for j in range(max(0, k - 1), min(len(ids), k + 2)):
            if j != k:
                targets.append([target])
                contexts.append([ids[j], *rng.integers(1, len(vocab) + 1, 3)])
                labels.append([1, 0, 0, 0])
    targets, contexts, labels = np.array(targets), np.array(contexts), np.array(labels)
    word2vec = Word2Vec(len(vocab) + 1, 4)
    word2vec((targets, contexts))
    seeded(word2vec, np, 1)
    word2vec.compile(
        optimizer="adam",
        loss=tf.keras.losses.CategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = word2vec.fit(
        (targets, contexts), labels, batch_size=10, epochs=2, shuffle=False, verbose=0
    )
    weights = word2vec.get_layer("w2v_embedding").get_weights()[0]
    normed = tf.math.l2_normalize(weights, axis=1)
    similarity = tf.matmul(normed, normed, transpose_b=True)
    return {"history": history.history, "similarity": similarity[:3, :3]}


def factors_of_ratings(tf, np):
    class RecommenderNet(tf.keras.Model):
        def __init__(self, num_users, num_movies, embedding_size):
            super().__init__()
            regularizer = tf.keras.regularizers.l2(1e-6)
            embedding = tf.keras.layers.Embedding
            self.user_embedding = embedding(
                num_users, embedding_size, embeddings_regularizer=regularizer
            )
            self.user_bias = embedding(num_users, 1)
            self.movie_embedding = embedding(
                num_movies, embedding_size, embeddings_regularizer=regularizer
            )
            self.movie_bias = embedding(num_movies, 1)

        def call(self, inputs):
            user_vector = self.user_embedding(inputs[:, 0])
            user_bias = self.user_bias(inputs[:, 0])
            movie_vector = self.movie_embedding(inputs[:, 1])
            movie_bias = self.movie_bias(inputs[:, 1])
            dot_user_movie = tf.tensordot(user_vector, movie_vector, 2)
            x = dot_user_movie + user_bias + movie_bias
            return tf.nn.sigmoid(x)

    rng = np.random.default_rng(1)
    x = np.stack([rng.integers(0, 6, 24), rng.integers(0, 9, 24)], 1)
    y = rng.random(24).astype("float32")
    model = RecommenderNet(6, 9, 3)
    model(x)
    seeded(model, np, 2)
    model.compile(
        loss=tf.keras.losses.BinaryCrossentropy(),
        optimizer=tf.keras.optimizers.Adam(learning_rate=0.001),
        metrics=[tf.keras.metrics.RootMeanSquaredError(name="rmse")],
    )
    history = model.fit(
        x=x[:16],
        y=y[:16],
        batch_size=8,
        epochs=2,
        shuffle=False,
        verbose=0,
        validation_data=(x[16:], y[16:]),
    )
    candidates = np.stack([np.full(9, 3), np.arange(9)], 1)
    top = tf.math.top_k(model(candidates)[:, 0], 3)
    return {"history": history.history, "top": top.indices, "ratings": top.values}


def collaborative_filtering_by_neurons(tf, np):
    layers = tf.keras.layers
    user_input = layers.Input(shape=(1,), dtype="int32", name="user")
    item_input = layers.Input(shape=(1,), dtype="int32", name="item")
    user_gmf = layers.Flatten()(layers.Embedding(5, 3)(user_input))
    item_gmf = layers.Flatten()(layers.Embedding(7, 3)(item_input))
    user_mlp = layers.Flatten()(layers.Embedding(5, 4)(user_input))
    item_mlp = layers.Flatten()(layers.Embedding(7, 4)(item_input))
    gmf = layers.Multiply()([user_gmf, item_gmf])
    mlp = layers.Concatenate()([user_mlp, item_mlp])
    for units in (8, 4):
        mlp = layers.Dense(units, activation="relu")(mlp)
    dot = layers.Dot(axes=1, normalize=True)([user_mlp, item_mlp])
    joined = layers.Concatenate()([gmf, mlp, dot])
    outputs = layers.Dense(1, activation="sigmoid", name="score")(joined)
    model = tf.keras.Model(inputs={"user": user_input, "item": item_input}, outputs=outputs)
    seeded(model, np, 3)
    rng = np.random.default_rng(2)
    inputs = {
        "user": rng.integers(0, 5, (20, 1)).astype("int32"),
        "item": rng.integers(0, 7, (20, 1)).astype("int32"),
    }
    clicked = rng.integers(0, 2, (20, 1)).astype("float32")
    model.compile("sgd", "binary_crossentropy", metrics=["binary_accuracy"])
    history = model.fit(inputs, clicked, batch_size=10, epochs=2, shuffle=False, verbose=0)
    return {"history": history.history, "scores": model(inputs)[:4]}


def contrast_of_two_views(tf, np):
    class ContrastiveModel(tf.keras.Model):
        def __init__(self, encoder, projection_head, temperature=0.2):
            super().__init__()
            self.encoder = encoder
            self.projection_head = projection_head
            self.temperature = temperature
            self.contrastive_accuracy = tf.keras.metrics.SparseCategoricalAccuracy()

        def contrastive_loss(self, projections_1, projections_2):
            projections_1 = tf.math.l2_normalize(projections_1, axis=1)
            projections_2 = tf.math.l2_normalize(projections_2, axis=1)
            similarities = tf.matmul(projections_1, projections_2, transpose_b=True)
            similarities /= self.temperature
            batch_size = tf.shape(projections_1)[0]
            contrastive_labels = tf.range(batch_size)
            self.contrastive_accuracy.update_state(contrastive_labels, similarities)
            self.contrastive_accuracy.update_state(contrastive_labels, tf.transpose(similarities))
            loss_1_2 = tf.keras.losses.sparse_categorical_crossentropy(
                contrastive_labels, similarities, from_logits=True
            )
            loss_2_1 = tf.keras.losses.sparse_categorical_crossentropy(
                contrastive_labels, tf.transpose(similarities), from_logits=True
            )
            return tf.reduce_mean(loss_1_2 + loss_2_1) / 2

        def step(self, views, optimizer):
            with tf.GradientTape() as tape:
                features = [self.encoder(view, training=True) for view in views]
                loss = self.contrastive_loss(*(self.projection_head(f) for f in features))
            variables = self.encoder.trainable_weights + self.projection_head.trainable_weights
            gradients = tape.gradient(loss, variables)
            optimizer.apply_gradients(zip(gradients, variables, strict=True))
            return loss

    dense = tf.keras.layers.Dense
    encoder = tf.keras.Sequential([tf.keras.Input((6,)), dense(8, "relu"), dense(5)])
    head = tf.keras.Sequential([tf.keras.Input((5,)), dense(5, "relu"), dense(4)])
    seeded(encoder, np, 14)
    seeded(head, np, 15)
    model = ContrastiveModel(encoder, head)
    x = np.random.default_rng(6).normal(size=(8, 6)).astype("float32")
    noise = np.random.default_rng(7).normal(0, 0.2, size=(2, 8, 6)).astype("float32")
    optimizer = tf.keras.optimizers.Adam(1e-3)
    step = tf.function(model.step)
    views = (tf.constant(x + noise[0]), tf.constant(x + noise[1]))
    losses = [float(step(views, optimizer)) for _ in range(4)]
    return {"losses": losses, "accuracy": model.contrastive_accuracy.result()}


def graph_attention(tf, np):
    class GraphAttention(tf.keras.layers.Layer):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.units = units

        def build(self, input_shape):
            self.kernel = self.add_weight(
                shape=(input_shape[0][-1], self.units), trainable=True, name="kernel"
            )
            self.kernel_attention = self.add_weight(
                shape=(self.units * 2, 1), trainable=True, name="kernel_attention"
            )
            self.built = True

        def call(self, inputs):
            node_states, edges = inputs
            node_states_transformed = tf.matmul(node_states, self.kernel)
            node_states_expanded = tf.gather(node_states_transformed, edges)
            node_states_expanded = tf.reshape(node_states_expanded, (tf.shape(edges)[0], -1))
            attention_scores = tf.nn.leaky_relu(
                tf.matmul(node_states_expanded, self.kernel_attention)
            )
            attention_scores = tf.squeeze(attention_scores, -1)
            attention_scores = tf.math.exp(tf.clip_by_value(attention_scores, -2, 2))
            attention_scores_sum = tf.math.unsorted_segment_sum(
                data=attention_scores,
                segment_ids=edges[:, 0],
                num_segments=tf.reduce_max(edges[:, 0]) + 1,
            )
            attention_scores_sum = tf.repeat(
                attention_scores_sum, tf.math.bincount(tf.cast(edges[:, 0], "int32"))
            )
            attention_scores_norm = attention_scores / attention_scores_sum
            node_states_neighbors = tf.gather(node_states_transformed, edges[:, 1])
            return tf.math.unsorted_segment_sum(
                data=node_states_neighbors * attention_scores_norm[:, tf.newaxis],
                segment_ids=edges[:, 0],
                num_segments=tf.shape(node_states)[0],
            )

    edges = tf.constant([[0, 1], [0, 4], [1, 0], [1, 2], [2, 1], [3, 2], [3, 4], [4, 0], [4, 3]])
    features = np.random.default_rng(8).normal(size=(5, 4)).astype("float32")
    first, second = GraphAttention(3), GraphAttention(2)
    second((first((features, edges)), edges))
    rng = np.random.default_rng(9)
    for layer in (first, second):
        layer.set_weights([rng.normal(size=w.shape) for w in layer.get_weights()])
    labels, mask = tf.constant([0, 0, 1, 1, 0]), tf.constant([True, False, True, True, False])
    variables = first.trainable_variables + second.trainable_variables
    optimizer, losses = tf.keras.optimizers.SGD(0.1, momentum=0.9), []
    for _ in range(4):
        with tf.GradientTape() as tape:
            h = tf.nn.elu(first((features, edges)))
            logits = second((h, edges))
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            loss = tf.reduce_mean(tf.boolean_mask(loss, mask))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        losses.append(float(loss))
    return {"losses": losses, "logits": logits}


def relations_by_translation(tf, np):
    class TransE(tf.Module):
        def __init__(self, entities, relations, dim, margin=1.0):
            super().__init__()
            rng = np.random.default_rng(10)
            self.margin = margin
            self.entities = tf.Variable(rng.normal(size=(entities, dim)), dtype=tf.float32)
            self.relations = tf.Variable(rng.normal(size=(relations, dim)), dtype=tf.float32)

        def score(self, h, r, t):
            h, t = (tf.nn.embedding_lookup(self.entities, ids) for ids in (h, t))
            return tf.norm(h + tf.gather(self.relations, r) - t, ord=1, axis=-1)

        @tf.function
        def loss(self, positive, negative):
            gap = self.margin + self.score(*positive) - self.score(*negative)
            return tf.reduce_mean(tf.nn.relu(gap))

    model = TransE(8, 2, 4)
    rng = np.random.default_rng(11)
    triples = rng.integers(0, [8, 2, 8], (10, 3))
    corrupted = triples.copy()
    corrupted[:, 2] = rng.integers(0, 8, 10)
    positive = [tf.constant(column) for column in triples.T]
    negative = [tf.constant(column) for column in corrupted.T]
    optimizer, losses, kinds = tf.keras.optimizers.Adagrad(0.1), [], set()
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = model.loss(positive, negative)
        grads = tape.gradient(loss, model.trainable_variables)
        kinds |= {isinstance(g, tf.IndexedSlices) for g in grads}
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        model.entities.assign(tf.clip_by_norm(model.entities, 2.0, axes=[1]))
        losses.append(float(loss))
    ranks = tf.argsort(model.score(tf.constant([0] * 8), tf.constant([1] * 8), tf.range(8)))
    return {"losses": losses, "ranks": ranks, "relations": model.relations.numpy()}


def anomalies_by_reconstruction(tf, np):
    class AnomalyDetector(tf.keras.models.Model):
        def __init__(self):
            super().__init__()
            dense = tf.keras.layers.Dense
            self.encoder = tf.keras.Sequential([dense(6, activation="relu"), dense(3, "relu")])
            self.decoder = tf.keras.Sequential([dense(6, activation="relu"), dense(10, "sigmoid")])

        def call(self, x):
            return self.decoder(self.encoder(x))

    rng = np.random.default_rng(12)
    raw = np.cumsum(rng.normal(size=(20, 10)), axis=1)
    low, high = tf.reduce_min(raw), tf.reduce_max(raw)
    data = tf.cast((raw - low) / (high - low), tf.float32)
    autoencoder = AnomalyDetector()
    autoencoder(data)
    seeded(autoencoder, np, 13)
    autoencoder.compile(optimizer="adam", loss="mae")
    history = autoencoder.fit(data, data, epochs=2, batch_size=10, shuffle=False, verbose=0)
    loss = tf.keras.losses.MAE(autoencoder(data), data)
    threshold = np.mean(loss) + np.std(loss)
    return {
        "losses": history.history["loss"],
        "threshold": float(threshold),
        "anomalies": tf.math.greater(loss, threshold),
    }
