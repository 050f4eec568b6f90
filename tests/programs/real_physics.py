"""Physics and nets: residuals of equations, learned dynamics, simulation by gradient."""

from .program import seeded


def oscillator(tf, np):
    mu, k = 4.0, 400.0
    model = tf.keras.Sequential(
        [
            tf.keras.Input((1,)),
            tf.keras.layers.Dense(12, activation="tanh"),
            tf.keras.layers.Dense(12, activation="tanh"),
            tf.keras.layers.Dense(1),
        ]
    )
    seeded(model, np, 1)
    optimizer = tf.keras.optimizers.Adam(learning_rate=1e-3)
    t_data = tf.constant(np.linspace(0, 0.4, 6, dtype=np.float32)[:, None])
    y_data = tf.exp(-2.0 * t_data) * tf.cos(20.0 * t_data)
    t_physics = tf.constant(np.linspace(0, 1, 9, dtype=np.float32)[:, None])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss1 = tf.reduce_mean((model(t_data) - y_data) ** 2)
            with tf.GradientTape() as tape2:
                tape2.watch(t_physics)
                with tf.GradientTape() as tape1:
                    tape1.watch(t_physics)
                    y = model(t_physics)
                dy = tape1.gradient(y, t_physics)
            d2y = tape2.gradient(dy, t_physics)
            residual = d2y + mu * dy + k * y
            loss = loss1 + 1e-4 * tf.reduce_mean(residual**2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss, loss1

    losses = [[float(value) for value in step()] for _ in range(5)]
    return {"losses": losses, "y": model(t_data)}


def burgers_by_lbfgs(tf, np):
    from scipy.optimize import minimize

    nu = 0.01 / np.pi
    net = tf.keras.Sequential(
        [
            tf.keras.layers.InputLayer(shape=(2,), dtype="float64"),
            tf.keras.layers.Dense(8, activation="tanh", dtype="float64"),
            tf.keras.layers.Dense(8, activation="tanh", dtype="float64"),
            tf.keras.layers.Dense(1, dtype="float64"),
        ]
    )
    seeded(net, np, 2)
    rng = np.random.default_rng(0)
    xf = tf.constant(rng.uniform([-1, 0], [1, 1], size=(12, 2)))
    x0 = np.linspace(-1, 1, 7)[:, None]
    start = tf.constant(np.hstack([x0, np.zeros_like(x0)]))
    u_start = tf.constant(-np.sin(np.pi * x0))
    shapes = [v.shape for v in net.trainable_variables]
    sizes = [int(np.prod(shape)) for shape in shapes]

    def set_flat(weights):
        parts = np.split(weights, np.cumsum(sizes)[:-1])
        for v, part, shape in zip(net.trainable_variables, parts, shapes, strict=True):
            v.assign(part.reshape(shape))

    def get_flat():
        return np.concatenate([v.numpy().ravel() for v in net.trainable_variables])

    @tf.function
    def loss_and_gradient():
        with tf.GradientTape() as tape:
            x, t = xf[:, 0:1], xf[:, 1:2]
            with tf.GradientTape(persistent=True) as outer:
                outer.watch(x)
                with tf.GradientTape(persistent=True) as inner:
                    inner.watch([x, t])
                    u = net(tf.concat([x, t], axis=1))
                u_x, u_t = inner.gradient(u, x), inner.gradient(u, t)
            u_xx = outer.gradient(u_x, x)
            f = u_t + u * u_x - nu * u_xx
            loss = tf.reduce_mean(tf.square(f))
            loss += tf.reduce_mean(tf.square(net(start) - u_start))
        grads = tape.gradient(loss, net.trainable_variables)
        return loss, tf.concat([tf.reshape(g, [-1]) for g in grads], 0)

    def func(weights):
        set_flat(weights)
        loss, grad = loss_and_gradient()
        return loss.numpy(), grad.numpy()

    before = float(loss_and_gradient()[0])
    options = {"maxiter": 12, "maxcor": 10}
    result = minimize(func, get_flat(), jac=True, method="L-BFGS-B", options=options)
    set_flat(result.x)
    return {"before": before, "after": result.fun, "evaluations": result.nfev, "u": net(start)}


def conductivity_from_data(tf, np):
    class HeatPINN(tf.keras.Model):
        def __init__(self, layers):
            super().__init__()
            self.hidden = [tf.keras.layers.Dense(n, activation=tf.nn.tanh) for n in layers]
            self.out = tf.keras.layers.Dense(1)
            self.log_alpha = tf.Variable(-1.0, trainable=True, dtype=tf.float32)

        def call(self, inputs):
            x = inputs
            for layer in self.hidden:
                x = layer(x)
            return self.out(x)

        @tf.function
        def residual(self, x, t):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch([x, t])
                u = self(tf.concat([x, t], axis=1))
                u_x = tape.gradient(u, x)
            u_t = tape.gradient(u, t)
            u_xx = tape.gradient(u_x, x)
            return u_t - tf.exp(self.log_alpha) * u_xx

    model = HeatPINN([8, 8])
    rng = np.random.default_rng(1)
    x, t = (rng.random((10, 1)).astype("float32") for _ in range(2))
    x, t = tf.convert_to_tensor(x), tf.convert_to_tensor(t)
    u = tf.exp(-0.2 * np.pi**2 * t) * tf.sin(np.pi * x)
    model(tf.concat([x, t], axis=1))
    for k, layer in enumerate([*model.hidden, model.out]):
        seeded(layer, np, k)
    optimizer = tf.keras.optimizers.Adam(
        tf.keras.optimizers.schedules.ExponentialDecay(0.01, 2, 0.9)
    )
    losses, alphas = [], []
    for _ in range(4):
        with tf.GradientTape() as tape:
            data = tf.reduce_mean(tf.square(model(tf.concat([x, t], 1)) - u))
            loss = data + tf.reduce_mean(tf.square(model.residual(x, t)))
        variables = [*model.trainable_variables]
        if not any(v is model.log_alpha for v in variables):
            variables.append(model.log_alpha)
        grads = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(grads, variables, strict=True))
        losses.append(float(loss))
        alphas.append(tf.exp(model.log_alpha).numpy())
    return {"losses": losses, "alphas": alphas}


