"""Probabilistic programs: processes, flows, mixtures, sampling, second-order fits."""

from .program import seeded


def gaussian_process(tf, np):
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-3, 3, (9, 1)), axis=0)
    y = np.sin(x) + 0.1 * rng.normal(size=x.shape)
    log_amplitude = tf.Variable(0.0, dtype=tf.float64)
    log_scale = tf.Variable(0.0, dtype=tf.float64)
    log_noise = tf.Variable(-2.0, dtype=tf.float64)
    variables = [log_amplitude, log_scale, log_noise]

    def rbf(a, b):
        squared = tf.reduce_sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1)
        return tf.exp(2 * log_amplitude) * tf.exp(-0.5 * squared / tf.exp(2 * log_scale))

    def factor():
        noise = tf.exp(2 * log_noise) * tf.eye(len(x), dtype=tf.float64)
        return tf.linalg.cholesky(rbf(x, x) + noise)

    @tf.function
    def negative_log_likelihood():
        chol = factor()
        alpha = tf.linalg.cholesky_solve(chol, y)
        fit = 0.5 * tf.reduce_sum(y * alpha)
        complexity = tf.reduce_sum(tf.math.log(tf.linalg.diag_part(chol)))
        return fit + complexity + 0.5 * len(x) * np.log(2 * np.pi)

    optimizer = tf.keras.optimizers.Adam(learning_rate=0.05)
    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            loss = negative_log_likelihood()
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        losses.append(loss.numpy())
    new = np.linspace(-3, 3, 5)[:, None]
    chol, cross = factor(), rbf(x, new)
    mean = tf.matmul(cross, tf.linalg.cholesky_solve(chol, y), transpose_a=True)
    v = tf.linalg.triangular_solve(chol, cross, lower=True)
    variance = tf.linalg.diag_part(rbf(new, new)) - tf.reduce_sum(v**2, axis=0)
    return {
        "losses": losses,
        "mean": tf.squeeze(mean),
        "variance": variance,
        "hyperparameters": [float(tf.exp(v)) for v in variables],
    }


def normalizing_flow(tf, np):
    layers = tf.keras.layers

    def coupling(input_shape):
        inputs = layers.Input(shape=(input_shape,))
        t = layers.Dense(6, activation="relu", kernel_regularizer="l2")(inputs)
        t = layers.Dense(input_shape, activation="linear", kernel_regularizer="l2")(t)
        s = layers.Dense(6, activation="relu", kernel_regularizer="l2")(inputs)
        s = layers.Dense(input_shape, activation="tanh", kernel_regularizer="l2")(s)
        return tf.keras.Model(inputs=inputs, outputs=[s, t])

    class RealNVP(tf.keras.Model):
        def __init__(self, num_coupling_layers):
            super().__init__()
            self.num_coupling_layers = num_coupling_layers
            half = num_coupling_layers // 2
            self.masks = np.array([[0, 1], [1, 0]] * half, dtype="float32")
            self.loss_tracker = tf.keras.metrics.Mean(name="loss")
            self.layers_list = [coupling(2) for _ in range(num_coupling_layers)]

        @property
        def metrics(self):
            return [self.loss_tracker]

        def call(self, x, training=True):
            log_det_inv, direction = 0, -1 if training else 1
            for i in range(self.num_coupling_layers)[::direction]:
                x_masked = x * self.masks[i]
                reversed_mask = 1 - self.masks[i]
                s, t = self.layers_list[i](x_masked)
                s *= reversed_mask
                t *= reversed_mask
                gate = (direction - 1) / 2
                x = (
                    reversed_mask * (x * tf.exp(direction * s) + direction * t * tf.exp(gate * s))
                    + x_masked
                )
                log_det_inv += gate * tf.reduce_sum(s, axis=1)
            return x, log_det_inv

        def log_loss(self, x):
            y, logdet = self(x)
            log_likelihood = -0.5 * tf.reduce_sum(y**2, axis=1) - np.log(2 * np.pi) + logdet
            return -tf.reduce_mean(log_likelihood)

        def train_step(self, data):
            with tf.GradientTape() as tape:
                loss = self.log_loss(data)
            g = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(g, self.trainable_variables, strict=True))
            self.loss_tracker.update_state(loss)
            return {"loss": self.loss_tracker.result()}

        def test_step(self, data):
            self.loss_tracker.update_state(self.log_loss(data))
            return {"loss": self.loss_tracker.result()}

    angle = np.linspace(0, np.pi, 10)
    moons = np.concatenate(
        [
            np.stack([np.cos(angle), np.sin(angle)], 1),
            np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], 1),
        ]
    ).astype("float32")
    normalization = layers.Normalization()
    normalization.adapt(moons)
    normalized_data = normalization(moons)
    model = RealNVP(num_coupling_layers=4)
    model(normalized_data)
    seeded(model, np, 1)
    model.compile(optimizer=tf.keras.optimizers.Adam(learning_rate=0.001))
    data = np.array(normalized_data)
    history = model.fit(data, batch_size=10, epochs=2, shuffle=False, verbose=0)
    z, _ = model(normalized_data)
    x, _ = model(z, training=False)
    return {
        "losses": history.history["loss"],
        "latent": z[:3],
        "inverted": tf.reduce_max(tf.abs(x - normalized_data)) < 1e-4,
        "evaluated": model.evaluate(data, verbose=0),
    }


