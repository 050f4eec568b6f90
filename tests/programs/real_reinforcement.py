"""Reinforcement learning: agents in small worlds of their own, with draws from NumPy."""

from collections import deque

from .program import seeded


class _Corridor:
    """Five places in a row; the right end pays."""

    def __init__(self, np):
        self.np = np
        self.state = 0

    def reset(self):
        self.state = 2
        return self.observation()

    def observation(self):
        return self.np.eye(5, dtype=self.np.float32)[self.state]

    def step(self, action):
        self.state = max(0, self.state - 1) if action == 0 else self.state + 1
        done = self.state == 4
        return self.observation(), 1.0 if done else -0.1, done


def _epsilon_greedy(tf, rng, model, state, epsilon):
    if rng.random() < epsilon:
        return int(rng.integers(2))
    q_values = model(state[None])
    return int(tf.argmax(q_values[0]).numpy())


def _sampled(np, rng, replay_buffer, batch_size):
    chosen = rng.choice(len(replay_buffer), batch_size, replace=False)
    batch = [np.array(x) for x in zip(*(replay_buffer[i] for i in chosen), strict=True)]
    return [b.astype(np.float32) if b.dtype == np.float64 else b for b in batch]


def _follow(target_model, model, tau=0.1):
    for w, source in zip(target_model.weights, model.weights, strict=True):
        w.assign((1.0 - tau) * w + tau * source)


def deep_q_network(tf, np):
    class DQN(tf.keras.Model):
        def __init__(self, num_actions):
            super().__init__()
            self.dense1 = tf.keras.layers.Dense(8, activation="relu")
            self.dense2 = tf.keras.layers.Dense(8, activation="relu")
            self.out = tf.keras.layers.Dense(num_actions)

        def call(self, inputs):
            return self.out(self.dense2(self.dense1(inputs)))

    rng = np.random.default_rng(0)
    env, replay_buffer = _Corridor(np), deque(maxlen=50)
    model, target_model = DQN(2), DQN(2)
    model(np.zeros((1, 5), np.float32))
    target_model(np.zeros((1, 5), np.float32))
    seeded(model, np, 1)
    target_model.set_weights(model.get_weights())
    optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)
    loss_fn = tf.keras.losses.Huber()
    gamma, batch_size, epsilon = 0.95, 8, 1.0

    @tf.function
    def train_step(states, actions, rewards, next_states, dones):
        next_actions = tf.argmax(model(next_states), axis=1)
        next_q = tf.gather(target_model(next_states), next_actions, batch_dims=1)
        target_q = rewards + (1.0 - dones) * gamma * next_q
        with tf.GradientTape() as tape:
            masks = tf.one_hot(actions, 2)
            q_values = tf.reduce_sum(model(states) * masks, axis=1)
            loss = loss_fn(target_q, q_values)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    losses, rewards = [], []
    for episode in range(6):
        state, total = env.reset(), 0.0
        for _ in range(8):
            action = _epsilon_greedy(tf, rng, model, state, epsilon)
            next_state, reward, done = env.step(action)
            replay_buffer.append((state, action, reward, next_state, float(done)))
            state, total = next_state, total + reward
            if len(replay_buffer) >= batch_size and len(losses) < 12:
                batch = map(tf.constant, _sampled(np, rng, replay_buffer, batch_size))
                losses.append(float(train_step(*batch)))
            if done:
                break
        epsilon = max(0.1, epsilon * 0.7)
        rewards.append(total)
        if episode % 2 == 0:
            _follow(target_model, model)
    return {"losses": losses, "rewards": rewards, "q": model(np.eye(5, dtype="float32"))}


