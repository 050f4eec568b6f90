"""Generative models as tutorials write them: adversarial, variational, diffusion, quantized."""

from .program import seeded


def adversarial_pair(tf, np):
    generator = tf.keras.Sequential(
        [
            tf.keras.Input((3,)),
            tf.keras.layers.Dense(8, activation="relu"),
            tf.keras.layers.Dense(2),
        ]
    )
    discriminator = tf.keras.Sequential(
        [
            tf.keras.Input((2,)),
            tf.keras.layers.Dense(8),
            tf.keras.layers.LeakyReLU(negative_slope=0.2),
            tf.keras.layers.Dense(1),
        ]
    )
    seeded(generator, np, 1)
    seeded(discriminator, np, 2)
    cross_entropy = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    generator_optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=0.5)
    discriminator_optimizer = tf.keras.optimizers.Adam(1e-3, beta_1=0.5)

    def discriminator_loss(real_output, fake_output):
        real_loss = cross_entropy(tf.ones_like(real_output), real_output)
        fake_loss = cross_entropy(tf.zeros_like(fake_output), fake_output)
        return real_loss + fake_loss

    def generator_loss(fake_output):
        return cross_entropy(tf.ones_like(fake_output), fake_output)

    @tf.function
    def train_step(points):
        noise = tf.random.normal([tf.shape(points)[0], 3])
        with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
            generated = generator(noise, training=True)
            real_output = discriminator(points, training=True)
            fake_output = discriminator(generated, training=True)
            gen_loss = generator_loss(fake_output)
            disc_loss = discriminator_loss(real_output, fake_output)
        gen_gradients = gen_tape.gradient(gen_loss, generator.trainable_variables)
        disc_gradients = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
        generator_optimizer.apply_gradients(
            zip(gen_gradients, generator.trainable_variables, strict=True)
        )
        discriminator_optimizer.apply_gradients(
            zip(disc_gradients, discriminator.trainable_variables, strict=True)
        )
        return gen_loss, disc_loss

    tf.random.set_seed(7)
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    ring = tf.constant(np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32))
    history = []
    for _ in range(5):
        gen_loss, disc_loss = train_step(ring)
        history.append((float(gen_loss), float(disc_loss)))
    samples = generator(tf.random.normal([4, 3]), training=False)
    return {"history": history, "samples": samples, "steps": int(generator_optimizer.iterations)}


def convolutional_adversarial_pair(tf, np):
    layers = tf.keras.layers

    def make_generator_model():
        model = tf.keras.Sequential()
        model.add(tf.keras.Input((5,)))
        model.add(layers.Dense(2 * 2 * 4, use_bias=False))
        model.add(layers.BatchNormalization())
        model.add(layers.LeakyReLU())
        model.add(layers.Reshape((2, 2, 4)))
        model.add(layers.Conv2DTranspose(3, (5, 5), (2, 2), padding="same", use_bias=False))
        model.add(layers.BatchNormalization())
        model.add(layers.LeakyReLU())
        model.add(layers.Conv2DTranspose(1, (5, 5), (2, 2), padding="same", activation="tanh"))
        assert model.output_shape == (None, 8, 8, 1)
        return model

    def make_discriminator_model():
        model = tf.keras.Sequential()
        model.add(tf.keras.Input((8, 8, 1)))
        model.add(layers.Conv2D(4, (5, 5), strides=(2, 2), padding="same"))
        model.add(layers.LeakyReLU())
        model.add(layers.Dropout(0.0))
        model.add(layers.Flatten())
        model.add(layers.Dense(1))
        return model

    generator, discriminator = make_generator_model(), make_discriminator_model()
    seeded(generator, np, 3)
    seeded(discriminator, np, 4)
    bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
    optimizers = [tf.keras.optimizers.RMSprop(1e-3), tf.keras.optimizers.RMSprop(1e-3)]
    gen_metric = tf.keras.metrics.Mean(name="gen_loss")
    disc_metric = tf.keras.metrics.Mean(name="disc_loss")

    @tf.function
    def train_step(images, noise):
        with tf.GradientTape(persistent=True) as tape:
            fakes = generator(noise, training=True)
            real, fake = discriminator(images, training=True), discriminator(fakes, training=True)
            disc_loss = bce(0.9 * tf.ones_like(real), real) + bce(tf.zeros_like(fake), fake)
            gen_loss = bce(tf.ones_like(fake), fake)
        for loss, model, optimizer in (
            (gen_loss, generator, optimizers[0]),
            (disc_loss, discriminator, optimizers[1]),
        ):
            grads = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        gen_metric.update_state(gen_loss)
        disc_metric.update_state(disc_loss)

    rng = np.random.default_rng(5)
    images = np.tanh(rng.normal(size=(8, 8, 8, 1))).astype("float32")
    noise = rng.normal(size=(8, 5)).astype("float32")
    for start in (0, 4):
        train_step(tf.constant(images[start : start + 4]), tf.constant(noise[start : start + 4]))
    moving = [w.numpy() for w in generator.non_trainable_variables]
    return {
        "gen_loss": gen_metric.result(),
        "disc_loss": float(disc_metric.result()),
        "moving": moving,
        "image": generator(noise[:1], training=False)[0, ::2, ::2, 0],
    }


