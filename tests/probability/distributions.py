"""Every distribution with ordinary parameters: `DISTRIBUTIONS[name](tfp, tf, c)`.

`c(value)` makes a parameter for which gradients are taken.
"""

from typing import Any

EYE = [[1.0, 0.3], [0.3, 0.8]]
TRIL = [[1.2, 0.0], [0.5, 0.8]]
PROBS = [0.2, 0.3, 0.5]


def _kernel(tfp, c):
    return tfp.math.psd_kernels.ExponentiatedQuadratic(c(1.3), c(0.7))


def _points(tf):
    return tf.constant([[0.0], [0.5], [1.3]])


def _observed(tf):
    return {
        "observation_index_points": tf.constant([[0.2], [0.9]]),
        "observations": tf.constant([0.4, -0.3]),
    }


def _coroutine(tfp, tf, c, kind):
    tfd, scale = tfp.distributions, c(0.5)

    def model():
        root = tfd.JointDistributionCoroutine.Root
        x = yield root(tfd.Normal(0.0, 1.0, name="x")) if kind == "plain" else tfd.Normal(0.0, 1.0)
        yield (
            tfd.Normal(tf.stack([x, 2.0 * x], -1), scale)
            if kind != "plain"
            else (tfd.Independent(tfd.Normal(tf.stack([x, 2.0 * x], -1), scale), 1))
        )

    if kind == "plain":
        return tfd.JointDistributionCoroutine(model)
    return tfd.JointDistributionCoroutineAutoBatched(model)


