"""Programs about images: classifiers, explanations, attacks, dreams and styles."""

from .program import seeded


def _features(tf, np, size=16):
    """Stands for the pretrained network: a small fixed one of the same kind."""
    layers = tf.keras.layers
    inputs = tf.keras.Input((size, size, 3))
    x = layers.Conv2D(4, 3, padding="same", activation="relu", name="block1_conv1")(inputs)
    x = layers.MaxPooling2D(2, name="block1_pool")(x)
    x = layers.Conv2D(6, 3, padding="same", activation="relu", name="block2_conv1")(x)
    x = layers.MaxPooling2D(2, name="block2_pool")(x)
    x = layers.Flatten(name="flatten")(x)
    outputs = layers.Dense(5, activation="softmax", name="predictions")(x)
    model = tf.keras.Model(inputs, outputs)
    seeded(model, np, 1)
    model.trainable = False
    return model


def _photograph(np, size=16, seed=0):
    return np.random.default_rng(seed).random((1, size, size, 3)).astype("float32")


def convolutional_classifier(tf, np):
    rng = np.random.default_rng(0)
    train_images = rng.random((24, 8, 8, 1)).astype("float32")
    train_labels = (train_images[:, :4].mean((1, 2, 3)) > 0.5).astype("int64")
    model = tf.keras.models.Sequential()
    model.add(tf.keras.Input(shape=(8, 8, 1)))
    model.add(tf.keras.layers.Conv2D(4, (3, 3), activation="relu"))
    model.add(tf.keras.layers.MaxPooling2D((2, 2)))
    model.add(tf.keras.layers.Conv2D(6, (3, 3), activation="relu"))
    model.add(tf.keras.layers.Flatten())
    model.add(tf.keras.layers.Dense(8, activation="relu"))
    model.add(tf.keras.layers.Dense(2))
    seeded(model, np, 1)
    model.compile(
        optimizer="adam",
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(
        train_images[:16],
        train_labels[:16],
        epochs=2,
        batch_size=8,
        shuffle=False,
        verbose=0,
        validation_data=(train_images[16:], train_labels[16:]),
    )
    test_loss, test_acc = model.evaluate(train_images[16:], train_labels[16:], verbose=0)
    probability_model = tf.keras.Sequential([model, tf.keras.layers.Softmax()])
    predictions = probability_model.predict(train_images[:2], verbose=0)
    return {
        "history": history.history,
        "test": [test_loss, test_acc],
        "predictions": predictions,
        "shapes": [layer.output.shape for layer in model.layers],
    }


def residual_network(tf, np):
    layers = tf.keras.layers

    def residual_block(x, filters, stride=1):
        shortcut = x
        x = layers.Conv2D(filters, 3, stride, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization(momentum=0.9)(x)
        x = layers.Activation("relu")(x)
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization(momentum=0.9)(x)
        if stride != 1 or shortcut.shape[-1] != filters:
            shortcut = layers.Conv2D(filters, 1, stride, use_bias=False)(shortcut)
            shortcut = layers.BatchNormalization(momentum=0.9)(shortcut)
        return layers.ReLU()(layers.add([x, shortcut]))

    inputs = tf.keras.Input((8, 8, 3))
    x = layers.ZeroPadding2D(1)(inputs)
    x = layers.Conv2D(4, 3, use_bias=False)(x)
    x = residual_block(x, 4)
    x = residual_block(x, 6, stride=2)
    x = layers.GlobalAveragePooling2D()(x)
    outputs = layers.Dense(3, kernel_regularizer=tf.keras.regularizers.l2(1e-3))(x)
    model = tf.keras.Model(inputs, outputs)
    seeded(model, np, 2)
    loss_object = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.SGD(
        tf.keras.optimizers.schedules.PiecewiseConstantDecay([2], [0.05, 0.005]), momentum=0.9
    )
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            loss = loss_object(labels, logits) + tf.add_n(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        accuracy.update_state(labels, logits)
        return loss

    rng = np.random.default_rng(3)
    images = rng.normal(size=(6, 8, 8, 3)).astype("float32")
    labels = np.array([0, 1, 2, 2, 1, 0])
    losses = [float(train_step(images, labels)) for _ in range(3)]
    return {
        "losses": losses,
        "accuracy": accuracy.result(),
        "evaluated": model(images, training=False),
        "learning_rate": float(optimizer.learning_rate),
    }


def vision_transformer(tf, np):
    layers = tf.keras.layers

    class Patches(layers.Layer):
        def __init__(self, patch_size):
            super().__init__()
            self.patch_size = patch_size

        def call(self, images):
            batch_size = tf.shape(images)[0]
            patches = tf.image.extract_patches(
                images=images,
                sizes=[1, self.patch_size, self.patch_size, 1],
                strides=[1, self.patch_size, self.patch_size, 1],
                rates=[1, 1, 1, 1],
                padding="VALID",
            )
            return tf.reshape(patches, [batch_size, -1, patches.shape[-1]])

    class PatchEncoder(layers.Layer):
        def __init__(self, num_patches, projection_dim):
            super().__init__()
            self.num_patches = num_patches
            self.projection = layers.Dense(units=projection_dim)
            self.position_embedding = layers.Embedding(num_patches, projection_dim)

        def call(self, patch):
            positions = tf.range(start=0, limit=self.num_patches, delta=1)
            return self.projection(patch) + self.position_embedding(positions)

    class ViT(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.patches, self.encoder = Patches(4), PatchEncoder(4, 8)
            self.norm1, self.norm2 = layers.LayerNormalization(), layers.LayerNormalization()
            self.attention = layers.MultiHeadAttention(num_heads=2, key_dim=4, dropout=0.0)
            self.mlp = tf.keras.Sequential([layers.Dense(16, tf.nn.gelu), layers.Dense(8)])
            self.head = layers.Dense(3)

        def call(self, images, training=False):
            x = self.encoder(self.patches(images))
            h = self.norm1(x)
            x = x + self.attention(h, h, training=training)
            x = x + self.mlp(self.norm2(x))
            return self.head(tf.reduce_mean(x, axis=1))

    model = ViT()
    images = np.random.default_rng(1).normal(size=(6, 8, 8, 3)).astype("float32")
    labels = tf.one_hot([0, 1, 2, 0, 1, 2], 3)
    model(images)
    seeded(model, np, 2)
    model.compile(
        optimizer=tf.keras.optimizers.AdamW(learning_rate=0.001, weight_decay=0.0001),
        loss=tf.keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1),
        metrics=[
            tf.keras.metrics.CategoricalAccuracy(name="accuracy"),
            tf.keras.metrics.TopKCategoricalAccuracy(2, name="top-2-accuracy"),
        ],
    )
    history = model.fit(images, labels, batch_size=3, epochs=2, shuffle=False, verbose=0)
    return {"history": history.history, "logits": model(images[:2])}


def style_transfer(tf, np):
    vgg = _features(tf, np)
    style_layers, content_layers = ["block1_conv1", "block2_conv1"], ["block2_pool"]

    class StyleContentModel(tf.keras.models.Model):
        def __init__(self):
            super().__init__()
            outputs = [vgg.get_layer(name).output for name in style_layers + content_layers]
            self.vgg = tf.keras.Model([vgg.inputs[0]], outputs)
            self.vgg.trainable = False

        def call(self, inputs):
            outputs = self.vgg(inputs * 2.0 - 1.0)
            style, content = outputs[: len(style_layers)], outputs[len(style_layers) :]
            style = [self.gram_matrix(output) for output in style]
            return {
                "content": dict(zip(content_layers, content, strict=True)),
                "style": dict(zip(style_layers, style, strict=True)),
            }

        def gram_matrix(self, input_tensor):
            result = tf.linalg.einsum("bijc,bijd->bcd", input_tensor, input_tensor)
            input_shape = tf.shape(input_tensor)
            num_locations = tf.cast(input_shape[1] * input_shape[2], tf.float32)
            return result / num_locations

    extractor = StyleContentModel()
    style_targets = extractor(tf.constant(_photograph(np, seed=1)))["style"]
    content_targets = extractor(tf.constant(_photograph(np, seed=2)))["content"]

    def style_content_loss(outputs):
        style_loss = tf.add_n(
            [
                tf.reduce_mean((outputs["style"][name] - style_targets[name]) ** 2)
                for name in outputs["style"]
            ]
        )
        content_loss = tf.add_n(
            [
                tf.reduce_mean((outputs["content"][name] - content_targets[name]) ** 2)
                for name in outputs["content"]
            ]
        )
        return 1e-1 * style_loss / len(style_layers) + 1.0 * content_loss / len(content_layers)

    image = tf.Variable(_photograph(np, seed=2))
    opt = tf.keras.optimizers.Adam(learning_rate=0.02, beta_1=0.99, epsilon=1e-1)
    total_variation_weight = 1e-3

    @tf.function()
    def train_step(image):
        with tf.GradientTape() as tape:
            loss = style_content_loss(extractor(image))
            loss += total_variation_weight * tf.image.total_variation(image)
        grad = tape.gradient(loss, image)
        opt.apply_gradients([(grad, image)])
        image.assign(tf.clip_by_value(image, clip_value_min=0.0, clip_value_max=1.0))
        return loss

    losses = [train_step(image)[0].numpy() for _ in range(4)]
    return {"losses": losses, "image": image[0, 5:7, 5:7], "kinds": sorted(style_targets)}


def adversarial_example(tf, np):
    pretrained_model = _features(tf, np)
    loss_object = tf.keras.losses.CategoricalCrossentropy()

    def create_adversarial_pattern(input_image, input_label):
        with tf.GradientTape() as tape:
            tape.watch(input_image)
            prediction = pretrained_model(input_image)
            loss = loss_object(input_label, prediction)
        gradient = tape.gradient(loss, input_image)
        return tf.sign(gradient)

    image = tf.image.resize(_photograph(np, 20), (16, 16)) * 2.0 - 1.0
    image_probs = pretrained_model.predict(image, verbose=0)
    label = tf.one_hot(int(np.argmax(image_probs)), image_probs.shape[-1])
    label = tf.reshape(label, (1, image_probs.shape[-1]))
    perturbations = create_adversarial_pattern(image, label)
    confidences = []
    for eps in [0, 0.01, 0.1, 0.15]:
        adv_x = tf.clip_by_value(image + eps * perturbations, -1, 1)
        probs = pretrained_model(adv_x)
        confidences.append((int(tf.argmax(probs[0])), float(tf.reduce_max(probs))))
    return {"confidences": confidences, "signs": tf.reduce_sum(tf.abs(perturbations))}


def projected_gradient_attack(tf, np):
    model = _features(tf, np)

    @tf.function
    def attack(x, y, eps=0.1, step=0.04, iterations=4):
        x_adv = tf.identity(x)
        for _ in range(iterations):
            with tf.GradientTape() as tape:
                tape.watch(x_adv)
                loss = tf.keras.losses.sparse_categorical_crossentropy(y, model(x_adv))
            x_adv += step * tf.sign(tape.gradient(loss, x_adv))
            x_adv = tf.clip_by_value(tf.clip_by_value(x_adv, x - eps, x + eps), 0.0, 1.0)
        return x_adv

    x = tf.constant(np.concatenate([_photograph(np, seed=s) for s in range(3)]))
    y = tf.argmax(model(x), axis=1)
    x_adv = attack(x, y)
    before = tf.keras.metrics.sparse_categorical_crossentropy(y, model(x))
    after = tf.keras.metrics.sparse_categorical_crossentropy(y, model(x_adv))
    return {"before": before, "after": after, "far": tf.reduce_max(tf.abs(x_adv - x))}


def integrated_gradients(tf, np):
    model = _features(tf, np)
    baseline = tf.zeros(shape=(16, 16, 3))
    image = tf.constant(_photograph(np)[0])

    def interpolate_images(baseline, image, alphas):
        alphas_x = alphas[:, tf.newaxis, tf.newaxis, tf.newaxis]
        delta = tf.expand_dims(image, axis=0) - tf.expand_dims(baseline, axis=0)
        return tf.expand_dims(baseline, axis=0) + alphas_x * delta

    def compute_gradients(images, target_class_idx):
        with tf.GradientTape() as tape:
            tape.watch(images)
            probs = model(images)[:, target_class_idx]
        return tape.gradient(probs, images)

    @tf.function
    def one_batch(baseline, image, alpha_batch, target_class_idx):
        batch = interpolate_images(baseline, image, alpha_batch)
        return compute_gradients(batch, target_class_idx)

    def integral_approximation(gradients):
        grads = (gradients[:-1] + gradients[1:]) / tf.constant(2.0)
        return tf.math.reduce_mean(grads, axis=0)

    def attributions_of(m_steps=12, batch_size=4, target=2):
        alphas = tf.linspace(start=0.0, stop=1.0, num=m_steps + 1)
        batches = []
        for alpha in tf.range(0, len(alphas), batch_size):
            from_ = alpha
            to = tf.minimum(from_ + batch_size, len(alphas))
            batches.append(one_batch(baseline, image, alphas[from_:to], target))
        return (image - baseline) * integral_approximation(tf.concat(batches, axis=0))

    attributions = attributions_of()
    mask = tf.reduce_sum(tf.math.abs(attributions), axis=-1)
    ends = model(tf.stack([baseline, image]))[:, 2]
    return {"mask": mask[::5, ::5], "sum": tf.reduce_sum(attributions), "ends": ends}


def class_activation_map(tf, np):
    model = _features(tf, np)

    def make_gradcam_heatmap(img_array, model, last_conv_layer_name, pred_index=None):
        grad_model = tf.keras.models.Model(
            model.inputs[0], [model.get_layer(last_conv_layer_name).output, model.output]
        )
        with tf.GradientTape() as tape:
            last_conv_layer_output, preds = grad_model(img_array)
            if pred_index is None:
                pred_index = tf.argmax(preds[0])
            class_channel = preds[:, pred_index]
        grads = tape.gradient(class_channel, last_conv_layer_output)
        pooled_grads = tf.reduce_mean(grads, axis=(0, 1, 2))
        last_conv_layer_output = last_conv_layer_output[0]
        heatmap = last_conv_layer_output @ pooled_grads[..., tf.newaxis]
        heatmap = tf.squeeze(heatmap)
        heatmap = tf.maximum(heatmap, 0) / tf.math.reduce_max(heatmap)
        return heatmap.numpy()

    model.layers[-1].activation = None
    image = _photograph(np)
    heatmap = make_gradcam_heatmap(image, model, "block2_conv1")
    other = make_gradcam_heatmap(image, model, "block1_conv1", pred_index=3)
    jet = tf.image.resize(heatmap[..., np.newaxis], (16, 16))
    superimposed = jet * 0.4 + image[0]
    return {"heatmap": heatmap, "other": other[:2, :4], "superimposed": superimposed[3, :4]}


def deep_dream(tf, np):
    base_model = _features(tf, np)
    names = ["block1_pool", "block2_conv1"]
    layers = [base_model.get_layer(name).output for name in names]
    dream_model = tf.keras.Model(inputs=base_model.inputs, outputs=layers)

    def calc_loss(img, model):
        img_batch = tf.expand_dims(img, axis=0)
        layer_activations = model(img_batch)
        if len(layer_activations) == 1:
            layer_activations = [layer_activations]
        return tf.reduce_sum([tf.math.reduce_mean(act) for act in layer_activations])

    class DeepDream(tf.Module):
        def __init__(self, model):
            self.model = model

        @tf.function(
            input_signature=(
                tf.TensorSpec(shape=[16, 16, 3], dtype=tf.float32),
                tf.TensorSpec(shape=[], dtype=tf.int32),
                tf.TensorSpec(shape=[], dtype=tf.float32),
            )
        )
        def __call__(self, img, steps, step_size):
            loss = tf.constant(0.0)
            for _ in tf.range(steps):
                with tf.GradientTape() as tape:
                    tape.watch(img)
                    loss = calc_loss(img, self.model)
                gradients = tape.gradient(loss, img)
                gradients /= tf.math.reduce_std(gradients) + 1e-8
                img = img + gradients * step_size
                img = tf.clip_by_value(img, -1, 1)
            return loss, img

    deepdream = DeepDream(dream_model)
    img = tf.convert_to_tensor(_photograph(np)[0] * 2 - 1)
    losses = []
    for n in range(2):
        if n:
            img = tf.image.resize(tf.image.resize(img, (20, 20)), (16, 16))
        loss, img = deepdream(img, tf.constant(3), tf.constant(0.01))
        losses.append(float(loss))
    return {"losses": losses, "img": img[6:8, 6:8]}


def segmentation(tf, np):
    layers = tf.keras.layers

    def double_conv_block(x, n_filters):
        x = layers.Conv2D(n_filters, 3, padding="same", activation="relu")(x)
        return layers.Conv2D(n_filters, 3, padding="same", activation="relu")(x)

    def upsample_block(x, conv_features, n_filters):
        x = layers.Conv2DTranspose(n_filters, 3, 2, padding="same")(x)
        x = layers.concatenate([x, conv_features])
        return double_conv_block(x, n_filters)

    inputs = layers.Input(shape=(8, 8, 1))
    f1 = double_conv_block(inputs, 3)
    f2 = double_conv_block(layers.MaxPool2D(2)(f1), 4)
    bottleneck = double_conv_block(layers.MaxPool2D(2)(f2), 5)
    u2 = upsample_block(bottleneck, f2, 4)
    u1 = upsample_block(u2, f1, 3)
    outputs = layers.Conv2D(1, 1, padding="same", activation="sigmoid")(u1)
    unet_model = tf.keras.Model(inputs, outputs, name="U-Net")
    seeded(unet_model, np, 1)

    def dice_loss(y_true, y_pred, smooth=1.0):
        intersection = tf.reduce_sum(y_true * y_pred, axis=[1, 2, 3])
        union = tf.reduce_sum(y_true + y_pred, axis=[1, 2, 3])
        return 1.0 - (2.0 * intersection + smooth) / (union + smooth)

    def bce_dice_loss(y_true, y_pred):
        bce = tf.reduce_mean(tf.keras.losses.binary_crossentropy(y_true, y_pred), axis=[1, 2])
        return bce + dice_loss(y_true, y_pred)

    rng = np.random.default_rng(4)
    images = rng.normal(size=(4, 8, 8, 1)).astype("float32")
    masks = (images > 0.3).astype("float32")
    unet_model.compile(
        optimizer=tf.keras.optimizers.Adam(1e-3),
        loss=bce_dice_loss,
        metrics=[tf.keras.metrics.BinaryIoU([1], 0.5, name="iou"), "binary_accuracy"],
    )
    history = unet_model.fit(images, masks, batch_size=2, epochs=2, shuffle=False, verbose=0)
    return {"history": history.history, "mask": unet_model(images[:1])[0, ::3, ::3, 0]}


def siamese_network(tf, np):
    layers = tf.keras.layers
    embedding = tf.keras.Sequential(
        [
            layers.Input((8, 8, 1)),
            layers.Conv2D(3, 3, strides=2, activation="tanh"),
            layers.Flatten(),
            layers.Dense(4),
        ],
        name="Embedding",
    )
    seeded(embedding, np, 1)

    class DistanceLayer(layers.Layer):
        def call(self, anchor, positive, negative):
            ap_distance = tf.reduce_sum(tf.square(anchor - positive), -1)
            an_distance = tf.reduce_sum(tf.square(anchor - negative), -1)
            return (ap_distance, an_distance)

    class SiameseModel(tf.keras.Model):
        def __init__(self, margin=0.5):
            super().__init__()
            self.embedding = embedding
            self.distance = DistanceLayer()
            self.margin = margin
            self.loss_tracker = tf.keras.metrics.Mean(name="loss")

        def call(self, inputs):
            return self.distance(*(self.embedding(x) for x in inputs))

        def train_step(self, data):
            with tf.GradientTape() as tape:
                loss = self._compute_loss(data)
            gradients = tape.gradient(loss, self.embedding.trainable_weights)
            self.optimizer.apply_gradients(
                zip(gradients, self.embedding.trainable_weights, strict=True)
            )
            self.loss_tracker.update_state(loss)
            return {"loss": self.loss_tracker.result()}

        def test_step(self, data):
            self.loss_tracker.update_state(self._compute_loss(data))
            return {"loss": self.loss_tracker.result()}

        def _compute_loss(self, data):
            if len(data) == 1:
                data = data[0]
            ap_distance, an_distance = self(data)
            return tf.maximum(ap_distance - an_distance + self.margin, 0.0)

        @property
        def metrics(self):
            return [self.loss_tracker]

    rng = np.random.default_rng(2)
    anchor = rng.normal(size=(6, 8, 8, 1)).astype("float32")
    positive = anchor + 0.3 * rng.normal(size=anchor.shape).astype("float32")
    negative = rng.normal(size=anchor.shape).astype("float32")
    siamese_model = SiameseModel()
    siamese_model.compile(optimizer=tf.keras.optimizers.Adam(0.001))
    triplets = (anchor, positive, negative)
    history = siamese_model.fit(triplets, batch_size=3, epochs=2, shuffle=False, verbose=0)
    evaluated = siamese_model.evaluate(triplets, batch_size=6, verbose=0)
    cosine_similarity = tf.keras.losses.CosineSimilarity(axis=-1, reduction="none")
    similarity = -cosine_similarity(embedding(anchor), embedding(positive))
    return {"history": history.history, "evaluated": evaluated, "similarity": similarity}


def object_localization(tf, np):
    layers = tf.keras.layers
    inputs = tf.keras.Input((12, 12, 1))
    x = layers.SeparableConv2D(4, 3, padding="same", activation="relu")(inputs)
    x = layers.AveragePooling2D(3)(x)
    x = layers.Flatten()(x)
    box = layers.Dense(4, name="box", activation="sigmoid")(x)
    label = layers.Dense(3, name="label")(x)
    model = tf.keras.Model(inputs, [box, label])
    seeded(model, np, 1)

    def giou_loss(b1, b2):
        y1, x1, y2, x2 = tf.unstack(b1, 4, axis=-1)
        v1, u1, v2, u2 = tf.unstack(b2, 4, axis=-1)
        area1 = tf.maximum(0.0, x2 - x1) * tf.maximum(0.0, y2 - y1)
        area2 = tf.maximum(0.0, u2 - u1) * tf.maximum(0.0, v2 - v1)
        w = tf.maximum(0.0, tf.minimum(x2, u2) - tf.maximum(x1, u1))
        h = tf.maximum(0.0, tf.minimum(y2, v2) - tf.maximum(y1, v1))
        union = area1 + area2 - w * h
        iou = tf.math.divide_no_nan(w * h, union)
        enclosing = (tf.maximum(x2, u2) - tf.minimum(x1, u1)) * (
            tf.maximum(y2, v2) - tf.minimum(y1, v1)
        )
        return 1.0 - iou + tf.math.divide_no_nan(enclosing - union, enclosing)

    rng = np.random.default_rng(3)
    images = rng.random((5, 12, 12, 1)).astype("float32")
    corners = np.sort(rng.random((5, 2, 2)), axis=1).reshape(5, 4).astype("float32")
    labels = np.array([0, 1, 2, 0, 1])
    huber = tf.keras.losses.Huber(delta=0.2)
    optimizer, losses = tf.keras.optimizers.Nadam(1e-3), []
    for _ in range(3):
        with tf.GradientTape() as tape:
            boxes, logits = model(images)
            loss = huber(corners, boxes) + 0.1 * tf.reduce_mean(giou_loss(corners, boxes))
            loss += tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        grads, norm = tf.clip_by_global_norm(tape.gradient(loss, model.trainable_weights), 1.0)
        optimizer.apply_gradients(zip(grads, model.trainable_weights, strict=True))
        losses.append((float(loss), float(norm)))
    scores = tf.reduce_max(tf.nn.softmax(logits), axis=1)
    kept = tf.image.non_max_suppression(boxes, scores, max_output_size=3, iou_threshold=0.5)
    crops = tf.image.crop_and_resize(images, tf.constant(corners), range(5), (2, 2))
    return {"losses": losses, "kept": kept, "crops": crops[:2, ..., 0]}