def wasserstein_with_gradient_penalty(tf, np):
    class WGAN(tf.keras.Model):
        def __init__(self, critic, generator, latent_dim, critic_steps=2, gp_weight=10.0):
            super().__init__()
            self.critic = critic
            self.generator = generator
            self.latent_dim = latent_dim
            self.critic_steps = critic_steps
            self.gp_weight = gp_weight

        def compile(self, c_optimizer, g_optimizer):
            super().compile()
            self.c_optimizer = c_optimizer
            self.g_optimizer = g_optimizer

        def gradient_penalty(self, real, fake):
            alpha = tf.random.uniform([tf.shape(real)[0], 1], 0.0, 1.0)
            interpolated = real + alpha * (fake - real)
            with tf.GradientTape() as gp_tape:
                gp_tape.watch(interpolated)
                pred = self.critic(interpolated, training=True)
            grads = gp_tape.gradient(pred, [interpolated])[0]
            norm = tf.sqrt(tf.reduce_sum(tf.square(grads), axis=[1]))
            return tf.reduce_mean((norm - 1.0) ** 2)

        def train_step(self, real):
            if isinstance(real, tuple):
                real = real[0]
            batch_size = tf.shape(real)[0]
            for _ in range(self.critic_steps):
                latent = tf.random.normal(shape=(batch_size, self.latent_dim))
                with tf.GradientTape() as tape:
                    fake = self.generator(latent, training=True)
                    c_loss = tf.reduce_mean(self.critic(fake, training=True))
                    c_loss -= tf.reduce_mean(self.critic(real, training=True))
                    c_loss += self.gp_weight * self.gradient_penalty(real, fake)
                grads = tape.gradient(c_loss, self.critic.trainable_variables)
                self.c_optimizer.apply_gradients(
                    zip(grads, self.critic.trainable_variables, strict=True)
                )
            latent = tf.random.normal(shape=(batch_size, self.latent_dim))
            with tf.GradientTape() as tape:
                g_loss = -tf.reduce_mean(self.critic(self.generator(latent, training=True)))
            grads = tape.gradient(g_loss, self.generator.trainable_variables)
            self.g_optimizer.apply_gradients(
                zip(grads, self.generator.trainable_variables, strict=True)
            )
            return {"c_loss": c_loss, "g_loss": g_loss}

    dense = tf.keras.layers.Dense
    critic = tf.keras.Sequential([tf.keras.Input((2,)), dense(8, activation="tanh"), dense(1)])
    generator = tf.keras.Sequential([tf.keras.Input((3,)), dense(6, activation="elu"), dense(2)])
    seeded(critic, np, 1)
    seeded(generator, np, 2)
    gan = WGAN(critic, generator, latent_dim=3)
    gan.compile(
        c_optimizer=tf.keras.optimizers.Adam(1e-3, beta_1=0.5, beta_2=0.9),
        g_optimizer=tf.keras.optimizers.Adam(1e-3, beta_1=0.5, beta_2=0.9),
    )
    tf.random.set_seed(11)
    real = np.random.default_rng(3).normal(2.0, 0.5, size=(12, 2)).astype("float32")
    history = gan.fit(real, batch_size=4, epochs=2, shuffle=False, verbose=0).history
    return {"history": history, "critic": critic.get_weights()[-2]}