def weights_with_uncertainty(tf, np):
    class DenseVariational(tf.keras.layers.Layer):
        def __init__(self, units, kl_weight, activation=None, prior_sigma=1.5, **kwargs):
            super().__init__(**kwargs)
            self.units = units
            self.kl_weight = kl_weight
            self.activation = tf.keras.activations.get(activation)
            self.prior_sigma = prior_sigma

        def build(self, input_shape):
            shape = (input_shape[-1], self.units)
            self.kernel_mu = self.add_weight(name="kernel_mu", shape=shape, initializer="ones")
            self.bias_mu = self.add_weight(name="bias_mu", shape=(self.units,), initializer="zeros")
            rho = tf.keras.initializers.Constant(-1.0)
            self.kernel_rho = self.add_weight(name="kernel_rho", shape=shape, initializer=rho)
            self.bias_rho = self.add_weight(name="bias_rho", shape=(self.units,), initializer=rho)
            super().build(input_shape)

        def call(self, inputs):
            kernel_sigma = tf.math.softplus(self.kernel_rho)
            kernel = self.kernel_mu + kernel_sigma * tf.random.normal(self.kernel_mu.shape)
            bias_sigma = tf.math.softplus(self.bias_rho)
            bias = self.bias_mu + bias_sigma * tf.random.normal(self.bias_mu.shape)
            self.add_loss(self.kl_loss(kernel, self.kernel_mu, kernel_sigma))
            self.add_loss(self.kl_loss(bias, self.bias_mu, bias_sigma))
            return self.activation(inputs @ kernel + bias)

        def log_normal(self, w, mu, sigma):
            return -0.5 * ((w - mu) / sigma) ** 2 - tf.math.log(sigma)

        def kl_loss(self, w, mu, sigma):
            prior = self.log_normal(w, 0.0, self.prior_sigma)
            return self.kl_weight * tf.reduce_sum(self.log_normal(w, mu, sigma) - prior)

    x = np.linspace(-0.5, 0.5, 8, dtype=np.float32)[:, None]
    y = 10 * np.sin(2 * np.pi * x)
    layers = [DenseVariational(5, 0.1, activation="relu"), DenseVariational(1, 0.1)]
    optimizer = tf.keras.optimizers.Adam(0.01)
    tf.random.set_seed(4)
    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            h = x
            for layer in layers:
                h = layer(h)
            kl = tf.add_n([loss for layer in layers for loss in layer.losses])
            loss = tf.reduce_mean((y - h) ** 2) + kl
        variables = [v for layer in layers for v in layer.trainable_variables]
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        losses.append((float(loss), float(kl)))
    samples = tf.stack([layers[1](layers[0](x)) for _ in range(3)])
    return {"losses": losses, "spread": tf.math.reduce_std(samples, axis=0)[:3, 0]}


def mixture_density_network(tf, np):
    components = 3
    inputs = tf.keras.Input((1,))
    h = tf.keras.layers.Dense(10, activation="tanh")(inputs)
    pi = tf.keras.layers.Dense(components, activation="softmax")(h)
    mu = tf.keras.layers.Dense(components)(h)
    sigma = tf.keras.layers.Dense(components, activation=tf.exp)(h)
    model = tf.keras.Model(inputs, tf.keras.layers.concatenate([pi, mu, sigma]))
    seeded(model, np, 2)

    def mdn_loss(y_true, y_pred):
        pi, mu, sigma = tf.split(y_pred, 3, axis=-1)
        exponent = -0.5 * tf.square((y_true - mu) / sigma)
        log_normal = exponent - tf.math.log(sigma) - 0.5 * np.log(2 * np.pi)
        return -tf.reduce_logsumexp(tf.math.log(pi + 1e-8) + log_normal, axis=-1)

    rng = np.random.default_rng(3)
    y = rng.uniform(-1, 1, (16, 1)).astype("float32")
    x = (y + 0.3 * np.sin(2 * np.pi * y)).astype("float32")
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-2), loss=mdn_loss)
    history = model.fit(x, y, batch_size=8, epochs=3, shuffle=False, verbose=0)
    pi, mu, sigma = np.split(model.predict(x[:3], verbose=0), 3, axis=-1)
    return {"losses": history.history["loss"], "pi": pi, "mean": (pi * mu).sum(-1), "sigma": sigma}


