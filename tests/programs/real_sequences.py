"""Programs about texts and series: recurrent networks, attention, translation, speech."""

import contextlib

from .program import seeded


def character_model_with_states(tf, np):
    text = "the quick brown fox jumps over the lazy dog and the cat"
    vocab = sorted(set(text))
    char2idx = {u: i for i, u in enumerate(vocab)}
    text_as_int = np.array([char2idx[c] for c in text])

    class MyModel(tf.keras.Model):
        def __init__(self, vocab_size, embedding_dim, rnn_units):
            super().__init__()
            self.embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim)
            self.gru = tf.keras.layers.GRU(rnn_units, return_sequences=True, return_state=True)
            self.dense = tf.keras.layers.Dense(vocab_size)

        def call(self, inputs, states=None, return_state=False, training=False):
            x = self.embedding(inputs, training=training)
            if states is None:
                states = tf.zeros([tf.shape(inputs)[0], self.gru.units])
            x, states = self.gru(x, initial_state=states, training=training)
            x = self.dense(x, training=training)
            return (x, states) if return_state else x

    seq_length = 6
    chunks = [text_as_int[i : i + seq_length + 1] for i in range(0, 42, seq_length + 1)]
    data = np.stack(chunks)
    model = MyModel(len(vocab), 6, 8)
    model(data[:1, :-1])
    seeded(model, np, 1)
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam(1e-2)

    @tf.function
    def train_step(inp, target):
        with tf.GradientTape() as tape:
            predictions = model(inp, training=True)
            loss = loss_object(target, predictions)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        return loss

    losses = []
    for _ in range(2):
        for batch in (data[:3], data[3:]):
            losses.append(float(train_step(batch[:, :-1], batch[:, 1:])))
    states, next_char, result = None, tf.constant([[char2idx["t"]]]), ["t"]
    for _ in range(8):
        logits, states = model(next_char, states=states, return_state=True)
        next_char = tf.argmax(logits[:, -1], axis=-1)[:, tf.newaxis]
        result.append(vocab[int(next_char[0, 0])])
    return {"losses": losses, "text": "".join(result), "states": states}


def forecast_of_a_series(tf, np):
    t = np.arange(60, dtype=np.float32)
    series = np.sin(t / 5) + 0.05 * t + 0.1 * np.cos(t * 3)
    split = 40
    mean, std = series[:split].mean(), series[:split].std()
    series = (series - mean) / std

    def windowed_dataset(series, window_size, horizon):
        xs, ys = [], []
        for i in range(len(series) - window_size - horizon + 1):
            xs.append(series[i : i + window_size])
            ys.append(series[i + window_size : i + window_size + horizon])
        return np.array(xs)[..., np.newaxis], np.array(ys)

    x_train, y_train = windowed_dataset(series[:split], 8, 2)
    x_val, y_val = windowed_dataset(series[split:], 8, 2)
    model = tf.keras.models.Sequential(
        [
            tf.keras.layers.Input((8, 1)),
            tf.keras.layers.LSTM(6, return_sequences=True),
            tf.keras.layers.LSTM(4),
            tf.keras.layers.Dense(4, activation="relu"),
            tf.keras.layers.Dense(2),
            tf.keras.layers.Lambda(lambda x: x * 2.0),
        ]
    )
    seeded(model, np, 3)
    model.compile(
        loss=tf.keras.losses.Huber(),
        optimizer=tf.keras.optimizers.SGD(learning_rate=1e-2, momentum=0.9),
        metrics=["mae", "mse"],
    )
    history = model.fit(
        x_train,
        y_train,
        validation_data=(x_val, y_val),
        epochs=2,
        batch_size=16,
        shuffle=False,
        verbose=0,
    )
    forecast = model.predict(x_val[:3], verbose=0) * std + mean
    naive = tf.keras.losses.MeanAbsoluteError()(y_val[:, 0], x_val[:, -1, 0])
    return {"history": history.history, "forecast": forecast, "naive": naive}