def variational_autoencoder(tf, np):
    keras, layers = tf.keras, tf.keras.layers

    class Sampling(layers.Layer):
        def call(self, inputs):
            z_mean, z_log_var = inputs
            epsilon = tf.random.normal(shape=tf.shape(z_mean))
            return z_mean + tf.exp(0.5 * z_log_var) * epsilon

    class VAE(keras.Model):
        def __init__(self, encoder, decoder, **kwargs):
            super().__init__(**kwargs)
            self.encoder = encoder
            self.decoder = decoder
            self.total_loss_tracker = keras.metrics.Mean(name="total_loss")
            self.reconstruction_loss_tracker = keras.metrics.Mean(name="reconstruction_loss")
            self.kl_loss_tracker = keras.metrics.Mean(name="kl_loss")

        @property
        def metrics(self):
            return [
                self.total_loss_tracker,
                self.reconstruction_loss_tracker,
                self.kl_loss_tracker,
            ]

        def train_step(self, data):
            with tf.GradientTape() as tape:
                z_mean, z_log_var, z = self.encoder(data)
                reconstruction = self.decoder(z)
                reconstruction_loss = tf.reduce_mean(
                    tf.reduce_sum(
                        keras.losses.binary_crossentropy(data, reconstruction), axis=(1, 2)
                    )
                )
                kl_loss = -0.5 * (1 + z_log_var - tf.square(z_mean) - tf.exp(z_log_var))
                kl_loss = tf.reduce_mean(tf.reduce_sum(kl_loss, axis=1))
                total_loss = reconstruction_loss + kl_loss
            grads = tape.gradient(total_loss, self.trainable_weights)
            self.optimizer.apply_gradients(zip(grads, self.trainable_weights, strict=True))
            self.total_loss_tracker.update_state(total_loss)
            self.reconstruction_loss_tracker.update_state(reconstruction_loss)
            self.kl_loss_tracker.update_state(kl_loss)
            return {m.name: m.result() for m in self.metrics}

    inputs = keras.Input(shape=(8, 8, 1))
    x = layers.Conv2D(4, 3, activation="relu", strides=2, padding="same")(inputs)
    x = layers.Flatten()(x)
    x = layers.Dense(8, activation="relu")(x)
    z_mean = layers.Dense(2, name="z_mean")(x)
    z_log_var = layers.Dense(2, name="z_log_var")(x)
    z = Sampling()([z_mean, z_log_var])
    encoder = keras.Model(inputs, [z_mean, z_log_var, z], name="encoder")
    latent = keras.Input(shape=(2,))
    x = layers.Dense(4 * 4 * 2, activation="relu")(latent)
    x = layers.Reshape((4, 4, 2))(x)
    x = layers.Conv2DTranspose(3, 3, activation="relu", strides=2, padding="same")(x)
    outputs = layers.Conv2DTranspose(1, 3, activation="sigmoid", padding="same")(x)
    decoder = keras.Model(latent, outputs, name="decoder")
    seeded(encoder, np, 1)
    seeded(decoder, np, 2)
    vae = VAE(encoder, decoder)
    vae.compile(optimizer=keras.optimizers.Adam(1e-3))
    tf.random.set_seed(3)
    digits = np.random.default_rng(4).random((12, 8, 8, 1)).astype("float32")
    history = vae.fit(digits, epochs=2, batch_size=4, shuffle=False, verbose=0).history
    mean, _, _ = encoder.predict(digits[:2], verbose=0)
    return {"history": history, "mean": mean, "names": [m.name for m in vae.metrics]}