def policy_gradient(tf, np):
    rng = np.random.default_rng(1)
    env = _Corridor(np)
    model = tf.keras.Sequential(
        [
            tf.keras.Input((5,)),
            tf.keras.layers.Dense(8, activation="tanh"),
            tf.keras.layers.Dense(2, activation="softmax"),
        ]
    )
    seeded(model, np, 2)
    optimizer = tf.keras.optimizers.RMSprop(learning_rate=1e-3)
    eps = np.finfo(np.float32).eps.item()
    losses, lengths = [], []
    for _ in range(3):
        state, rewards, log_probs = env.reset(), [], []
        with tf.GradientTape() as tape:
            for _ in range(10):
                probs = model(tf.expand_dims(tf.convert_to_tensor(state), 0))
                action = rng.choice(2, p=np.squeeze(probs) / np.sum(probs))
                log_probs.append(tf.math.log(probs[0, action]))
                state, reward, done = env.step(action)
                rewards.append(reward)
                if done:
                    break
            returns, discounted_sum = [], 0
            for r in rewards[::-1]:
                discounted_sum = r + 0.9 * discounted_sum
                returns.insert(0, discounted_sum)
            returns = np.array(returns)
            returns = (returns - np.mean(returns)) / (np.std(returns) + eps)
            loss = -sum(lp * r for lp, r in zip(log_probs, returns.tolist(), strict=True))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        losses.append(float(loss))
        lengths.append(len(rewards))
    return {"losses": losses, "lengths": lengths, "policy": model(np.eye(5, dtype="float32"))}


def _expected_return(tf, rewards, gamma):
    n = tf.shape(rewards)[0]
    returns = tf.TensorArray(dtype=tf.float32, size=n)
    rewards = tf.cast(rewards[::-1], dtype=tf.float32)
    discounted_sum = tf.constant(0.0)
    for i in tf.range(n):
        discounted_sum = rewards[i] + gamma * discounted_sum
        returns = returns.write(i, discounted_sum)
    return returns.stack()[::-1]


def actor_critic(tf, np):
    class ActorCritic(tf.keras.Model):
        def __init__(self, num_actions, num_hidden_units):
            super().__init__()
            self.common = tf.keras.layers.Dense(num_hidden_units, activation="relu")
            self.actor = tf.keras.layers.Dense(num_actions)
            self.critic = tf.keras.layers.Dense(1)

        def call(self, inputs):
            x = self.common(inputs)
            return self.actor(x), self.critic(x)

    rng = np.random.default_rng(3)
    env = _Corridor(np)
    model = ActorCritic(2, 8)
    model(np.zeros((1, 5), np.float32))
    seeded(model, np, 4)
    huber_loss = tf.keras.losses.Huber(reduction="sum")
    optimizer = tf.keras.optimizers.Adam(learning_rate=0.001)

    def run_episode(initial_state, max_steps):
        action_probs = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
        values = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
        rewards = tf.TensorArray(dtype=tf.float32, size=0, dynamic_size=True)
        state = initial_state
        for t in range(max_steps):
            action_logits_t, value = model(tf.expand_dims(state, 0))
            probs_t = tf.nn.softmax(action_logits_t)
            action = int(rng.random() < probs_t.numpy()[0, 1])
            values = values.write(t, tf.squeeze(value))
            action_probs = action_probs.write(t, probs_t[0, action])
            state, reward, done = env.step(action)
            rewards = rewards.write(t, reward)
            if done:
                break
        return action_probs.stack(), values.stack(), rewards.stack()

    def compute_loss(action_probs, values, returns):
        advantage = returns - values
        action_log_probs = tf.math.log(action_probs)
        actor_loss = -tf.math.reduce_sum(action_log_probs * advantage)
        return actor_loss + huber_loss(values, returns)

    losses = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            action_probs, values, rewards = run_episode(tf.constant(env.reset()), 6)
            returns = _expected_return(tf, rewards, 0.99)
            loss = compute_loss(action_probs, values, returns)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        losses.append((float(loss), float(tf.math.reduce_sum(rewards))))
    return {"losses": losses, "returns": returns, "values": values}