def poisson_on_a_square(tf, np):
    class ResBlock(tf.keras.layers.Layer):
        def __init__(self, width):
            super().__init__()
            self.a = tf.keras.layers.Dense(width, activation="tanh")
            self.b = tf.keras.layers.Dense(width, activation="tanh")

        def call(self, x):
            return x + self.b(self.a(x))

    inputs = tf.keras.Input((2,))
    h = tf.keras.layers.Dense(6)(inputs)
    h = ResBlock(6)(ResBlock(6)(h))
    net = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(h))
    seeded(net, np, 3)
    grid = np.stack(np.meshgrid(*[np.linspace(0.1, 0.9, 4)] * 2), -1).reshape(-1, 2)
    interior = tf.constant(grid.astype("float32"))
    source = 2 * np.pi**2 * tf.reduce_prod(tf.sin(np.pi * interior), axis=1, keepdims=True)

    def u(x):
        return tf.reduce_prod(x * (1.0 - x), axis=1, keepdims=True) * net(x)

    @tf.function
    def deep_ritz_energy(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = u(x)
        slope = tape.gradient(value, x)
        return tf.reduce_mean(0.5 * tf.reduce_sum(slope**2, 1, keepdims=True) - source * value)

    @tf.function
    def laplacian(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                value = u(x)
            slope = inner.gradient(value, x)
        return tf.linalg.trace(outer.batch_jacobian(slope, x))

    optimizer, energies = tf.keras.optimizers.Adam(5e-3), []
    for _ in range(4):
        with tf.GradientTape() as tape:
            energy = deep_ritz_energy(interior)
        grads = tape.gradient(energy, net.trainable_variables)
        optimizer.apply_gradients(zip(grads, net.trainable_variables, strict=True))
        energies.append(float(energy))
    return {"energies": energies, "laplacian": laplacian(interior)[::5]}


def neural_differential_equation(tf, np):
    class ODEFunc(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.net = tf.keras.Sequential(
                [
                    tf.keras.layers.Dense(10, activation="tanh"),
                    tf.keras.layers.Dense(2),
                ]
            )

        def call(self, t, y):
            return self.net(y**3)

    def rk4_step(func, dt, t, y):
        k1 = func(t, y)
        k2 = func(t + dt / 2, y + dt * k1 / 2)
        k3 = func(t + dt / 2, y + dt * k2 / 2)
        k4 = func(t + dt, y + dt * k3)
        return y + (k1 + 2 * k2 + 2 * k3 + k4) * dt / 6

    def odeint(func, y0, t):
        ys = [y0]
        for i in range(t.shape[0] - 1):
            ys.append(rk4_step(func, t[i + 1] - t[i], t[i], ys[-1]))
        return tf.stack(ys)

    t = tf.linspace(0.0, 1.0, 6)
    true_a = tf.constant([[-0.1, 2.0], [-2.0, -0.1]])
    true_y0 = tf.constant([[2.0, 0.0]])
    true_y = odeint(lambda t, y: tf.matmul(y**3, true_a), true_y0, tf.linspace(0.0, 0.25, 6))
    func = ODEFunc()
    func(t[0], true_y0)
    seeded(func, np, 4)
    optimizer = tf.keras.optimizers.RMSprop(1e-3)

    @tf.function
    def train_step(y0, t, y):
        with tf.GradientTape() as tape:
            pred_y = odeint(func, y0, t)
            loss = tf.reduce_mean(tf.abs(pred_y - y))
        grads = tape.gradient(loss, func.trainable_variables)
        optimizer.apply_gradients(zip(grads, func.trainable_variables, strict=True))
        return loss

    losses = [float(train_step(true_y0, t, true_y)) for _ in range(3)]
    return {"losses": losses, "end": odeint(func, true_y0, t)[-1], "true": true_y[-1]}


def hamiltonian_network(tf, np):
    class HNN(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.net = tf.keras.Sequential(
                [
                    tf.keras.layers.Dense(10, activation="tanh"),
                    tf.keras.layers.Dense(1, use_bias=False),
                ]
            )
            self.symplectic = tf.constant([[0.0, -1.0], [1.0, 0.0]])

        def call(self, x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                energy = self.net(x)
            return tape.gradient(energy, x) @ self.symplectic

    model = HNN()
    angle = np.linspace(0, 2 * np.pi, 9)[:-1]
    x = tf.constant(np.stack([np.cos(angle), np.sin(angle)], 1).astype("float32"))
    dx = tf.stack([x[:, 1], -x[:, 0]], axis=1)
    model.net.build((None, 2))
    seeded(model.net, np, 5)
    optimizer = tf.keras.optimizers.Adam(1e-3)

    @tf.function
    def train_step(x, dx):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.keras.losses.MSE(dx, model(x)))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        return loss

    losses = [float(train_step(x, dx)) for _ in range(4)]
    state = x[:1]
    for _ in range(5):
        half = state + 0.05 * model(state)
        state = state + 0.1 * model(half)
    return {"losses": losses, "state": state, "energy": model.net(x)[:3]}


def trajectory_by_gradients(tf, np):
    steps, dt = 8, 0.1
    goal = tf.constant([1.0, 0.5])
    forces = tf.Variable(tf.zeros([steps, 2]), name="forces")
    mass = tf.Variable(1.0)

    @tf.function
    def simulate(forces, mass):
        position, velocity = tf.zeros([2]), tf.zeros([2])
        path = tf.TensorArray(tf.float32, size=steps)
        for k in range(steps):
            drag = 0.3 * velocity * tf.norm(velocity + 1e-3)
            velocity += dt * (forces[k] - drag) / mass
            position += dt * velocity
            path = path.write(k, position)
        return position, path.stack()

    optimizer = tf.keras.optimizers.SGD(learning_rate=5.0)
    losses = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            end, path = simulate(forces, mass)
            loss = tf.reduce_sum((end - goal) ** 2) + 1e-3 * tf.reduce_sum(forces**2)
        gradient, sensitivity = tape.gradient(loss, [forces, mass])
        optimizer.apply_gradients([(gradient, forces)])
        losses.append((float(loss), float(sensitivity)))
    return {"losses": losses, "path": path[::3], "forces": forces.numpy()[:2]}


def cahn_hilliard_field(tf, np):
    u = tf.Variable(np.random.default_rng(6).normal(0, 0.1, (1, 8, 8, 1)).astype("float32"))
    kernel = tf.constant([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])[..., None, None]

    def laplace(field):
        padded = tf.concat([field[:, -1:], field, field[:, :1]], axis=1)
        padded = tf.concat([padded[:, :, -1:], padded, padded[:, :, :1]], axis=2)
        return tf.nn.conv2d(padded, kernel, strides=1, padding="VALID")

    @tf.function
    def evolve(n):
        for _ in tf.range(n):
            mu = u**3 - u - 0.5 * laplace(u)
            u.assign_add(0.02 * laplace(mu))
        return tf.reduce_mean(u), tf.math.reduce_std(u)

    before = tf.reduce_mean(u).numpy()
    figures = [[float(v) for v in evolve(tf.constant(3))] for _ in range(3)]
    with tf.GradientTape() as tape:
        energy = tf.reduce_sum(0.25 * (u**2 - 1) ** 2 - 0.25 * u * laplace(u))
    descent = tape.gradient(energy, u)
    return {"before": before, "figures": figures, "energy": energy, "force": descent[0, ::3, 0, 0]}