def hamiltonian_monte_carlo(tf, np):
    precision = tf.constant([[2.0, 0.6], [0.6, 1.0]])

    def log_prob(x):
        return -0.5 * tf.reduce_sum(x * tf.linalg.matvec(precision, x), axis=-1)

    def gradient_of_log_prob(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = log_prob(x)
        return tape.gradient(value, x)

    @tf.function
    def leapfrog(x, p, step_size):
        p += 0.5 * step_size * gradient_of_log_prob(x)
        for k in range(5):
            x += step_size * p
            p += (1.0 if k < 4 else 0.5) * step_size * gradient_of_log_prob(x)
        return x, p

    tf.random.set_seed(8)
    x, accepted, chain = tf.zeros([4, 2]), [], []
    for _ in range(4):
        momentum = tf.random.normal(x.shape)
        new_x, new_p = leapfrog(x, momentum, tf.constant(0.2))
        energy = -log_prob(x) + 0.5 * tf.reduce_sum(momentum**2, -1)
        new_energy = -log_prob(new_x) + 0.5 * tf.reduce_sum(new_p**2, -1)
        accept = tf.math.log(tf.random.uniform([4])) < energy - new_energy
        x = tf.where(accept[:, None], new_x, x)
        accepted.append(accept.numpy().sum())
        chain.append(x)
    chain = tf.concat(chain, 0)
    return {"accepted": accepted, "mean": tf.reduce_mean(chain, 0), "last": chain[-2:]}


def stein_variational_descent(tf, np):
    particles = tf.Variable(np.random.default_rng(5).normal(-2, 1, (6, 1)).astype("float32"))

    def log_target(x):
        a = -0.5 * (x + 1.0) ** 2 + tf.math.log(1 / 3)
        b = -0.5 * (x - 1.0) ** 2 + tf.math.log(2 / 3)
        return tf.reduce_logsumexp(tf.concat([a, b], axis=1), axis=1)

    @tf.function
    def phi(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = log_target(x)
        score = tape.gradient(value, x)
        difference = x[:, None] - x[None]
        kernel = tf.exp(-tf.reduce_sum(difference**2, -1))
        repulsion = tf.reduce_sum(2.0 * difference * kernel[..., None], axis=1)
        return (kernel @ score + repulsion) / len(x)

    optimizer = tf.keras.optimizers.Adagrad(0.3)
    for _ in range(6):
        optimizer.apply_gradients([(-phi(particles.value()), particles)])
    return {"particles": particles.numpy(), "mean": tf.reduce_mean(particles)}


def regression_by_newton(tf, np):
    rng = np.random.default_rng(6)
    x = rng.normal(size=(20, 3))
    y = (x @ [1.0, -2.0, 0.5] + 0.3 * rng.normal(size=20) > 0).astype(float)
    w, b = tf.Variable(np.zeros(3)), tf.Variable(0.0, dtype=tf.float64)

    def flat(parts):
        return tf.concat([tf.reshape(part, [-1]) for part in parts], axis=0)

    history = []
    for _ in range(4):
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as inner:
                logits = tf.linalg.matvec(x, w) + b
                ce = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits)
                loss = tf.reduce_mean(ce) + 0.01 * tf.nn.l2_loss(w)
            gradient = flat(inner.gradient(loss, [w, b]))
        hessian = tf.concat(
            [tf.reshape(h, [4, -1]) for h in outer.jacobian(gradient, [w, b])], axis=1
        )
        step = tf.linalg.solve(hessian, gradient[:, None])[:, 0]
        w.assign_sub(step[:3])
        b.assign_sub(step[3])
        history.append((float(loss), float(tf.norm(gradient))))
    covariance = tf.linalg.inv(hessian)
    return {"history": history, "w": w.numpy(), "errors": tf.sqrt(tf.linalg.diag_part(covariance))}


def quasi_newton_on_variables(tf, np):
    x = tf.Variable([-1.2, 1.0, 0.5], dtype=tf.float64)

    @tf.function
    def value_and_gradient():
        with tf.GradientTape() as tape:
            a, b = x[:-1], x[1:]
            value = tf.reduce_sum(100.0 * (b - a**2) ** 2 + (1.0 - a) ** 2)
        return value, tape.gradient(value, x)

    def direction(gradient, s, y):
        q, alphas = tf.identity(gradient), []
        for s_k, y_k in zip(reversed(s), reversed(y), strict=True):
            alpha = tf.tensordot(s_k, q, 1) / tf.tensordot(y_k, s_k, 1)
            alphas.append(alpha)
            q -= alpha * y_k
        if s:
            q *= tf.tensordot(s[-1], y[-1], 1) / tf.tensordot(y[-1], y[-1], 1)
        for s_k, y_k, alpha in zip(s, y, reversed(alphas), strict=True):
            q += s_k * (alpha - tf.tensordot(y_k, q, 1) / tf.tensordot(y_k, s_k, 1))
        return -q

    s, y, values = [], [], []
    value, gradient = value_and_gradient()
    for _ in range(8):
        d, t, start = direction(gradient, s[-5:], y[-5:]), 1.0, x.numpy()
        slope = tf.tensordot(gradient, d, 1)
        while True:
            x.assign(start + t * d)
            new_value, new_gradient = value_and_gradient()
            if new_value <= value + 1e-4 * t * slope or t < 1e-6:
                break
            t *= 0.5
        s.append(x - start)
        y.append(new_gradient - gradient)
        value, gradient = new_value, new_gradient
        values.append(float(value))
    return {"values": values, "x": x.numpy()}