def proximal_policy_optimization(tf, np):
    def discounted_cumulative_sums(x, discount):
        out = np.zeros_like(x)
        running = 0.0
        for i in reversed(range(len(x))):
            running = x[i] + discount * running
            out[i] = running
        return out

    def mlp(sizes, activation, output_activation=None):
        inputs = x = tf.keras.Input(shape=(3,))
        for size in sizes[:-1]:
            x = tf.keras.layers.Dense(units=size, activation=activation)(x)
        x = tf.keras.layers.Dense(units=sizes[-1], activation=output_activation)(x)
        return tf.keras.Model(inputs, x)

    actor, critic = mlp((8, 8, 4), "tanh"), mlp((8, 8, 1), "tanh")
    seeded(actor, np, 5)
    seeded(critic, np, 6)
    policy_optimizer = tf.keras.optimizers.Adam(learning_rate=3e-4)
    value_optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)
    clip_ratio, num_actions = 0.2, 4

    def logprobabilities(logits, a):
        logprobabilities_all = tf.nn.log_softmax(logits)
        return tf.reduce_sum(tf.one_hot(a, num_actions) * logprobabilities_all, axis=1)

    @tf.function
    def train_policy(observations, actions, old_logprobs, advantages):
        with tf.GradientTape() as tape:
            ratio = tf.exp(logprobabilities(actor(observations), actions) - old_logprobs)
            min_advantage = tf.where(
                advantages > 0, (1 + clip_ratio) * advantages, (1 - clip_ratio) * advantages
            )
            policy_loss = -tf.reduce_mean(tf.minimum(ratio * advantages, min_advantage))
        policy_grads = tape.gradient(policy_loss, actor.trainable_variables)
        policy_optimizer.apply_gradients(zip(policy_grads, actor.trainable_variables, strict=True))
        kl = tf.reduce_mean(old_logprobs - logprobabilities(actor(observations), actions))
        return policy_loss, tf.reduce_sum(kl)

    @tf.function
    def train_value_function(observations, returns):
        with tf.GradientTape() as tape:
            value_loss = tf.reduce_mean((returns - tf.squeeze(critic(observations), 1)) ** 2)
        value_grads = tape.gradient(value_loss, critic.trainable_variables)
        value_optimizer.apply_gradients(zip(value_grads, critic.trainable_variables, strict=True))
        return value_loss

    rng = np.random.default_rng(7)
    observations = rng.normal(size=(12, 3)).astype("float32")
    actions = rng.integers(0, 4, 12)
    rewards = rng.normal(size=12).astype("float32")
    values = np.append(tf.squeeze(critic(observations)).numpy(), 0.0)
    deltas = rewards + 0.99 * values[1:] - values[:-1]
    advantages = discounted_cumulative_sums(deltas, 0.99 * 0.95).astype("float32")
    advantages = (advantages - advantages.mean()) / advantages.std()
    returns = discounted_cumulative_sums(rewards, 0.99)
    old = logprobabilities(actor(observations), actions)
    losses = []
    for _ in range(4):
        policy_loss, kl = train_policy(observations, actions, old, advantages)
        if kl > 1.5 * 0.01:
            break
        losses.append((float(policy_loss), float(train_value_function(observations, returns))))
    return {"losses": losses, "log_probs": logprobabilities(actor(observations), actions)}


def deterministic_policy_gradient(tf, np):
    layers = tf.keras.layers

    def get_actor():
        last_init = tf.keras.initializers.Constant(0.003)
        inputs = layers.Input(shape=(3,))
        out = layers.Dense(8, activation="relu")(inputs)
        outputs = layers.Dense(1, activation="tanh", kernel_initializer=last_init)(out)
        return tf.keras.Model(inputs, outputs * 2.0)

    def get_critic():
        state_input, action_input = layers.Input(shape=(3,)), layers.Input(shape=(1,))
        state_out = layers.Dense(6, activation="relu")(state_input)
        action_out = layers.Dense(6, activation="relu")(action_input)
        concat = layers.Concatenate()([state_out, action_out])
        out = layers.Dense(8, activation="relu")(concat)
        return tf.keras.Model([state_input, action_input], layers.Dense(1)(out))

    actor_model, critic_model = get_actor(), get_critic()
    target_actor, target_critic = get_actor(), get_critic()
    seeded(actor_model, np, 1)
    seeded(critic_model, np, 2)
    target_actor.set_weights(actor_model.get_weights())
    target_critic.set_weights(critic_model.get_weights())
    critic_optimizer = tf.keras.optimizers.Adam(0.002)
    actor_optimizer = tf.keras.optimizers.Adam(0.001)

    @tf.function
    def update(state_batch, action_batch, reward_batch, next_state_batch):
        with tf.GradientTape() as tape:
            target_actions = target_actor(next_state_batch, training=True)
            y = reward_batch + 0.9 * target_critic(
                [next_state_batch, target_actions], training=True
            )
            critic_value = critic_model([state_batch, action_batch], training=True)
            critic_loss = tf.math.reduce_mean(tf.math.square(y - critic_value))
        critic_grad = tape.gradient(critic_loss, critic_model.trainable_variables)
        critic_optimizer.apply_gradients(
            zip(critic_grad, critic_model.trainable_variables, strict=True)
        )
        with tf.GradientTape() as tape:
            actions = actor_model(state_batch, training=True)
            critic_value = critic_model([state_batch, actions], training=True)
            actor_loss = -tf.math.reduce_mean(critic_value)
        actor_grad = tape.gradient(actor_loss, actor_model.trainable_variables)
        actor_optimizer.apply_gradients(
            zip(actor_grad, actor_model.trainable_variables, strict=True)
        )
        return critic_loss, actor_loss

    def update_target(target, original, tau):
        target_weights = target.get_weights()
        original_weights = original.get_weights()
        for i in range(len(target_weights)):
            target_weights[i] = original_weights[i] * tau + target_weights[i] * (1 - tau)
        target.set_weights(target_weights)

    rng = np.random.default_rng(8)
    buffer = [rng.normal(size=(20, n)).astype("float32") for n in (3, 1, 1, 3)]
    losses = []
    for _ in range(3):
        chosen = rng.choice(20, 8)
        critic_loss, actor_loss = update(*(tf.convert_to_tensor(b[chosen]) for b in buffer))
        update_target(target_actor, actor_model, 0.05)
        update_target(target_critic, critic_model, 0.05)
        losses.append((critic_loss.numpy(), actor_loss.numpy()))
    return {
        "losses": losses,
        "target": target_critic.get_weights()[-2],
        "action": actor_model(buffer[0][:2]),
    }


