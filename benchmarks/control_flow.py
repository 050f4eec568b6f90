"""Python's statements on tensors in a function: time of a call, and of the first calls.

python benchmarks/control_flow.py [tensorflow | eager] [CASE ...]

Each case is called with arguments that change. Reported are the first call and the second (which is
recorded here), in CPU seconds, and the median of the later ones, in milliseconds of CPU time.
"""

import os
import statistics
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
KIND = sys.argv[1] if sys.argv[1:2] and sys.argv[1] in ("tensorflow", "eager") else "tapefacade"
if KIND == "tapefacade":
    import tapefacade as tf
else:
    import tensorflow as tf
import numpy as np  # noqa: E402

tf.get_logger().setLevel("ERROR")
RANDOM = np.random.RandomState(0)
CALLS = 40
c = tf.constant


def count_to_thousand():
    def f(x, n):
        i = c(0)
        while i < n:
            if x > 2.0:  # noqa: SIM108
                x = x * 0.5
            else:
                x = x * 1.3 + 0.1
            i += 1
        return x

    return f, lambda k: (c(1.0 + k / 100), c(1000))


def collatz():
    def f(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:  # noqa: SIM108
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    return f, lambda k: (c(27 + 4 * k),)


def newton():
    def f(x):
        guess = x
        while tf.abs(guess * guess - x) > 1e-3:
            guess = 0.5 * (guess + x / guess)
        return guess

    return f, lambda k: (c(2.0 + 37.0 * k),)


def bisection():
    def f(low, high):
        while high - low > 1e-6:
            middle = 0.5 * (low + high)
            if tf.sin(middle) * middle > 1.0:
                high = middle
            else:
                low = middle
        return low

    return f, lambda k: (c(0.0), c(2.0 + 0.01 * k))


def simulation():
    def f(x, v):
        t = c(0)
        while tf.reduce_any(x > 0.0) and t < 500:
            v = v - 0.1
            x = tf.where(x > 0.0, x + 0.1 * v, x)
            t += 1
        return x, t

    return f, lambda k: (tf.ones([64]) * (1.0 + k), tf.ones([64]))


def greedy_decoding():
    table = tf.constant(RANDOM.randn(32, 32).astype("float32"))
    weights = tf.constant(RANDOM.randn(32, 32).astype("float32"))

    def f(token, state):
        tokens = tf.TensorArray(tf.int32, size=40)
        for i in tf.range(40):
            state = tf.tanh(tf.gather(table, [token]) + tf.matmul(state, weights))
            token = tf.argmax(tf.matmul(state, table, transpose_b=True)[0], output_type=tf.int32)
            tokens = tokens.write(i, token)
            if token == 3:
                break
        return tokens.stack()

    return f, lambda k: (c(k % 32), tf.ones([1, 32]) * (0.1 * k))


def beam_search():
    scores = tf.constant(RANDOM.randn(50, 50).astype("float32"))

    def f(first):
        tokens = tf.fill([4], first)
        total = c([0.0, -1e9, -1e9, -1e9])
        n = c(0)
        while n < 30 and tf.reduce_any(tokens != 7):
            every = total[:, None] + tf.nn.log_softmax(tf.gather(scores, tokens))
            total, best = tf.math.top_k(tf.reshape(every, [-1]), 4)
            tokens = best % 50
            n += 1
        return tokens, total, n

    return f, lambda k: (c(k % 50),)


def adaptive_solver():
    def f(rate):
        with tf.GradientTape() as tape:
            tape.watch(rate)
            t, y, h = c(0.0), c(1.0), c(0.1)
            while t < 3.0:
                h = tf.minimum(h, 3.0 - t)
                k1 = -rate * y + tf.sin(t)
                k2 = -rate * (y + h * k1) + tf.sin(t + h)
                error = tf.abs(0.5 * h * (k2 - k1))
                if error < 1e-3:
                    t, y = t + h, y + 0.5 * h * (k1 + k2)
                h = h * tf.clip_by_value(0.9 * tf.sqrt(1e-3 / (error + 1e-10)), 0.2, 2.0)
        return y, tape.gradient(y, rate)

    return f, lambda k: (c(1.0 + 0.3 * k),)


def training_loop():
    data = RANDOM.randn(200, 8).astype("float32")
    dataset = tf.data.Dataset.from_tensor_slices(data).batch(2)
    w = tf.Variable(tf.ones([8, 1]))

    def f(rate):
        total = c(0.0)
        for batch in dataset:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((batch @ w - 1.0) ** 2)
            w.assign_sub(rate * tape.gradient(loss, w))
            total += loss
        return total

    return f, lambda k: (c(0.001 + 0.0001 * k),)


def monte_carlo():
    def energy(x):
        return tf.reduce_sum(x * x + 0.1 * x**4)

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            e = energy(x)
        return tape.gradient(e, x)

    def f(x, seed):
        accepted = 0
        for i in tf.range(20):
            p = tf.random.stateless_normal([4], tf.stack([seed, i]))
            before = energy(x) + 0.5 * tf.reduce_sum(p * p)
            y = x
            for _ in tf.range(5):
                p = p - 0.05 * slope(y)
                y = y + 0.1 * p
                p = p - 0.05 * slope(y)
            after = energy(y) + 0.5 * tf.reduce_sum(p * p)
            if tf.random.stateless_uniform([], tf.stack([i, seed])) < tf.exp(before - after):
                x = y
                accepted += 1
        return x, accepted

    return f, lambda k: (tf.zeros([4]), c(k))


def power_of(x):
    n = c(0)
    while tf.abs(x) < 100.0:
        x = x * 1.5 + 0.1
        n += 1
    return tf.cast(n, tf.float32)


def loop_in_map():
    def f(xs):
        if xs[0] < -1e9:
            return xs
        return tf.map_fn(power_of, xs)

    return f, lambda k: (tf.linspace(0.1, 5.0 + k, 32),)


def loop_in_vectorized_map():
    def f(xs):
        if xs[0] < -1e9:
            return xs
        return tf.vectorized_map(power_of, xs)

    return f, lambda k: (tf.linspace(0.1, 5.0 + k, 32),)


def episode():
    w1 = tf.Variable(RANDOM.randn(4, 64).astype("float32") * 0.3)
    w2 = tf.Variable(RANDOM.randn(64, 2).astype("float32") * 0.1)

    def f(state, seed):
        with tf.GradientTape() as tape:
            chosen = tf.TensorArray(tf.float32, size=200)
            for t in tf.range(200):
                chosen = chosen.write(t, 0.0)
            n = 0
            for t in tf.range(200):
                logits = tf.matmul(tf.nn.tanh(tf.matmul(state[None], w1)), w2)[0]
                action = tf.random.stateless_categorical(logits[None], 1, tf.stack([seed, t]))[0, 0]
                chosen = chosen.write(t, tf.nn.log_softmax(logits)[action])
                push = tf.where(action == 1, 0.1, -0.1)
                state = state + 0.1 * tf.stack([state[1], push, state[3], state[2] - push])
                n += 1
                if tf.abs(state[2]) > 0.5:
                    break
            loss = -tf.reduce_sum(chosen.stack()) * tf.cast(n, tf.float32)
        gradients = tape.gradient(loss, [w1, w2])
        for w, g in zip([w1, w2], gradients, strict=True):
            w.assign_sub(1e-5 * g)
        return loss, n

    return f, lambda k: (c([0.01, 0.0, 0.02, 0.0]), c(k))


def actor_critic():
    """An episode of another length at each call, its environment in NumPy."""
    w = tf.Variable(RANDOM.randn(4, 64).astype("float32") * 0.1)
    actor = tf.Variable(RANDOM.randn(64, 2).astype("float32") * 0.1)
    critic = tf.Variable(RANDOM.randn(64, 1).astype("float32") * 0.1)
    left = [0]

    def move(action):
        left[0] -= 1
        state = RANDOM.randn(4).astype("float32")
        return state, np.array(1.0, "float32"), np.array(left[0] <= 0)

    def f(state):
        with tf.GradientTape() as tape:
            chosen = tf.TensorArray(tf.float32, 0, dynamic_size=True)
            values = tf.TensorArray(tf.float32, 0, dynamic_size=True)
            rewards = tf.TensorArray(tf.float32, 0, dynamic_size=True)
            for t in tf.range(500):
                hidden = tf.nn.relu(state[None] @ w)
                logits = hidden @ actor
                action = tf.random.categorical(logits, 1)[0, 0]
                chosen = chosen.write(t, tf.nn.log_softmax(logits)[0, action])
                values = values.write(t, (hidden @ critic)[0, 0])
                state, reward, done = tf.numpy_function(
                    move, [action], [tf.float32, tf.float32, tf.bool]
                )
                state.set_shape([4])
                rewards = rewards.write(t, reward)
                if done:
                    break
            returns = tf.cumsum(rewards.stack(), reverse=True)
            missing = returns - values.stack()
            loss = tf.reduce_sum(missing**2) - tf.reduce_sum(chosen.stack() * missing)
        gradients = tape.gradient(loss, [w, actor, critic])
        for variable, gradient in zip([w, actor, critic], gradients, strict=True):
            variable.assign_sub(1e-5 * gradient)
        return tf.reduce_sum(rewards.stack())

    def arguments(k):
        left[0] = 10 + 179 * k % 490
        return (tf.zeros([4]),)

    return f, arguments


CASES = [
    count_to_thousand, collatz, newton, bisection, simulation, greedy_decoding, beam_search,
    adaptive_solver, training_loop, monte_carlo, loop_in_map, loop_in_vectorized_map, episode,
    actor_critic,
]  # fmt: skip


def looked(result):
    return [np.asarray(t) for t in tf.nest.flatten(result)]


def main() -> None:
    wanted = [name for name in sys.argv[1:] if name != KIND]
    for case in CASES:
        if wanted and case.__name__ not in wanted:
            continue
        RANDOM.seed(0)
        python, arguments = case()
        f = python if KIND == "eager" else tf.function(python)
        firsts = []
        for _ in range(2):
            start = time.process_time()
            looked(f(*arguments(0)))
            firsts.append(time.process_time() - start)
        times, result = [], None
        for k in range(1, 4 if KIND == "eager" else CALLS):
            given = arguments(k)
            start = time.process_time()
            result = looked(f(*given))
            times.append(time.process_time() - start)
        shown = " ".join(f"{np.ravel(r)[0]:.5g}" for r in result)
        print(
            f"{KIND} {case.__name__:24s} first {firsts[0]:6.2f} s, second {firsts[1]:6.2f} s, "
            f"each {1e3 * statistics.median(times):9.3f} ms   {shown}",
            flush=True,
        )


if __name__ == "__main__":
    main()
