"""Ground state of the critical transverse-field Ising chain by gradient descent on a matrix product state.

    H = −Σ σᶻⱼσᶻⱼ₊₁ − Σ σˣⱼ        (N sites, open ends)

**The state.** A matrix product state of bond dimension χ in the form C₁ λ₁⁻¹ C₂ λ₂⁻¹ … C_N, where λⱼ holds the
Schmidt values of bond j. To its left every pair Cⱼλⱼ⁻¹ is an isometry, to its right every λⱼ⁻¹Cⱼ₊₁ is one, so the
squared norm of a change of any single Cⱼ is just ‖δCⱼ‖²: in these coordinates the metric of the state is the
identity, site by site, and L-BFGS needs hundreds of steps where it needs thousands for plain tensors. The λⱼ stay
fixed during a round of L-BFGS and are computed anew between rounds, where χ also grows.

**The energy** ⟨ψ|H|ψ⟩/⟨ψ|ψ⟩ comes from one sweep with a matrix product operator of three channels: 0 (no term has
begun), 1 (−σᶻ waits for its partner), 2 (a term is complete). Channel 0 of the result is the norm. The sweep and
its gradient are tenferro's; NumPy does the gauge changes, which are not differentiated.

**The known answer** is derived in `Majorana` below.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import OptimizeResult, minimize
from tqdm import tqdm

import tenferro as tf
from tenferro.demo import plotting
from tenferro.demo.report import Check, Result

Array = npt.NDArray[np.float64]

SIGMA_X = np.array([[0.0, 1.0], [1.0, 0.0]])
SIGMA_Z = np.array([[1.0, 0.0], [0.0, -1.0]])
STEPS_PER_ROUND = 60
REQUIRED_ERROR = 1e-7
REQUIRED_DEVIATION = 1e-5


class Majorana:
    """The exact solution: half-filled free fermions.

    With the strings Pⱼ = Πₖ₍ₖ<ⱼ₎ σˣₖ the operators aⱼ = Pⱼσᶻⱼ and bⱼ = Pⱼσʸⱼ are Hermitian, square to one and
    anticommute. From σᶻσʸ = −iσˣ and σʸσˣ = −iσᶻ follow σˣⱼ = i aⱼbⱼ and σᶻⱼσᶻⱼ₊₁ = i bⱼaⱼ₊₁ = −i aⱼ₊₁bⱼ, thus

        H = −i Σ aⱼ Mⱼₖ bₖ,      M = 1 on the diagonal, −1 just below it.

    The singular value decomposition M = U diag(σ) Vᵀ turns this into −Σ σₘ (i ãₘb̃ₘ), N independent modes, each
    with i ãₘb̃ₘ = ±1. The ground state has +1 in all of them (half of the 2N levels ±σₘ are filled):

        E = −Σ σₘ,      ⟨i aⱼbₖ⟩ = (U Vᵀ)ⱼₖ.

    Strings of the first l sites do not leave them, so that block is a Gaussian state of its own, and the singular
    values ν of the l × l corner of U Vᵀ give its entropy: each mode is filled with probability (1 + ν)/2.
    """

    def __init__(self, sites: int) -> None:
        u, sigma, vh = np.linalg.svd(np.eye(sites) - np.eye(sites, k=-1))
        self.energy: float = -float(np.sum(sigma))
        self.entropy: Array = np.array([self._block_entropy((u @ vh)[:l, :l]) for l in range(1, sites)])

    @staticmethod
    def _block_entropy(correlation: Array) -> float:
        nu = np.clip(np.linalg.svd(correlation, compute_uv=False), 0.0, 1.0)
        return shannon(np.concatenate([(1.0 + nu) / 2.0, (1.0 - nu) / 2.0]))


def shannon(probabilities: Array) -> float:
    """−Σ p ln p, in nats."""
    p = probabilities[probabilities > 0.0]
    return -float(np.sum(p * np.log(p)))


def hamiltonian() -> Array:
    """The operator of one site, indexed [channel in, channel out, spin in, spin out]."""
    w = np.zeros((3, 3, 2, 2))
    w[0, 0] = w[2, 2] = np.eye(2)
    w[0, 1], w[1, 2] = -SIGMA_Z, SIGMA_Z
    w[0, 2] = -SIGMA_X
    return w


def energy(tensors: list[tf.EagerTensor], site_operator: tf.EagerTensor) -> tf.EagerTensor:
    """⟨ψ|H|ψ⟩/⟨ψ|ψ⟩ of the state with tensors[j] of shape (left bond, spin, right bond)."""
    environment = tf.tensor(np.array([1.0, 0.0, 0.0]).reshape(1, 3, 1))
    for tensor in tensors:
        # [bra, channel, ket] → [channel, ket, spin, bra] → [ket, bra, channel, spin] → [bra, channel, ket]
        part = tf.dot_general(environment, tensor, lhs_contracting=[0], rhs_contracting=[0])
        part = tf.dot_general(part, site_operator, lhs_contracting=[0, 2], rhs_contracting=[0, 2])
        environment = tf.dot_general(part, tensor, lhs_contracting=[0, 3], rhs_contracting=[0, 1])
    return environment[0, 2, 0] / environment[0, 0, 0]


@dataclass
class CentreForm:
    """Tensors C₁ … C_N and Schmidt values λ₁ … λ_{N−1} of a normalized state."""

    centres: list[Array]
    schmidt: list[Array]

    @classmethod
    def of(cls, tensors: list[Array]) -> "CentreForm":
        tensors = list(tensors)
        for j in range(len(tensors) - 1, 0, -1):
            left, spin, right = tensors[j].shape
            q, r = np.linalg.qr(tensors[j].reshape(left, spin * right).T)
            tensors[j] = q.T.reshape(-1, spin, right)
            tensors[j - 1] = np.tensordot(tensors[j - 1], r.T, axes=1)
        tensors[0] = tensors[0] / np.linalg.norm(tensors[0])
        schmidt = []
        for j in range(len(tensors) - 1):
            left, spin, right = tensors[j].shape
            u, s, vh = np.linalg.svd(tensors[j].reshape(left * spin, right), full_matrices=False)
            tensors[j] = (u * s).reshape(left, spin, -1)
            tensors[j + 1] = np.tensordot(s[:, None] * vh, tensors[j + 1], axes=1)
            schmidt.append(s)
        return cls(tensors, schmidt)

    def inverse_weights(self, floor: float) -> list[Array]:
        """1/λ, kept below 1/floor, for every site (the last one has no bond to its right)."""
        return [1.0 / np.hypot(s, floor) for s in self.schmidt] + [np.ones(1)]


def bond_dimensions(sites: int, largest: int) -> list[int]:
    return [min(largest, 2**j, 2 ** (sites - j)) for j in range(sites + 1)]


def enlarged(tensors: list[Array], largest: int, noise: float, rng: np.random.Generator) -> list[Array]:
    """The same state with bonds of up to `largest`, the new entries small and random."""
    bonds = bond_dimensions(len(tensors), largest)
    result = []
    for j, old in enumerate(tensors):
        new = noise * rng.standard_normal((bonds[j], 2, bonds[j + 1]))
        new[: old.shape[0], :, : old.shape[2]] += old
        result.append(new)
    return result


@dataclass
class Descent:
    """What one run found: relative error of the energy and χ after every step, and the final state."""

    errors: list[float]
    dimensions: list[int]
    state: CentreForm
    energy: float


@dataclass(frozen=True)
class Round:
    """χ, the floor under the Schmidt values, and the size of the random entries of new bonds."""

    bond_dimension: int
    floor: float
    noise: float


def schedule(bond_dimension: int) -> list[Round]:
    """χ doubles up to the wanted one; at each χ a careful round, then one that trusts small Schmidt values more."""
    doubling = [2**k for k in range(1, bond_dimension.bit_length()) if 2**k < bond_dimension]
    return [
        plan
        for chi in [*doubling, bond_dimension]
        for plan in (Round(chi, 1.0 / chi**3, 0.1 / chi**3), Round(chi, 0.1 / chi**3, 0.0))
    ]


def descend(sites: int, bond_dimension: int, seed: int, exact: float, show_progress: bool) -> Descent:
    """From the product state with every spin along x to the ground state."""
    rng = np.random.default_rng(seed)
    operator = tf.tensor(hamiltonian())
    tensors = [np.full((1, 2, 1), np.sqrt(0.5)) for _ in range(sites)]
    plan = schedule(bond_dimension)
    errors: list[float] = []
    dimensions: list[int] = []
    lowest = np.inf
    with tqdm(total=len(plan) * STEPS_PER_ROUND, desc="Ising chain", unit="step", disable=not show_progress) as bar:
        for done, this in enumerate(plan, start=1):
            state = CentreForm.of(enlarged(tensors, this.bond_dimension, this.noise, rng))
            weights = state.inverse_weights(this.floor)

            def after_step(value: float, chi: int = this.bond_dimension) -> None:
                errors.append((value - exact) / abs(exact))
                dimensions.append(chi)
                bar.set_postfix_str(f"χ = {chi}, relative error {errors[-1]:.1e}", refresh=False)
                bar.update()

            lowest, centres = lower_energy(state.centres, weights, operator, after_step)
            tensors = [c * w for c, w in zip(centres, weights, strict=True)]
            bar.update(done * STEPS_PER_ROUND - bar.n)
    return Descent(errors, dimensions, CentreForm.of(tensors), lowest)


def lower_energy(
    centres: list[Array],
    weights: list[Array],
    operator: tf.EagerTensor,
    after_step: Callable[[float], None],
) -> tuple[float, list[Array]]:
    """One round of L-BFGS over all centre tensors at once."""
    shapes = [c.shape for c in centres]
    ends = np.cumsum([c.size for c in centres])[:-1]

    def unpack(flat: Array) -> list[Array]:
        return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes, strict=True)]

    def energy_and_gradient(flat: Array) -> tuple[float, Array]:
        leaves = [tf.tensor(part, requires_grad=True) for part in unpack(flat)]
        value = energy([leaf * w for leaf, w in zip(leaves, weights, strict=True)], operator)
        gradients = value.backward()
        return float(value), np.concatenate([gradients[leaf].numpy().ravel() for leaf in leaves])

    def report(intermediate_result: OptimizeResult) -> None:
        after_step(float(intermediate_result.fun))

    found = minimize(
        energy_and_gradient,
        np.concatenate([c.ravel() for c in centres]),
        jac=True,
        method="L-BFGS-B",
        callback=report,
        options={"maxiter": STEPS_PER_ROUND, "maxfun": 10**6, "maxcor": 20, "ftol": 1e-15, "gtol": 1e-9},
    )
    return float(found.fun), unpack(np.asarray(found.x))


def draw(descent: Descent, entropy: Array, exact: Majorana, path: Path) -> Path:
    sites = len(entropy) + 1
    fig = plotting.figure(11.0, 4.8, f"Critical transverse-field Ising chain, N = {sites}, open ends")
    error, profile = fig.subplots(1, 2, width_ratios=[1.25, 1.0])

    steps = np.arange(1, len(descent.errors) + 1)
    dimensions = np.array(descent.dimensions)
    colours = [plotting.SKY, plotting.GREEN, plotting.ORANGE, plotting.BLUE]
    for k, chi in enumerate(np.unique(dimensions)):
        here = dimensions == chi
        colour = colours[k % len(colours)]
        error.semilogy(steps[here], np.array(descent.errors)[here], color=colour, linewidth=1.8)
        error.annotate(
            f"χ = {chi}",
            (float(steps[here].mean()), 0.97),
            xycoords=("data", "axes fraction"),
            ha="center",
            va="top",
            color=colour,
            fontweight="bold",
        )
        if k:
            error.axvline(float(steps[here][0]), color="#CCCCCC", linewidth=0.8)
    error.axhline(REQUIRED_ERROR, color=plotting.GREY, linestyle=":")
    error.text(
        steps[-1], REQUIRED_ERROR * 1.4, "required: below $10^{-7}$", ha="right", va="bottom", color=plotting.GREY
    )
    error.set_ylim(top=3.0)
    plotting.tidy(error, "L-BFGS step", "relative error of the energy", "Energy, measured from that of free fermions")

    cuts = np.arange(1, sites)
    chord = np.log(2.0 * sites / np.pi * np.sin(np.pi * cuts / sites)) / 12.0
    offset = exact.entropy[sites // 2 - 1] - chord[sites // 2 - 1]
    law = r"$\frac{1}{12}\,\ln[\frac{2N}{\pi}\sin\frac{\pi \ell}{N}]$ + const. (conformal, c = ½)"
    profile.plot(cuts, chord + offset, color=plotting.ORANGE, linestyle="--", label=law)
    profile.plot(cuts, exact.entropy, color=plotting.BLACK, linewidth=1.2, label="free fermions, exact")
    profile.plot(cuts, entropy, "o", color=plotting.BLUE, markersize=5.5, label="matrix product state")
    profile.set_ylim(0.0, 1.08 * float(exact.entropy.max()))
    profile.set_xticks(range(0, sites + 1, max(1, sites // 5)))
    profile.legend(frameon=False, loc="lower center")
    plotting.tidy(profile, "sites left of the cut, ℓ", "entanglement entropy (nats)", "Entanglement profile")
    return plotting.save(fig, path)


def run(output: Path, bond_dimension: int = 16, seed: int = 0, show_progress: bool = True, sites: int = 20) -> Result:
    """Find the ground state, draw `tfim_mps.png` into the directory `output`, and compare with the exact solution."""
    start = time.perf_counter()
    exact = Majorana(sites)
    descent = descend(sites, bond_dimension, seed, exact.energy, show_progress)
    entropy = np.array([shannon(s**2) for s in descent.state.schmidt])
    picture = draw(descent, entropy, exact, output / "tfim_mps.png")
    error = abs(descent.energy - exact.energy) / abs(exact.energy)
    deviation = float(np.max(np.abs(entropy - exact.entropy)))
    small, close = error < REQUIRED_ERROR, deviation < REQUIRED_DEVIATION
    checks = [
        Check("ground-state energy", f"{descent.energy:.12f}", f"{exact.energy:.12f}", small),
        Check("its relative error", f"{error:.1e}", f"< {REQUIRED_ERROR:.0e}", small),
        Check("largest error of the entropy, nats", f"{deviation:.1e}", f"< {REQUIRED_DEVIATION:.0e}", close),
    ]
    title = f"Critical Ising chain, N = {sites}, χ = {bond_dimension}"
    return Result(title, checks, picture, time.perf_counter() - start)