def autoencoder_for_denoising(tf, np):
    class Denoise(tf.keras.Model):
        def __init__(self):
            super().__init__()
            layers = tf.keras.layers
            self.encoder = tf.keras.Sequential(
                [
                    layers.Input(shape=(8, 8, 1)),
                    layers.Conv2D(4, (3, 3), activation="relu", padding="same", strides=2),
                    layers.Conv2D(2, (3, 3), activation="relu", padding="same", strides=2),
                ]
            )
            self.decoder = tf.keras.Sequential(
                [
                    layers.Conv2DTranspose(2, 3, strides=2, activation="relu", padding="same"),
                    layers.Conv2DTranspose(4, 3, strides=2, activation="relu", padding="same"),
                    layers.Conv2D(1, (3, 3), activation="sigmoid", padding="same"),
                ]
            )

        def call(self, x):
            return self.decoder(self.encoder(x))

    x = np.random.default_rng(0).random((8, 8, 8, 1)).astype("float32")
    noisy = x + 0.2 * tf.random.stateless_normal(x.shape, seed=[1, 2])
    noisy = tf.clip_by_value(noisy, clip_value_min=0.0, clip_value_max=1.0)
    autoencoder = Denoise()
    autoencoder(noisy[:1])
    seeded(autoencoder, np, 1)
    autoencoder.compile(optimizer="adam", loss=tf.keras.losses.MeanSquaredError())
    history = autoencoder.fit(
        noisy, x, epochs=2, batch_size=4, shuffle=False, verbose=0, validation_data=(noisy, x)
    )
    decoded = autoencoder.decoder(autoencoder.encoder(noisy)).numpy()
    return {
        "history": history.history,
        "decoded": decoded[0, 3:5, 3:5, 0],
        "parameters": autoencoder.count_params(),
    }


def vector_quantized_autoencoder(tf, np):
    class VectorQuantizer(tf.keras.layers.Layer):
        def __init__(self, num_embeddings, embedding_dim, beta=0.25, **kwargs):
            super().__init__(**kwargs)
            self.embedding_dim = embedding_dim
            self.num_embeddings = num_embeddings
            self.beta = beta
            codes = np.random.default_rng(5).uniform(-0.5, 0.5, (embedding_dim, num_embeddings))
            self.embeddings = tf.Variable(codes.astype("float32"), name="embeddings_vqvae")

        def call(self, x):
            input_shape = tf.shape(x)
            flattened = tf.reshape(x, [-1, self.embedding_dim])
            indices = self.get_code_indices(flattened)
            encodings = tf.one_hot(indices, self.num_embeddings)
            quantized = tf.matmul(encodings, self.embeddings, transpose_b=True)
            quantized = tf.reshape(quantized, input_shape)
            commitment = tf.reduce_mean((tf.stop_gradient(quantized) - x) ** 2)
            codebook = tf.reduce_mean((quantized - tf.stop_gradient(x)) ** 2)
            self.add_loss(self.beta * commitment + codebook)
            return x + tf.stop_gradient(quantized - x)

        def get_code_indices(self, flattened):
            similarity = tf.matmul(flattened, self.embeddings)
            distances = (
                tf.reduce_sum(flattened**2, axis=1, keepdims=True)
                + tf.reduce_sum(self.embeddings**2, axis=0)
                - 2 * similarity
            )
            return tf.argmin(distances, axis=1)

    quantizer = VectorQuantizer(6, 2, name="vector_quantizer")
    encoder = tf.keras.layers.Dense(4, activation="tanh", kernel_initializer="ones")
    decoder = tf.keras.layers.Dense(5)
    x = np.random.default_rng(2).normal(size=(7, 5)).astype("float32")
    decoder.build((None, 4))
    decoder.set_weights([np.linspace(-1, 1, 20).reshape(4, 5), np.zeros(5)])
    optimizer = tf.keras.optimizers.SGD(0.1)
    losses = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            latent = tf.reshape(encoder(x), (7, 2, 2))
            decoded = decoder(tf.reshape(quantizer(latent), (7, 4)))
            loss = tf.reduce_mean((x - decoded) ** 2) + sum(quantizer.losses)
        variables = encoder.trainable_variables + decoder.trainable_variables
        variables += [quantizer.embeddings]
        grads = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(grads, variables, strict=True))
        losses.append(loss.numpy())
    codes = quantizer.get_code_indices(tf.reshape(encoder(x), (-1, 2)))
    return {"losses": losses, "codes": codes, "embeddings": quantizer.embeddings.numpy()}


