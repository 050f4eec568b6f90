"""The line search of Moré and Thuente, one evaluation at a time, as pure functions of arrays.

J. J. Moré and D. J. Thuente, "Line Search Algorithms with Guaranteed Sufficient Decrease", ACM
Transactions on Mathematical Software 20 (1994). MINPACK-2, L-BFGS-B and SciPy search in this way.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

EXTRAPOLATION = 1.1, 4.0  # the next step lies between, in units of the last change of the step
LARGEST_STEP = 1e10
WIDTH_SHRINKAGE = 0.66  # an interval that has not shrunk so much in two trials is halved


class LineSearch(NamedTuple):
    """Where a search is; all are real scalars, so that they fit in one array.

    Attributes:
        loss: the loss where the search began.
        slope: its derivative along the direction there.
        step: the step at which the loss is wanted next.
        low_step: the best step so far, `low_loss` and `low_slope` are what was found there.
        low_loss: see `low_step`.
        low_slope: see `low_step`.
        high_step: the other end of the interval, likewise.
        high_loss: see `high_step`.
        high_slope: see `high_step`.
        is_bracketed: 1 if a minimum lies between both, else 0.
        stage: 1 until a step has a sufficient decrease and a slope that is not negative, then 2.
        least_step: the next step is not smaller.
        largest_step: the next step is not larger.
        width: how long the interval is.
        last_width: how long it was.
    """

    loss: jax.Array
    slope: jax.Array
    step: jax.Array
    low_step: jax.Array
    low_loss: jax.Array
    low_slope: jax.Array
    high_step: jax.Array
    high_loss: jax.Array
    high_slope: jax.Array
    is_bracketed: jax.Array
    stage: jax.Array
    least_step: jax.Array
    largest_step: jax.Array
    width: jax.Array
    last_width: jax.Array


def search_from(loss: jax.Array, slope: jax.Array, step: jax.Array) -> LineSearch:
    """Begins a search.

    Args:
        loss: the loss at step 0.
        slope: its derivative along the direction, negative.
        step: the first step to try.

    Returns:
        The search; its loss is wanted at `step`.
    """
    zero, one = jnp.zeros_like(loss), jnp.ones_like(loss)
    return LineSearch(
        loss=loss, slope=slope, step=step,
        low_step=zero, low_loss=loss, low_slope=slope,
        high_step=zero, high_loss=loss, high_slope=slope,
        is_bracketed=zero, stage=one,
        least_step=zero, largest_step=step + EXTRAPOLATION[1] * step,
        width=one * LARGEST_STEP, last_width=one * 2 * LARGEST_STEP,
    )  # fmt: skip


def continued(
    search: LineSearch,
    loss: jax.Array,
    slope: jax.Array,
    decrease: float,
    curvature: float,
    precision: float,
) -> tuple[LineSearch, jax.Array]:
    """Takes note of the loss at the step that was wanted, and chooses the next one.

    Args:
        search: the search.
        loss: the loss at `search.step`.
        slope: its derivative along the direction there.
        decrease: the loss must decrease by this part of what the first slope promises.
        curvature: the slope must shrink to this part of the first one (strong Wolfe condition).
        precision: an interval of this relative width is small enough.

    Returns:
        The search and whether it is over: then the step stays as it was.
    """
    promised = decrease * search.slope
    wanted = search.loss + search.step * promised
    is_low = loss <= wanted
    is_bracketed = search.is_bracketed > 0
    stage = jnp.where((search.stage == 1) & is_low & (slope >= 0), 2.0, search.stage)
    stage = stage.astype(search.stage.dtype)
    found = is_low & (jnp.abs(slope) <= -curvature * search.slope)
    at_an_end = (search.step <= search.least_step) | (search.step >= search.largest_step)
    is_narrow = search.largest_step - search.least_step <= precision * search.largest_step
    stuck = is_bracketed & (at_an_end | is_narrow)
    stuck |= (search.step == LARGEST_STEP) & is_low & (slope <= promised)
    stuck |= (search.step == 0) & (~is_low | (slope >= promised))
    is_finite = jnp.isfinite(loss) & jnp.isfinite(slope)
    # A lower loss that has not decreased enough: the promised decrease is taken off all values.
    off = jnp.where((stage == 1) & (loss <= search.low_loss) & ~is_low, promised, 0.0)
    off = off.astype(loss.dtype)
    chosen = _narrowed(
        search._replace(
            low_loss=search.low_loss - search.low_step * off, low_slope=search.low_slope - off,
            high_loss=search.high_loss - search.high_step * off,
            high_slope=search.high_slope - off, stage=stage,
        ),
        loss - search.step * off, slope - off,
    )  # fmt: skip
    chosen = chosen._replace(
        low_loss=chosen.low_loss + chosen.low_step * off, low_slope=chosen.low_slope + off,
        high_loss=chosen.high_loss + chosen.high_step * off, high_slope=chosen.high_slope + off,
    )  # fmt: skip
    chosen = _within_bounds(chosen, search.step, precision)
    # Where the loss is no number, nothing is learned but that the step is too long.
    shorter = search._replace(
        step=search.low_step + 0.1 * (search.step - search.low_step),
        largest_step=jnp.minimum(search.largest_step, search.step),
    )
    is_over = is_finite & (found | stuck)
    following = _where(is_finite, chosen, shorter)
    return _where(is_over, search, following), is_over


def _narrowed(search: LineSearch, loss: jax.Array, slope: jax.Array) -> LineSearch:
    """Chooses a step by cubic and quadratic interpolation, and updates the interval (`dcstep`)."""
    step, low, high = search.step, search.low_step, search.high_step
    is_bracketed = search.is_bracketed > 0
    differs = slope * jnp.sign(search.low_slope) < 0
    # A higher loss: a minimum is bracketed.
    theta, gamma = _cubic(search.low_loss, search.low_slope, low, loss, slope, step)
    gamma = jnp.where(step < low, -gamma, gamma)
    ratio = (gamma - search.low_slope + theta) / (2 * gamma - search.low_slope + slope)
    cubic = low + ratio * (step - low)
    chord = (search.low_loss - loss) / (step - low) + search.low_slope
    quadratic = low + (search.low_slope / chord / 2) * (step - low)
    is_cubic_nearer = jnp.abs(cubic - low) <= jnp.abs(quadratic - low)
    higher = jnp.where(is_cubic_nearer, cubic, cubic + (quadratic - cubic) / 2)
    # A lower loss, and slopes of different signs: a minimum is bracketed as well.
    gamma = jnp.where(step > low, -jnp.abs(gamma), jnp.abs(gamma))
    ratio = (gamma - slope + theta) / (2 * gamma - slope + search.low_slope)
    cubic = step + ratio * (low - step)
    secant = step + (slope / (slope - search.low_slope)) * (low - step)
    turned = jnp.where(jnp.abs(cubic - step) > jnp.abs(secant - step), cubic, secant)
    # A lower loss, and a slope of the same sign that shrinks.
    gamma = _cubic(search.low_loss, search.low_slope, low, loss, slope, step, is_real=False)[1]
    gamma = jnp.where(step > low, -gamma, gamma)
    ratio = (gamma - slope + theta) / (gamma + (search.low_slope - slope) + gamma)
    farthest = jnp.where(step > low, search.largest_step, search.least_step)
    cubic = jnp.where((ratio < 0) & (gamma != 0), step + ratio * (low - step), farthest)
    nearer = jnp.abs(cubic - step) < jnp.abs(secant - step)
    inside = jnp.where(nearer, cubic, secant)
    limit = step + WIDTH_SHRINKAGE * (high - step)
    inside = jnp.where(step > low, jnp.minimum(limit, inside), jnp.maximum(limit, inside))
    outside = jnp.where(nearer, secant, cubic)
    outside = jnp.clip(outside, search.least_step, search.largest_step)
    shrinking = jnp.where(is_bracketed, inside, outside)
    # A lower loss, and a slope of the same sign that does not shrink.
    theta, gamma = _cubic(loss, slope, step, search.high_loss, search.high_slope, high)
    gamma = jnp.where(step > high, -gamma, gamma)
    ratio = (gamma - slope + theta) / (2 * gamma - slope + search.high_slope)
    growing = jnp.where(is_bracketed, step + ratio * (high - step), farthest)

    is_higher = loss > search.low_loss
    shrinks = jnp.abs(slope) < jnp.abs(search.low_slope)
    chosen = jnp.where(shrinks, shrinking, growing)
    chosen = jnp.where(is_higher, higher, jnp.where(differs, turned, chosen))
    bracketed = jnp.where(is_higher | differs, 1.0, search.is_bracketed)
    here = step, loss, slope
    low_end = search.low_step, search.low_loss, search.low_slope
    high_end = search.high_step, search.high_loss, search.high_slope
    highs = [
        jnp.where(is_higher, new, jnp.where(differs, old_low, old_high))
        for new, old_low, old_high in zip(here, low_end, high_end, strict=True)
    ]
    lows = [jnp.where(is_higher, old, new) for new, old in zip(here, low_end, strict=True)]
    return search._replace(
        step=chosen, is_bracketed=bracketed.astype(step.dtype),
        low_step=lows[0], low_loss=lows[1], low_slope=lows[2],
        high_step=highs[0], high_loss=highs[1], high_slope=highs[2],
    )  # fmt: skip


def _cubic(
    loss: jax.Array, slope: jax.Array, step: jax.Array,
    other_loss: jax.Array, other_slope: jax.Array, other_step: jax.Array,
    is_real: bool = True,
) -> tuple[jax.Array, jax.Array]:  # fmt: skip
    """The two numbers of which the minimizers of a cubic through two points are made."""
    theta = 3 * (loss - other_loss) / (other_step - step) + slope + other_slope
    scale = jnp.maximum(jnp.abs(theta), jnp.maximum(jnp.abs(slope), jnp.abs(other_slope)))
    square = (theta / scale) ** 2 - (slope / scale) * (other_slope / scale)
    return theta, scale * jnp.sqrt(square if is_real else jnp.maximum(0.0, square))


def _within_bounds(search: LineSearch, last_step: jax.Array, precision: float) -> LineSearch:
    """Halves an interval that shrinks too slowly, and moves the bounds of the next step."""
    is_bracketed = search.is_bracketed > 0
    low, high = search.low_step, search.high_step
    is_slow = jnp.abs(high - low) >= WIDTH_SHRINKAGE * search.last_width
    step = jnp.where(is_bracketed & is_slow, low + (high - low) / 2, search.step)
    width = jnp.where(is_bracketed, jnp.abs(high - low), search.width)
    last_width = jnp.where(is_bracketed, search.width, search.last_width)
    least, largest = (step + factor * (step - low) for factor in EXTRAPOLATION)
    least = jnp.where(is_bracketed, jnp.minimum(low, high), least)
    largest = jnp.where(is_bracketed, jnp.maximum(low, high), largest)
    step = jnp.clip(step, 0.0, LARGEST_STEP)
    is_useless = (step <= least) | (step >= largest) | (largest - least <= precision * largest)
    step = jnp.where(is_bracketed & is_useless, low, step)
    step = jnp.where(jnp.isfinite(step), step, low + (last_step - low) / 2)
    return search._replace(
        step=step, width=width, last_width=last_width, least_step=least, largest_step=largest
    )


def _where(condition: jax.Array, first: LineSearch, second: LineSearch) -> LineSearch:
    return LineSearch(
        *(jnp.where(condition, a, b).astype(a.dtype) for a, b in zip(first, second, strict=True))
    )
