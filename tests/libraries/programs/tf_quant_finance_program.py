"""Prices options by Black and Scholes, by a Monte Carlo, and differentiates a price."""

import numpy as np
import tensorflow as tf
import tf_quant_finance as tff

strikes = np.array([90.0, 100.0, 110.0])
prices = tff.black_scholes.option_price(
    volatilities=0.2, strikes=strikes, expiries=1.0, spots=100.0, dtype=tf.float64
)
np.testing.assert_allclose(prices, [13.589108, 7.965567, 4.292011], rtol=1e-5)
implied = tff.black_scholes.implied_vol(
    prices=prices, strikes=strikes, expiries=[1.0] * 3, spots=[100.0] * 3, dtype=tf.float64
)
np.testing.assert_allclose(implied, [0.2] * 3, rtol=1e-6)
spot = tf.constant(100.0, tf.float64)
with tf.GradientTape() as tape:
    tape.watch(spot)
    price = tff.black_scholes.option_price(
        volatilities=0.2, strikes=strikes, expiries=1.0, spots=spot, dtype=tf.float64
    )[1]
np.testing.assert_allclose(tape.gradient(price, spot), 0.539828, rtol=1e-5)
process = tff.models.GeometricBrownianMotion(0.0, 0.2, dtype=tf.float64)
paths = process.sample_paths([1.0], num_samples=20000, initial_state=100.0, seed=[1, 2],
                             random_type=tff.math.random.RandomType.STATELESS)  # fmt: skip
gain = tf.reduce_mean(tf.maximum(paths[:, 0, 0] - 100.0, 0.0))
np.testing.assert_allclose(gain, 7.965567, rtol=0.03)