def denoising_diffusion(tf, np):
    timesteps = 20
    betas = np.linspace(1e-4, 0.2, timesteps, dtype=np.float32)
    alpha_hat = tf.math.cumprod(1.0 - betas)
    alpha_hat_prev = tf.pad(alpha_hat[:-1], [[1, 0]], constant_values=1.0)
    variance = betas * (1.0 - alpha_hat_prev) / (1.0 - alpha_hat)

    def time_embedding(t, dim=4):
        frequencies = tf.exp(-np.log(100.0) * tf.range(dim, dtype=tf.float32) / dim)
        angles = tf.cast(t, tf.float32)[:, None] * frequencies[None, :]
        return tf.concat([tf.sin(angles), tf.cos(angles)], axis=-1)

    x_in, t_in = tf.keras.Input((2,)), tf.keras.Input((8,))
    h = tf.keras.layers.Concatenate()([x_in, t_in])
    h = tf.keras.layers.Dense(16, activation="swish")(h)
    h = tf.keras.layers.LayerNormalization()(h)
    model = tf.keras.Model([x_in, t_in], tf.keras.layers.Dense(2)(h))
    seeded(model, np, 1)
    optimizer = tf.keras.optimizers.AdamW(1e-3, weight_decay=1e-2)

    @tf.function
    def train_step(x0):
        t = tf.random.uniform([tf.shape(x0)[0]], 0, timesteps, dtype=tf.int32)
        noise = tf.random.normal(tf.shape(x0))
        a = tf.gather(alpha_hat, t)[:, None]
        noisy = tf.sqrt(a) * x0 + tf.sqrt(1.0 - a) * noise
        with tf.GradientTape() as tape:
            predicted = model([noisy, time_embedding(t)], training=True)
            loss = tf.reduce_mean(tf.square(noise - predicted))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    @tf.function
    def denoise(x, t, noise):
        a, beta = tf.gather(alpha_hat, t), tf.gather(betas, t)
        predicted = model([x, time_embedding(tf.fill([tf.shape(x)[0]], t))], training=False)
        mean = (x - beta / tf.sqrt(1.0 - a) * predicted) / tf.sqrt(1.0 - beta)
        return mean + tf.sqrt(tf.gather(variance, t)) * noise

    tf.random.set_seed(2)
    data = np.random.default_rng(3).normal(size=(8, 2)).astype("float32")
    losses = [float(train_step(tf.constant(data))) for _ in range(4)]
    x = tf.random.normal([3, 2])
    for t in reversed(range(timesteps)):
        noise = tf.random.normal(x.shape) if t > 0 else tf.zeros_like(x)
        x = denoise(x, tf.constant(t), noise)
    return {"losses": losses, "samples": x}


def masked_pixel_convolutions(tf, np):
    class PixelConvLayer(tf.keras.layers.Layer):
        def __init__(self, mask_type, **kwargs):
            super().__init__()
            self.mask_type = mask_type
            self.conv = tf.keras.layers.Conv2D(**kwargs)

        def build(self, input_shape):
            self.conv.build(input_shape)
            kernel_shape = self.conv.kernel.shape
            self.mask = np.zeros(shape=kernel_shape, dtype="float32")
            self.mask[: kernel_shape[0] // 2, ...] = 1.0
            self.mask[kernel_shape[0] // 2, : kernel_shape[1] // 2, ...] = 1.0
            if self.mask_type == "B":
                self.mask[kernel_shape[0] // 2, kernel_shape[1] // 2, ...] = 1.0

        def call(self, inputs):
            self.conv.kernel.assign(self.conv.kernel * self.mask)
            return self.conv(inputs)

    inputs = tf.keras.Input(shape=(6, 6, 1), batch_size=4)
    x = PixelConvLayer("A", filters=4, kernel_size=5, activation="relu", padding="same")(inputs)
    x = PixelConvLayer("B", filters=4, kernel_size=3, activation="relu", padding="same")(x)
    outputs = tf.keras.layers.Conv2D(1, kernel_size=1, activation="sigmoid")(x)
    pixel_cnn = tf.keras.Model(inputs, outputs)
    seeded(pixel_cnn, np, 1)
    pixel_cnn.compile(optimizer=tf.keras.optimizers.Adam(0.0005), loss="binary_crossentropy")
    data = (np.random.default_rng(2).random((8, 6, 6, 1)) < 0.4).astype("float32")
    history = pixel_cnn.fit(x=data, y=data, batch_size=4, epochs=2, shuffle=False, verbose=0)
    pixels = np.zeros(shape=(4, 6, 6, 1), dtype="float32")
    for row in range(2):
        for col in range(6):
            probs = pixel_cnn.predict(pixels, verbose=0)[:, row, col, :]
            pixels[:, row, col, :] = (probs > 0.45).astype("float32")
    kernel = pixel_cnn.get_weights()[0]
    return {"losses": history.history["loss"], "pixels": pixels[0, :2, :, 0], "kernel": kernel[2]}