def sentiment_of_padded_texts(tf, np):
    sentences = [
        "this film was great fun",
        "what a boring waste of time",
        "great acting and a great story",
        "boring story",
        "i loved this film",
        "not great not fun",
    ]
    labels = np.array([1, 0, 1, 0, 1, 0])
    words = sorted({word for sentence in sentences for word in sentence.split()})
    word_index = {word: i + 1 for i, word in enumerate(words)}
    sequences = [[word_index[w] for w in sentence.split()] for sentence in sentences]
    x_train = tf.keras.utils.pad_sequences(sequences, maxlen=6, padding="post")
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Embedding(len(words) + 1, 5, mask_zero=True),
            tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4, return_sequences=True)),
            tf.keras.layers.Bidirectional(tf.keras.layers.GRU(3)),
            tf.keras.layers.Dense(4, activation="relu"),
            tf.keras.layers.Dropout(0.0),
            tf.keras.layers.Dense(1),
        ]
    )
    model.build((None, 6))
    seeded(model, np, 5)
    model.compile(
        loss=tf.keras.losses.BinaryCrossentropy(from_logits=True),
        optimizer=tf.keras.optimizers.Adam(1e-3),
        metrics=[tf.keras.metrics.BinaryAccuracy(threshold=0.0), tf.keras.metrics.AUC()],
    )
    history = model.fit(x_train, labels, epochs=2, batch_size=3, shuffle=False, verbose=0)
    mask = model.layers[0].compute_mask(x_train)
    return {
        "losses": history.history["loss"],
        "accuracy": history.history["binary_accuracy"],
        "predictions": model.predict(x_train[:3], verbose=0),
        "lengths": tf.reduce_sum(tf.cast(mask, tf.int32), axis=1),
    }


def transformer_classifier(tf, np):
    layers, keras = tf.keras.layers, tf.keras

    class TransformerBlock(layers.Layer):
        def __init__(self, embed_dim, num_heads, ff_dim, rate=0.0):
            super().__init__()
            self.att = layers.MultiHeadAttention(num_heads=num_heads, key_dim=embed_dim)
            self.ffn = keras.Sequential(
                [layers.Dense(ff_dim, activation="relu"), layers.Dense(embed_dim)]
            )
            self.layernorm1 = layers.LayerNormalization(epsilon=1e-6)
            self.layernorm2 = layers.LayerNormalization(epsilon=1e-6)
            self.dropout1 = layers.Dropout(rate)
            self.dropout2 = layers.Dropout(rate)

        def call(self, inputs, training=None):
            attn_output = self.att(inputs, inputs)
            attn_output = self.dropout1(attn_output, training=training)
            out1 = self.layernorm1(inputs + attn_output)
            ffn_output = self.ffn(out1)
            ffn_output = self.dropout2(ffn_output, training=training)
            return self.layernorm2(out1 + ffn_output)

    class TokenAndPositionEmbedding(layers.Layer):
        def __init__(self, maxlen, vocab_size, embed_dim):
            super().__init__()
            self.token_emb = layers.Embedding(input_dim=vocab_size, output_dim=embed_dim)
            self.pos_emb = layers.Embedding(input_dim=maxlen, output_dim=embed_dim)

        def call(self, x):
            maxlen = tf.shape(x)[-1]
            positions = tf.range(start=0, limit=maxlen, delta=1)
            positions = self.pos_emb(positions)
            x = self.token_emb(x)
            return x + positions

    inputs = layers.Input(shape=(7,))
    x = TokenAndPositionEmbedding(7, 12, 4)(inputs)
    x = TransformerBlock(4, 2, 6)(x)
    x = layers.GlobalAveragePooling1D()(x)
    x = layers.Dense(5, activation="relu")(x)
    outputs = layers.Dense(2, activation="softmax")(x)
    model = keras.Model(inputs=inputs, outputs=outputs)
    seeded(model, np, 2)
    model.compile(
        optimizer=keras.optimizers.SGD(0.05),
        loss="sparse_categorical_crossentropy",
        metrics=["accuracy"],
    )
    x_train = np.random.default_rng(3).integers(0, 12, (8, 7))
    y_train = (x_train.sum(1) > 38).astype(int)
    history = model.fit(
        x_train, y_train, batch_size=4, epochs=2, shuffle=False, verbose=0, validation_split=0.25
    )
    return {"history": history.history, "predictions": model.predict(x_train[:2], verbose=0)}


