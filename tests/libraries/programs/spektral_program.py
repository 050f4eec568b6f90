"""Trains layers on graphs."""

import numpy as np
import spektral
import tensorflow as tf

random = np.random.default_rng(1)
edges = (random.random([10, 10]) < 0.3).astype(np.float32)
edges = np.maximum(edges, edges.T)
features = random.normal(size=[10, 4]).astype(np.float32)
labels = (features[:, 0] > 0).astype(np.int32)
filtered = spektral.utils.gcn_filter(edges)
for matrix in (filtered, spektral.utils.sparse.sp_matrix_to_sp_tensor(filtered)):
    first = spektral.layers.GCNConv(8, activation="relu")
    second = spektral.layers.GCNConv(2)
    optimizer = tf.keras.optimizers.Adam(0.05)
    losses = []
    for _ in range(30):
        with tf.GradientTape() as tape:
            logits = second([first([features, matrix]), matrix])
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        weights = first.trainable_weights + second.trainable_weights
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        losses.append(float(loss))
    assert losses[-1] < 0.8 * losses[0]