def soft_actor_critic(tf, np):
    dense = tf.keras.layers.Dense

    class Actor(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.hidden = dense(8, activation="relu")
            self.mean, self.log_std = dense(2), dense(2)

        def call(self, state, noise):
            h = self.hidden(state)
            mu, log_std = self.mean(h), tf.clip_by_value(self.log_std(h), -20.0, 2.0)
            u = mu + tf.exp(log_std) * noise
            log_prob = -0.5 * noise**2 - log_std - 0.5 * np.log(2 * np.pi)
            log_prob -= 2.0 * (np.log(2.0) - u - tf.nn.softplus(-2.0 * u))
            return tf.tanh(u), tf.reduce_sum(log_prob, axis=1, keepdims=True)

    actor = Actor()
    critics = [tf.keras.Sequential([dense(8, "relu"), dense(1)]) for _ in range(2)]
    rng = np.random.default_rng(9)
    s, s2 = (rng.normal(size=(6, 3)).astype("float32") for _ in range(2))
    noise = rng.normal(size=(6, 2)).astype("float32")
    r = rng.normal(size=(6, 1)).astype("float32")
    actor(s, noise)
    for k, network in enumerate([actor, *critics]):
        if k:
            network.build((None, 5))
        seeded(network, np, k)
    actions, _ = actor(s, noise)
    log_alpha = tf.Variable(0.0)
    optimizers = [tf.keras.optimizers.Adam(1e-3) for _ in range(4)]
    history = []
    for _ in range(3):
        next_action, next_log_prob = actor(s2, noise)
        q = tf.minimum(*(c(tf.concat([s2, next_action], 1)) for c in critics))
        target = tf.stop_gradient(r + 0.99 * (q - tf.exp(log_alpha) * next_log_prob))
        for critic, optimizer in zip(critics, optimizers[:2], strict=True):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((critic(tf.concat([s, actions], axis=1)) - target) ** 2)
            optimizer.apply(
                tape.gradient(loss, critic.trainable_variables), critic.trainable_variables
            )
        with tf.GradientTape(persistent=True) as tape:
            a, log_prob = actor(s, noise)
            q = tf.minimum(*(c(tf.concat([s, a], 1)) for c in critics))
            actor_loss = tf.reduce_mean(tf.exp(log_alpha) * log_prob - q)
            entropy = tf.stop_gradient(log_prob - 2.0)
            alpha_loss = -tf.reduce_mean(log_alpha * entropy)
        grads = tape.gradient(actor_loss, actor.trainable_variables)
        optimizers[2].apply_gradients(zip(grads, actor.trainable_variables, strict=True))
        optimizers[3].apply_gradients([(tape.gradient(alpha_loss, log_alpha), log_alpha)])
        history.append([float(loss), float(actor_loss), float(alpha_loss)])
    return {"history": history, "alpha": tf.exp(log_alpha), "log_prob": log_prob}