def causal_language_model(tf, np):
    class CausalSelfAttention(tf.keras.layers.Layer):
        def __init__(self, d_model, n_head):
            super().__init__()
            self.n_head = n_head
            self.qkv = tf.keras.layers.Dense(3 * d_model)
            self.proj = tf.keras.layers.Dense(d_model)

        def call(self, x):
            batch, length, width = tf.unstack(tf.shape(x))
            q, k, v = tf.split(self.qkv(x), 3, axis=-1)

            def split_heads(t):
                t = tf.reshape(t, (batch, length, self.n_head, width // self.n_head))
                return tf.transpose(t, perm=[0, 2, 1, 3])

            q, k, v = split_heads(q), split_heads(k), split_heads(v)
            scores = tf.matmul(q, k, transpose_b=True)
            scores /= tf.math.sqrt(tf.cast(width // self.n_head, tf.float32))
            mask = tf.linalg.band_part(tf.ones((length, length)), -1, 0)
            weights = tf.nn.softmax(scores + (1.0 - mask) * -1e9, axis=-1)
            out = tf.transpose(tf.matmul(weights, v), perm=[0, 2, 1, 3])
            return self.proj(tf.reshape(out, (batch, length, width)))

    class GPT(tf.keras.Model):
        def __init__(self, vocab, block_size, d_model=8, n_head=2, n_layer=1):
            super().__init__()
            layers = tf.keras.layers
            self.wte = layers.Embedding(vocab, d_model)
            self.wpe = layers.Embedding(block_size, d_model)
            self.blocks = []
            for _ in range(n_layer):
                mlp = tf.keras.Sequential(
                    [layers.Dense(4 * d_model, activation="gelu"), layers.Dense(d_model)]
                )
                attention = CausalSelfAttention(d_model, n_head)
                norms = layers.LayerNormalization(), layers.LayerNormalization()
                self.blocks.append([norms[0], attention, norms[1], mlp])
            self.ln_f = layers.LayerNormalization()

        def call(self, idx):
            x = self.wte(idx) + self.wpe(tf.range(tf.shape(idx)[1]))
            for ln_1, attention, ln_2, mlp in self.blocks:
                x = x + attention(ln_1(x))
                x = x + mlp(ln_2(x))
            return tf.matmul(self.ln_f(x), self.wte.embeddings, transpose_b=True)

    tokens = np.random.default_rng(0).integers(0, 9, (4, 7))
    model = GPT(9, 6)
    model(tokens[:, :-1])
    seeded(model, np, 1)
    optimizer = tf.keras.optimizers.AdamW(
        tf.keras.optimizers.schedules.CosineDecay(1e-3, 10), weight_decay=0.01, clipnorm=1.0
    )

    @tf.function(reduce_retracing=True)
    def train_step(x, y):
        with tf.GradientTape() as tape:
            logits = model(x)
            loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
            loss = tf.reduce_mean(loss)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        return loss

    losses = [float(train_step(tokens[:, :-1], tokens[:, 1:])) for _ in range(3)]
    idx = tf.constant([[1, 2]])
    for _ in range(2):
        values, indices = tf.math.top_k(model(idx)[:, -1, :], k=2)
        idx = tf.concat([idx, indices[:, :1]], axis=1)
    changed = tf.tensor_scatter_nd_update(tokens[:1, :-1], [[0, 5]], [8])
    causal = model(changed)[0, :5] - model(tokens[:1, :-1])[0, :5]
    perplexity = tf.exp(losses[-1])
    return {
        "losses": losses,
        "top": values,
        "causal": bool(tf.reduce_all(tf.abs(causal) < 1e-5)),
        "perplexity": perplexity,
        "shape": idx.shape,
    }


def _encoder_and_decoder(tf):
    class Encoder(tf.keras.Model):
        def __init__(self, vocab_size, embedding_dim, enc_units):
            super().__init__()
            self.embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim)
            self.gru = tf.keras.layers.GRU(enc_units, return_sequences=True, return_state=True)

        def call(self, x, hidden):
            return self.gru(self.embedding(x), initial_state=hidden)

    class BahdanauAttention(tf.keras.layers.Layer):
        def __init__(self, units):
            super().__init__()
            self.W1 = tf.keras.layers.Dense(units)
            self.W2 = tf.keras.layers.Dense(units)
            self.V = tf.keras.layers.Dense(1)

        def call(self, query, values):
            query_with_time_axis = tf.expand_dims(query, 1)
            score = self.V(tf.nn.tanh(self.W1(query_with_time_axis) + self.W2(values)))
            attention_weights = tf.nn.softmax(score, axis=1)
            context_vector = tf.reduce_sum(attention_weights * values, axis=1)
            return context_vector, attention_weights

    class Decoder(tf.keras.Model):
        def __init__(self, vocab_size, embedding_dim, dec_units):
            super().__init__()
            self.embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim)
            self.gru = tf.keras.layers.GRU(dec_units, return_sequences=True, return_state=True)
            self.fc = tf.keras.layers.Dense(vocab_size)
            self.attention = BahdanauAttention(dec_units)

        def call(self, x, hidden, enc_output):
            context_vector, attention_weights = self.attention(hidden, enc_output)
            x = self.embedding(x)
            x = tf.concat([tf.expand_dims(context_vector, 1), x], axis=-1)
            output, state = self.gru(x)
            output = tf.reshape(output, (-1, output.shape[2]))
            return self.fc(output), state, attention_weights

    return Encoder, Decoder


def translation_with_attention(tf, np):
    encoder_class, decoder_class = _encoder_and_decoder(tf)
    encoder, decoder = encoder_class(10, 4, 6), decoder_class(9, 4, 6)
    source = tf.constant([[1, 4, 5, 2, 0], [1, 7, 8, 9, 2], [1, 3, 2, 0, 0]])
    target = tf.constant([[1, 5, 6, 2], [1, 7, 2, 0], [1, 3, 8, 2]])
    out, hidden = encoder(source, tf.zeros((3, 6)))
    decoder(target[:, :1], hidden, out)
    seeded(encoder, np, 1)
    seeded(decoder, np, 2)
    optimizer = tf.keras.optimizers.Adam(1e-3)
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

    def loss_function(real, pred):
        mask = tf.math.logical_not(tf.math.equal(real, 0))
        loss_ = loss_object(real, pred)
        loss_ *= tf.cast(mask, dtype=loss_.dtype)
        return tf.reduce_mean(loss_)

    @tf.function
    def train_step(inp, targ, enc_hidden):
        loss = 0
        with tf.GradientTape() as tape:
            enc_output, enc_hidden = encoder(inp, enc_hidden)
            dec_hidden = enc_hidden
            dec_input = tf.expand_dims([1] * 3, 1)
            for t in range(1, targ.shape[1]):
                predictions, dec_hidden, _ = decoder(dec_input, dec_hidden, enc_output)
                loss += loss_function(targ[:, t], predictions)
                dec_input = tf.expand_dims(targ[:, t], 1)
        batch_loss = loss / int(targ.shape[1])
        variables = encoder.trainable_variables + decoder.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return batch_loss

    losses = [float(train_step(source, target, tf.zeros((3, 6)))) for _ in range(3)]
    enc_out, state = encoder(source[1:2], [tf.zeros((1, 6))])
    dec_input, attention_plot = tf.expand_dims([1], 0), []
    for _ in range(3):
        predictions, state, weights = decoder(dec_input, state, enc_out)
        attention_plot.append(tf.reshape(weights, (-1,)).numpy())
        dec_input = tf.expand_dims([tf.argmax(predictions[0]).numpy()], 0)
    return {"losses": losses, "attention": attention_plot, "state": state}


def _transformer(tf, np):
    d_model, num_heads = 8, 2

    def positional_encoding(length, depth):
        positions = np.arange(length)[:, np.newaxis]
        depths = np.arange(depth // 2)[np.newaxis, :] / (depth // 2)
        angle_rads = positions / (10000**depths)
        encoding = np.concatenate([np.sin(angle_rads), np.cos(angle_rads)], axis=-1)
        return tf.cast(encoding, dtype=tf.float32)

    class PositionalEmbedding(tf.keras.layers.Layer):
        def __init__(self, vocab_size, d_model):
            super().__init__()
            self.d_model = d_model
            self.embedding = tf.keras.layers.Embedding(vocab_size, d_model, mask_zero=True)
            self.pos_encoding = positional_encoding(length=16, depth=d_model)

        def compute_mask(self, *args, **kwargs):
            return self.embedding.compute_mask(*args, **kwargs)

        def call(self, x):
            length = tf.shape(x)[1]
            x = self.embedding(x)
            x *= tf.math.sqrt(tf.cast(self.d_model, tf.float32))
            return x + self.pos_encoding[tf.newaxis, :length, :]

    class Attention(tf.keras.layers.Layer):
        def __init__(self, causal=False):
            super().__init__()
            self.causal = causal
            self.supports_masking = True
            self.mha = tf.keras.layers.MultiHeadAttention(num_heads, d_model // num_heads)
            self.layernorm, self.add = tf.keras.layers.LayerNormalization(), tf.keras.layers.Add()

        def call(self, x, context):
            out, scores = self.mha(
                query=x,
                key=context,
                value=context,
                use_causal_mask=self.causal,
                return_attention_scores=True,
            )
            self.last_attn_scores = scores
            return self.layernorm(self.add([x, out]))

    class Transformer(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.source = PositionalEmbedding(11, d_model)
            self.target = PositionalEmbedding(10, d_model)
            self.encode, self.look = Attention(), Attention()
            self.decode = Attention(causal=True)
            self.final_layer = tf.keras.layers.Dense(10)

        def call(self, inputs):
            context, x = inputs
            context, x = self.source(context), self.target(x)
            context = self.encode(context, context)
            x = self.look(self.decode(x, x), context)
            logits = self.final_layer(x)
            with contextlib.suppress(AttributeError):
                del logits._keras_mask
            return logits

    return Transformer()


def transformer_for_translation(tf, np):
    d_model = 8

    class CustomSchedule(tf.keras.optimizers.schedules.LearningRateSchedule):
        def __init__(self, d_model, warmup_steps=40):
            super().__init__()
            self.d_model = tf.cast(d_model, tf.float32)
            self.warmup_steps = warmup_steps

        def __call__(self, step):
            step = tf.cast(step, dtype=tf.float32)
            arg1, arg2 = tf.math.rsqrt(step + 1.0), (step + 1.0) * (self.warmup_steps**-1.5)
            return tf.math.rsqrt(self.d_model) * tf.math.minimum(arg1, arg2)

    def masked_loss(label, pred):
        mask = label != 0
        loss = tf.keras.losses.sparse_categorical_crossentropy(label, pred, from_logits=True)
        mask = tf.cast(mask, dtype=loss.dtype)
        return tf.reduce_sum(loss * mask) / tf.reduce_sum(mask)

    def masked_accuracy(label, pred):
        pred = tf.argmax(pred, axis=2)
        label = tf.cast(label, pred.dtype)
        mask = label != 0
        match = tf.cast((label == pred) & mask, dtype=tf.float32)
        return tf.reduce_sum(match) / tf.reduce_sum(tf.cast(mask, dtype=tf.float32))

    source = np.array([[1, 4, 5, 2, 0], [1, 7, 8, 9, 2], [1, 3, 2, 0, 0], [1, 10, 2, 0, 0]])
    target = np.array([[1, 5, 6, 2], [1, 7, 2, 0], [1, 3, 8, 2], [1, 9, 9, 2]])
    model = _transformer(tf, np)
    model((source, target[:, :-1]))
    seeded(model, np, 4)
    optimizer = tf.keras.optimizers.SGD(CustomSchedule(d_model), momentum=0.5)
    model.compile(loss=masked_loss, optimizer=optimizer, metrics=[masked_accuracy])
    data = (source, target[:, :-1]), target[:, 1:]
    history = model.fit(*data, batch_size=2, epochs=2, shuffle=False, verbose=0)
    model((source, target[:, :-1]))
    scores = model.look.last_attn_scores
    return {"history": history.history, "scores": scores[0, 0]}


def speech_to_text(tf, np):
    layers = tf.keras.layers
    inputs = layers.Input((12, 6), name="spectrogram")
    x = layers.Conv1D(6, 3, strides=2, padding="same", use_bias=False)(inputs)
    x = layers.LayerNormalization()(x)
    x = layers.ReLU()(x)
    x = layers.Bidirectional(layers.GRU(4, return_sequences=True), merge_mode="sum")(x)
    outputs = layers.Dense(5, activation="softmax")(x)
    model = tf.keras.Model(inputs, outputs)
    seeded(model, np, 3)

    def ctc_loss(y_true, y_pred):
        logits = tf.math.log(tf.transpose(y_pred, [1, 0, 2]) + 1e-7)
        label_length = tf.math.count_nonzero(y_true, axis=1, dtype=tf.int32)
        logit_length = tf.fill([tf.shape(y_pred)[0]], tf.shape(y_pred)[1])
        return tf.nn.ctc_loss(y_true, logits, label_length, logit_length, blank_index=0)

    rng = np.random.default_rng(6)
    waves = rng.normal(size=(3, 12, 6)).astype("float32")
    labels = np.array([[1, 2, 0], [3, 4, 1], [2, 0, 0]], dtype=np.int32)
    optimizer, losses = tf.keras.optimizers.Adam(1e-3), []
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(ctc_loss(tf.constant(labels), model(waves, training=True)))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        losses.append(float(loss))
    logits = tf.math.log(tf.transpose(model(waves), [1, 0, 2]))
    decoded, log_probability = tf.nn.ctc_greedy_decoder(logits, [6, 6, 6], blank_index=0)
    text = tf.sparse.to_dense(decoded[0], default_value=-1)
    return {"losses": losses, "text": text, "log_probability": log_probability}


def dilated_causal_convolutions(tf, np):
    class WaveNetLayer(tf.keras.layers.Layer):
        def __init__(self, filters, dilation_rate):
            super().__init__()
            conv = tf.keras.layers.Conv1D
            self.filter = conv(filters, 2, padding="causal", dilation_rate=dilation_rate)
            self.gate = conv(filters, 2, padding="causal", dilation_rate=dilation_rate)
            self.skip, self.residual = conv(filters, 1), conv(filters, 1)

        def call(self, x):
            z = tf.tanh(self.filter(x)) * tf.sigmoid(self.gate(x))
            return x + self.residual(z), self.skip(z)

    inputs = tf.keras.Input((None, 3))
    x, skips = inputs, []
    for rate in (1, 2, 4):
        x, skip = WaveNetLayer(3, rate)(x)
        skips.append(skip)
    x = tf.keras.layers.Activation("relu")(tf.keras.layers.Add()([*skips, x]))
    outputs = tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(3))(x)
    model = tf.keras.Model(inputs, outputs)
    seeded(model, np, 2)
    t = np.linspace(0, 12, 17)[None, :, None]
    wave = np.sin(t * np.array([1.0, 2.0, 3.0])).astype("float32")
    model.compile(tf.keras.optimizers.Adamax(1e-2), "mse")
    losses = [model.train_on_batch(wave[:, :-1], wave[:, 1:]) for _ in range(4)]
    return {"losses": losses, "next": model(wave)[:, -1], "shape": model.output_shape}


def sentences_by_convolutions(tf, np):
    layers = tf.keras.layers

    class TextCNN(tf.keras.Model):
        def __init__(self, vocab_size, kernel_sizes=(2, 3)):
            super().__init__()
            self.embedding = layers.Embedding(vocab_size, 4)
            self.convs = [layers.Conv1D(3, size, activation="relu") for size in kernel_sizes]
            self.pool = layers.GlobalMaxPooling1D()
            self.classifier = layers.Dense(4, activation="sigmoid")

        def call(self, inputs):
            x = self.embedding(inputs)
            x = tf.concat([self.pool(conv(x)) for conv in self.convs], axis=-1)
            return self.classifier(x)

    rng = np.random.default_rng(1)
    texts = rng.integers(0, 15, (10, 6))
    tags = (rng.random((10, 4)) < 0.4).astype("float32")
    model = TextCNN(15)
    model(texts)
    seeded(model, np, 2)
    model.compile(
        optimizer=tf.keras.optimizers.RMSprop(1e-3),
        loss=tf.keras.losses.BinaryFocalCrossentropy(gamma=2.0),
        metrics=[tf.keras.metrics.Precision(name="p"), tf.keras.metrics.Recall(name="r")],
    )
    weights = np.linspace(0.5, 1.5, 10)
    history = model.fit(
        texts, tags, sample_weight=weights, batch_size=5, epochs=2, shuffle=False, verbose=0
    )
    results = model.evaluate(texts, tags, verbose=0, return_dict=True)
    f1 = tf.keras.metrics.F1Score(average="micro", threshold=0.5)
    f1.update_state(tags, model(texts))
    return {"history": history.history, "results": results, "f1": f1.result()}