DISTRIBUTIONS: dict[str, Any] = {
    "Autoregressive": lambda p, tf, c: p.distributions.Autoregressive(
        lambda s: p.distributions.Independent(p.distributions.Normal(0.5 * s, c(1.0)), 1),
        sample0=tf.zeros([3]),
        num_steps=3,
    ),
    "BatchBroadcast": lambda p, tf, c: p.distributions.BatchBroadcast(
        p.distributions.Normal(c(0.5), c(2.0)), [2]
    ),
    "BatchConcat": lambda p, tf, c: p.distributions.BatchConcat(
        [p.distributions.Normal([0.0], c(1.0)), p.distributions.Normal([1.0, 2.0], c(2.0))], axis=0
    ),
    "BatchReshape": lambda p, tf, c: p.distributions.BatchReshape(
        p.distributions.Normal(c([0.0, 1.0, 2.0, 3.0]), 1.5), [2, 2]
    ),
    "Bates": lambda p, tf, c: p.distributions.Bates(4.0, c(-1.0), c(2.0)),
    "Bernoulli": lambda p, tf, c: p.distributions.Bernoulli(probs=c([0.3, 0.7])),
    "Bernoulli logits": lambda p, tf, c: p.distributions.Bernoulli(logits=c([0.3, -0.7])),
    "Beta": lambda p, tf, c: p.distributions.Beta(c([1.5, 0.7]), c(2.5)),
    "BetaBinomial": lambda p, tf, c: p.distributions.BetaBinomial(10.0, c(1.5), c(2.5)),
    "BetaQuotient": lambda p, tf, c: p.distributions.BetaQuotient(c(2.0), c(3.0), c(4.0), c(5.0)),
    "Binomial": lambda p, tf, c: p.distributions.Binomial(10.0, probs=c([0.3, 0.6])),
    "Blockwise": lambda p, tf, c: p.distributions.Blockwise(
        [
            p.distributions.Normal(c(0.0), 1.0),
            p.distributions.MultivariateNormalDiag(c([1.0, 2.0]), [1.0, 2.0]),
        ]
    ),
    "Categorical": lambda p, tf, c: p.distributions.Categorical(logits=c([0.1, 0.5, -0.3])),
    "Categorical probs": lambda p, tf, c: p.distributions.Categorical(probs=c([PROBS, PROBS])),
    "Cauchy": lambda p, tf, c: p.distributions.Cauchy(c([0.5, 1.0]), c(2.0)),
    "Chi": lambda p, tf, c: p.distributions.Chi(c([2.0, 5.0])),
    "Chi2": lambda p, tf, c: p.distributions.Chi2(c([2.0, 5.0])),
    "CholeskyLKJ": lambda p, tf, c: p.distributions.CholeskyLKJ(3, c(1.5)),
    "ContinuousBernoulli": lambda p, tf, c: p.distributions.ContinuousBernoulli(
        probs=c([0.2, 0.7])
    ),
    "DeterminantalPointProcess": lambda p, tf, c: p.distributions.DeterminantalPointProcess(
        c([0.5, 1.5]), tf.constant([[0.6, 0.8], [-0.8, 0.6]])
    ),
    "Deterministic": lambda p, tf, c: p.distributions.Deterministic(c([1.0, 2.0])),
    "Dirichlet": lambda p, tf, c: p.distributions.Dirichlet(c([1.0, 2.0, 3.0])),
    "DirichletMultinomial": lambda p, tf, c: p.distributions.DirichletMultinomial(
        5.0, c([1.0, 2.0, 3.0])
    ),
    "DoublesidedMaxwell": lambda p, tf, c: p.distributions.DoublesidedMaxwell(c(1.0), c(2.0)),
    "Empirical": lambda p, tf, c: p.distributions.Empirical([1.0, 2.0, 2.0, 4.0]),
    "ExpGamma": lambda p, tf, c: p.distributions.ExpGamma(c(2.0), c(1.5)),
    "ExpInverseGamma": lambda p, tf, c: p.distributions.ExpInverseGamma(c(2.0), c(1.5)),
    "ExpRelaxedOneHotCategorical": lambda p, tf, c: (
        p.distributions.ExpRelaxedOneHotCategorical(0.7, probs=c(PROBS))
    ),
    "Exponential": lambda p, tf, c: p.distributions.Exponential(c([0.5, 2.0])),
    "ExponentiallyModifiedGaussian": lambda p, tf, c: (
        p.distributions.ExponentiallyModifiedGaussian(c(0.5), c(1.5), c(2.0))
    ),
    "FiniteDiscrete": lambda p, tf, c: p.distributions.FiniteDiscrete(
        [1.0, 2.0, 5.0], probs=c(PROBS)
    ),
    "FlatDirichlet": lambda p, tf, c: p.distributions.FlatDirichlet(3),
    "Gamma": lambda p, tf, c: p.distributions.Gamma(c([0.5, 3.0]), c(2.0)),
    "GammaGamma": lambda p, tf, c: p.distributions.GammaGamma(c(3.0), c(2.0), c(1.5)),
    "GaussianProcess": lambda p, tf, c: p.distributions.GaussianProcess(
        _kernel(p, c), _points(tf), observation_noise_variance=c(0.1)
    ),
    "GaussianProcessRegressionModel": lambda p, tf, c: (
        p.distributions.GaussianProcessRegressionModel(
            _kernel(p, c), _points(tf), observation_noise_variance=c(0.1), **_observed(tf)
        )
    ),
    "GeneralizedExtremeValue": lambda p, tf, c: p.distributions.GeneralizedExtremeValue(
        c(0.5), c(1.5), c(0.3)
    ),
    "GeneralizedNormal": lambda p, tf, c: p.distributions.GeneralizedNormal(
        c(0.5), c(1.5), c(1.7)
    ),
    "GeneralizedPareto": lambda p, tf, c: p.distributions.GeneralizedPareto(c(0.5), c(1.5), c(0.3)),
    "Geometric": lambda p, tf, c: p.distributions.Geometric(probs=c([0.3, 0.6])),
    "Gumbel": lambda p, tf, c: p.distributions.Gumbel(c(0.5), c(2.0)),
    "HalfCauchy": lambda p, tf, c: p.distributions.HalfCauchy(0.0, c(2.0)),
    "HalfNormal": lambda p, tf, c: p.distributions.HalfNormal(c([0.5, 2.0])),
    "HalfStudentT": lambda p, tf, c: p.distributions.HalfStudentT(c(4.0), 0.0, c(2.0)),
    "HiddenMarkovModel": lambda p, tf, c: p.distributions.HiddenMarkovModel(
        p.distributions.Categorical(probs=c([0.8, 0.2])),
        p.distributions.Categorical(probs=c([[0.7, 0.3], [0.2, 0.8]])),
        p.distributions.Normal(c([0.0, 15.0]), [5.0, 10.0]),
        num_steps=4,
    ),
    "Horseshoe": lambda p, tf, c: p.distributions.Horseshoe(c([0.5, 2.0])),
    "Independent": lambda p, tf, c: p.distributions.Independent(
        p.distributions.Normal(c([0.5, 2.0]), c(1.5)), 1
    ),
    "Inflated": lambda p, tf, c: p.distributions.Inflated(
        p.distributions.Poisson(c(3.0)), inflated_loc_probs=0.3
    ),
    "InverseGamma": lambda p, tf, c: p.distributions.InverseGamma(c(3.0), c(2.0)),
    "InverseGaussian": lambda p, tf, c: p.distributions.InverseGaussian(c(1.5), c(2.0)),
    "JohnsonSU": lambda p, tf, c: p.distributions.JohnsonSU(c(0.5), c(1.5), c(0.3), c(2.0)),
    "JointDistributionCoroutine": lambda p, tf, c: _coroutine(p, tf, c, "plain"),
    "JointDistributionCoroutineAutoBatched": lambda p, tf, c: _coroutine(p, tf, c, "auto"),
    "JointDistributionNamed": lambda p, tf, c: p.distributions.JointDistributionNamed(
        {
            "a": p.distributions.Normal(c(0.5), 1.0),
            "b": lambda a: p.distributions.Normal(a, c(2.0)),
            "c": lambda a, b: p.distributions.Normal(a + b, 1.0),
        }
    ),
    "JointDistributionNamedAutoBatched": lambda p, tf, c: (
        p.distributions.JointDistributionNamedAutoBatched(
            {
                "a": p.distributions.Normal(c([0.5, 1.0]), 1.0),
                "b": lambda a: p.distributions.Normal(tf.reduce_sum(a), c(2.0)),
            }
        )
    ),
    "JointDistributionSequential": lambda p, tf, c: p.distributions.JointDistributionSequential(
        [p.distributions.Normal(c(0.5), 1.0), lambda x: p.distributions.Normal(x, c(2.0))]
    ),
    "JointDistributionSequentialAutoBatched": lambda p, tf, c: (
        p.distributions.JointDistributionSequentialAutoBatched(
            [p.distributions.Normal(c(0.5), 1.0), lambda x: p.distributions.Normal([x, x], c(2.0))]
        )
    ),
    "Kumaraswamy": lambda p, tf, c: p.distributions.Kumaraswamy(c(1.5), c(2.0)),
    "LKJ": lambda p, tf, c: p.distributions.LKJ(3, c(1.5)),
    "LambertWDistribution": lambda p, tf, c: p.distributions.LambertWDistribution(
        p.distributions.Normal(0.5, 1.5), 0.5, 1.5, c(0.1)
    ),
    "LambertWNormal": lambda p, tf, c: p.distributions.LambertWNormal(c(0.5), c(1.5), c(0.1)),
    "Laplace": lambda p, tf, c: p.distributions.Laplace(c([0.5, 1.0]), c(2.0)),
    "LinearGaussianStateSpaceModel": lambda p, tf, c: (
        p.distributions.LinearGaussianStateSpaceModel(
            num_timesteps=4,
            transition_matrix=tf.constant([[1.0, 1.0], [0.0, 1.0]]),
            transition_noise=p.distributions.MultivariateNormalDiag(scale_diag=c([0.3, 0.2])),
            observation_matrix=tf.constant([[1.0, 0.0]]),
            observation_noise=p.distributions.MultivariateNormalDiag(scale_diag=c([0.5])),
            initial_state_prior=p.distributions.MultivariateNormalDiag(scale_diag=[1.0, 1.0]),
        )
    ),
    "LogLogistic": lambda p, tf, c: p.distributions.LogLogistic(c(0.5), c(2.0)),
    "LogNormal": lambda p, tf, c: p.distributions.LogNormal(c(0.5), c(1.5)),
    "Logistic": lambda p, tf, c: p.distributions.Logistic(c([0.5, 1.0]), c(2.0)),
    "LogitNormal": lambda p, tf, c: p.distributions.LogitNormal(c(0.5), c(1.5)),
    "MarkovChain": lambda p, tf, c: p.distributions.MarkovChain(
        p.distributions.Normal(c(0.5), 1.0),
        lambda step, x: p.distributions.Normal(0.9 * x, 0.5),
        num_steps=4,
    ),
    "Masked": lambda p, tf, c: p.distributions.Masked(
        p.distributions.Normal(c([0.5, 1.0]), 1.5), [True, False]
    ),
    "MatrixNormalLinearOperator": lambda p, tf, c: p.distributions.MatrixNormalLinearOperator(
        c([[0.5, 1.0], [0.0, 2.0]]),
        tf.linalg.LinearOperatorLowerTriangular(tf.constant(TRIL)),
        tf.linalg.LinearOperatorDiag(tf.constant([1.0, 2.0])),
    ),
    "MatrixTLinearOperator": lambda p, tf, c: p.distributions.MatrixTLinearOperator(
        c(4.0),
        tf.zeros([2, 2]),
        tf.linalg.LinearOperatorLowerTriangular(tf.constant(TRIL)),
        tf.linalg.LinearOperatorDiag(tf.constant([1.0, 2.0])),
    ),
    "Mixture": lambda p, tf, c: p.distributions.Mixture(
        p.distributions.Categorical(probs=c([0.3, 0.7])),
        [p.distributions.Normal(c(-1.0), 0.5), p.distributions.Normal(2.0, c(1.5))],
    ),
    "MixtureSameFamily": lambda p, tf, c: p.distributions.MixtureSameFamily(
        p.distributions.Categorical(probs=c([0.3, 0.7])),
        p.distributions.Normal(c([-1.0, 2.0]), c([0.5, 1.5])),
    ),
    "Moyal": lambda p, tf, c: p.distributions.Moyal(c(0.5), c(2.0)),
    "Multinomial": lambda p, tf, c: p.distributions.Multinomial(5.0, probs=c(PROBS)),
    "MultivariateNormalDiag": lambda p, tf, c: p.distributions.MultivariateNormalDiag(
        c([0.5, 1.0]), c([1.5, 2.0])
    ),
    "MultivariateNormalDiagPlusLowRank": lambda p, tf, c: (
        p.distributions.MultivariateNormalDiagPlusLowRank(
            c([0.5, 1.0]), c([1.5, 2.0]), scale_perturb_factor=c([[0.3], [0.4]])
        )
    ),
    "MultivariateNormalDiagPlusLowRankCovariance": lambda p, tf, c: (
        p.distributions.MultivariateNormalDiagPlusLowRankCovariance(
            c([0.5, 1.0]), c([1.5, 2.0]), c([[0.3], [0.4]])
        )
    ),
    "MultivariateNormalFullCovariance": lambda p, tf, c: (
        p.distributions.MultivariateNormalFullCovariance(c([0.5, 1.0]), c(EYE))
    ),
    "MultivariateNormalLinearOperator": lambda p, tf, c: (
        p.distributions.MultivariateNormalLinearOperator(
            c([0.5, 1.0]), tf.linalg.LinearOperatorLowerTriangular(c(TRIL))
        )
    ),
    "MultivariateNormalTriL": lambda p, tf, c: p.distributions.MultivariateNormalTriL(
        c([0.5, 1.0]), c(TRIL)
    ),
    "MultivariateStudentTLinearOperator": lambda p, tf, c: (
        p.distributions.MultivariateStudentTLinearOperator(
            c(4.0), c([0.5, 1.0]), tf.linalg.LinearOperatorLowerTriangular(c(TRIL))
        )
    ),
    "NegativeBinomial": lambda p, tf, c: p.distributions.NegativeBinomial(5.0, probs=c(0.4)),
    "NoncentralChi2": lambda p, tf, c: p.distributions.NoncentralChi2(c(3.0), c(1.5)),
    "Normal": lambda p, tf, c: p.distributions.Normal(c([0.5, 1.0]), c(2.0)),
    "NormalInverseGaussian": lambda p, tf, c: p.distributions.NormalInverseGaussian(
        c(0.5), c(1.5), c(2.0), c(0.7)
    ),
    "OneHotCategorical": lambda p, tf, c: p.distributions.OneHotCategorical(probs=c(PROBS)),
    "OrderedLogistic": lambda p, tf, c: p.distributions.OrderedLogistic(
        c([-1.0, 0.5, 2.0]), c(0.3)
    ),
    "PERT": lambda p, tf, c: p.distributions.PERT(c(1.0), c(3.0), c(7.0), c(4.0)),
    "Pareto": lambda p, tf, c: p.distributions.Pareto(c(3.0), c(1.5)),
    "PlackettLuce": lambda p, tf, c: p.distributions.PlackettLuce(c([0.2, 0.5, 1.3])),
    "Poisson": lambda p, tf, c: p.distributions.Poisson(c([0.5, 3.0])),
    "PoissonLogNormalQuadratureCompound": lambda p, tf, c: (
        p.distributions.PoissonLogNormalQuadratureCompound(c(0.5), c(0.3), quadrature_size=5)
    ),
    "PowerSpherical": lambda p, tf, c: p.distributions.PowerSpherical(
        tf.constant([0.6, 0.8, 0.0]), c(2.0)
    ),
    "ProbitBernoulli": lambda p, tf, c: p.distributions.ProbitBernoulli(probs=c([0.3, 0.7])),
    "QuantizedDistribution": lambda p, tf, c: p.distributions.QuantizedDistribution(
        p.distributions.Normal(c(2.5), c(1.5)), 0.0, 5.0
    ),
    "RelaxedBernoulli": lambda p, tf, c: p.distributions.RelaxedBernoulli(0.7, probs=c([0.3, 0.6])),
    "RelaxedOneHotCategorical": lambda p, tf, c: p.distributions.RelaxedOneHotCategorical(
        0.7, probs=c(PROBS)
    ),
    "Sample": lambda p, tf, c: p.distributions.Sample(
        p.distributions.Normal(c(0.5), c(1.5)), [2]
    ),
    "SigmoidBeta": lambda p, tf, c: p.distributions.SigmoidBeta(c(1.5), c(2.5)),
    "SinhArcsinh": lambda p, tf, c: p.distributions.SinhArcsinh(c(0.5), c(1.5), c(0.3), c(1.2)),
    "Skellam": lambda p, tf, c: p.distributions.Skellam(c(2.0), c(3.0)),
    "SphericalUniform": lambda p, tf, c: p.distributions.SphericalUniform(3),
    "StoppingRatioLogistic": lambda p, tf, c: p.distributions.StoppingRatioLogistic(
        c([-1.0, 0.5, 2.0]), c(0.3)
    ),
    "StudentT": lambda p, tf, c: p.distributions.StudentT(c(4.0), c([0.5, 1.0]), c(2.0)),
    "StudentTProcess": lambda p, tf, c: p.distributions.StudentTProcess(
        c(4.0), _kernel(p, c), _points(tf), observation_noise_variance=c(0.1)
    ),
    "StudentTProcessRegressionModel": lambda p, tf, c: (
        p.distributions.StudentTProcessRegressionModel(
            c(4.0), _kernel(p, c), _points(tf), observation_noise_variance=c(0.1), **_observed(tf)
        )
    ),
    "TransformedDistribution": lambda p, tf, c: p.distributions.TransformedDistribution(
        p.distributions.Normal(c(0.5), c(1.5)), p.bijectors.Softplus()
    ),
    "Triangular": lambda p, tf, c: p.distributions.Triangular(c(-1.0), c(3.0), c(0.5)),
    "TruncatedCauchy": lambda p, tf, c: p.distributions.TruncatedCauchy(
        c(0.5), c(1.5), c(-1.0), c(2.0)
    ),
    "TruncatedNormal": lambda p, tf, c: p.distributions.TruncatedNormal(
        c(0.5), c(1.5), c(-1.0), c(2.0)
    ),
    "TwoPieceNormal": lambda p, tf, c: p.distributions.TwoPieceNormal(c(0.5), c(1.5), c(1.2)),
    "TwoPieceStudentT": lambda p, tf, c: p.distributions.TwoPieceStudentT(
        c(4.0), c(0.5), c(1.5), c(1.2)
    ),
    "Uniform": lambda p, tf, c: p.distributions.Uniform(c(-1.0), c([2.0, 3.0])),
    "VariationalGaussianProcess": lambda p, tf, c: p.distributions.VariationalGaussianProcess(
        _kernel(p, c), _points(tf), tf.constant([[0.1], [0.8]]), c([0.3, -0.2]), c(TRIL),
        observation_noise_variance=c(0.1),
    ),
    "VectorDeterministic": lambda p, tf, c: p.distributions.VectorDeterministic(c([1.0, 2.0])),
    "VonMises": lambda p, tf, c: p.distributions.VonMises(c(0.5), c(2.0)),
    "VonMisesFisher": lambda p, tf, c: p.distributions.VonMisesFisher(
        tf.constant([0.6, 0.8, 0.0]), c(2.0)
    ),
    "Weibull": lambda p, tf, c: p.distributions.Weibull(c(1.5), c(2.0)),
    "WishartLinearOperator": lambda p, tf, c: p.distributions.WishartLinearOperator(
        4.0, tf.linalg.LinearOperatorLowerTriangular(c(TRIL))
    ),
    "WishartTriL": lambda p, tf, c: p.distributions.WishartTriL(c(4.0), c(TRIL)),
    "ZeroInflatedNegativeBinomial": lambda p, tf, c: p.distributions.ZeroInflatedNegativeBinomial(
        c(5.0), probs=c(0.4), inflated_loc_probs=0.3
    ),
    "Zipf": lambda p, tf, c: p.distributions.Zipf(c([2.5, 4.0])),
}  # fmt: skip
