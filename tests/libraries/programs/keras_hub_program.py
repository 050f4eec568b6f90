"""Trains small models of text and of images, made from nothing."""

import keras_hub
import numpy as np
import tensorflow as tf

backbone = keras_hub.models.BertBackbone(
    vocabulary_size=20, num_layers=2, num_heads=2, hidden_dim=8, intermediate_dim=16,
    max_sequence_length=6,
)  # fmt: skip
classifier = keras_hub.models.BertTextClassifier(backbone, num_classes=2, preprocessor=None)
tokens = np.random.default_rng(1).integers(0, 20, [16, 6])
features = {"token_ids": tokens, "segment_ids": 0 * tokens, "padding_mask": 0 * tokens + 1}
classifier.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
history = classifier.fit(features, tokens[:, 0] % 2, epochs=5, verbose=0)
assert history.history["loss"][-1] < history.history["loss"][0]
tokenizer = keras_hub.tokenizers.WordPieceTokenizer(["[UNK]", "the", "qu", "##ick"])
assert list(map(list, tokenizer(["the quick", "fox"]))) == [[1, 2, 3], [0]]
resnet = keras_hub.models.ResNetBackbone(
    [64], [7], [64], [1], [1], "basic_block", image_shape=(16, 16, 3)
)
assert resnet(np.zeros([1, 16, 16, 3], np.float32)).shape[0] == 1
causal = keras_hub.models.GPT2CausalLM(
    keras_hub.models.GPT2Backbone(20, 1, 2, 8, 16, max_sequence_length=6), preprocessor=None
)
prompt = {"token_ids": tokens[:2], "padding_mask": (tokens[:2] * 0 + 1) * [1, 1, 0, 0, 0, 0]}
written = causal.generate(prompt, stop_token_ids=None)
np.testing.assert_array_equal(written["token_ids"][:, :2], tokens[:2, :2])
