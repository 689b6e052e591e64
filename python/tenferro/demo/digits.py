"""A matrix product state learns to read handwritten digits.

**The data** are the 1,797 images of 8 × 8 pixels that come with scikit-learn; a quarter, the same share of every
digit, is held out and only looked at to draw the curve and to fill in the table.

**The model.** The pixels form a chain, row by row. Pixel i with grey value xᵢ, measured from its mean, enters as
the vector φ(xᵢ) = (1, xᵢ), so that an image is a product state in a space of 2⁶⁴ dimensions. The score of digit c is
its overlap with a matrix product state whose middle tensor carries the digit:

    score_c(x) = vᵀ [∏ᵢ₌₁³² Aᵢ(xᵢ)] T_c [∏ᵢ₌₃₃⁶⁴ Aᵢ(xᵢ)] v,        Aᵢ(x) = Aᵢ⁰ + x Aᵢ¹,

with χ × χ matrices A and T, χ the bond dimension. Aᵢ⁰ starts near the identity and Aᵢ¹ near zero, so that the
product of 64 matrices neither explodes nor dies. The loss is the cross entropy of softmax(score); noise on the
pixels during training keeps the model from learning single images by heart.
"""

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from tqdm import tqdm

import tenferro as tf
from tenferro.demo import plotting
from tenferro.demo.adam import Adam
from tenferro.demo.report import Check, Result

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

PIXELS = 64
CLASSES = 10
REQUIRED_ACCURACY = 0.97


@dataclass(frozen=True)
class Settings:
    bond_dimension: int
    epochs: int = 40
    batch: int = 64
    rate: float = 3e-3
    pixel_noise: float = 0.2
    spread: float = 0.02
    seed: int = 0


@dataclass(frozen=True)
class Data:
    """Grey values from 0 to 1, one image per row."""

    train: Array
    train_labels: Labels
    test: Array
    test_labels: Labels

    @classmethod
    def load(cls, seed: int) -> "Data":
        images, labels = load_digits(return_X_y=True)
        train, test, train_labels, test_labels = train_test_split(
            images / 16.0, labels.astype(np.int64), test_size=0.25, random_state=seed, stratify=labels
        )
        return cls(train, train_labels, test, test_labels)


class Classifier:
    """`parameters` are the 64 site tensors of shape (χ, 2, χ) and the middle one of shape (χ, 10, χ)."""

    def __init__(self, settings: Settings, mean: Array, rng: np.random.Generator) -> None:
        chi = settings.bond_dimension
        self.mean = mean
        self.boundary: Array = np.full((1, chi), 1.0 / np.sqrt(chi))
        self.parameters: list[tf.EagerTensor] = []
        for _ in range(PIXELS):
            site = settings.spread * rng.standard_normal((chi, 2, chi))
            site[:, 0, :] += np.eye(chi)
            self.parameters.append(tf.tensor(site, requires_grad=True))
        middle = settings.spread * rng.standard_normal((chi, CLASSES, chi))
        self.parameters.append(tf.tensor(middle, requires_grad=True))

    def scores(self, images: Array) -> tf.EagerTensor:
        """Shape (images, 10)."""
        centred = images - self.mean
        features = tf.tensor(np.stack([np.ones_like(centred), centred], axis=1))
        left = self._sweep(features, range(PIXELS // 2))
        right = self._sweep(features, range(PIXELS - 1, PIXELS // 2 - 1, -1))
        towards_right = tf.dot_general(left, self.parameters[PIXELS], lhs_contracting=[1], rhs_contracting=[0])
        return (towards_right * right[:, None, :]).sum(axis=2)

    def _sweep(self, features: tf.EagerTensor, sites: range) -> tf.EagerTensor:
        """The boundary vector taken through `sites`, for all images at once: shape (images, χ)."""
        vector = tf.tensor(np.repeat(self.boundary, features.shape[0], axis=0))
        for i in sites:
            both = tf.dot_general(vector, self.parameters[i], lhs_contracting=[1], rhs_contracting=[0])
            vector = (both * features[:, :, i : i + 1]).sum(axis=1)
        return vector

    def loss(self, images: Array, labels: Labels) -> tf.EagerTensor:
        """Mean of log Σ exp(score) − score of the right digit."""
        scores = self.scores(images)
        scores = scores - scores.detach().max(axis=1, keepdims=True)
        right_digit = np.eye(CLASSES)[labels]
        return (scores.exp().sum(axis=1).log() - (scores * right_digit).sum(axis=1)).mean()

    def probabilities(self, images: Array) -> Array:
        with tf.no_grad():
            scores = self.scores(images).numpy()
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@dataclass
class Training:
    model: Classifier
    loss: list[float]
    train_accuracy: list[float]
    test_accuracy: list[float]


def train(data: Data, settings: Settings, show_progress: bool) -> Training:
    rng = np.random.default_rng(settings.seed)
    model = Classifier(settings, data.train.mean(axis=0), rng)
    optimiser = Adam(model.parameters)
    batches = len(data.train) // settings.batch
    steps = settings.epochs * batches
    record = Training(model, [], [], [])
    with tqdm(total=steps, desc="Digits     ", unit="step", disable=not show_progress) as bar:
        for _ in range(settings.epochs):
            losses = []
            order = rng.permutation(len(data.train))
            for chosen in np.split(order[: batches * settings.batch], batches):
                noise = settings.pixel_noise * rng.standard_normal((settings.batch, PIXELS))
                loss = model.loss(data.train[chosen] + noise, data.train_labels[chosen])
                rate = settings.rate * 0.5 * (1.0 + np.cos(np.pi * optimiser.steps / steps))
                optimiser.step(loss.backward(), float(rate))
                losses.append(float(loss))
                bar.update()
            record.loss.append(float(np.mean(losses)))
            record.train_accuracy.append(accuracy(model.probabilities(data.train), data.train_labels))
            record.test_accuracy.append(accuracy(model.probabilities(data.test), data.test_labels))
            bar.set_postfix_str(f"loss {record.loss[-1]:.3f}, held out {record.test_accuracy[-1]:.1%}", refresh=False)
    return record


def accuracy(probabilities: Array, labels: Labels) -> float:
    return float(np.mean(probabilities.argmax(axis=1) == labels))


def draw(data: Data, record: Training, settings: Settings, path: Path) -> Path:
    probabilities = record.model.probabilities(data.test)
    guesses = probabilities.argmax(axis=1)
    fig = plotting.figure(
        11.0, 8.2, f"Handwritten digits read by a matrix product state, bond dimension χ = {settings.bond_dimension}"
    )
    (top,), (bottom,) = fig.subfigures(2, 1, squeeze=False, height_ratios=[1.45, 1.0])
    curve, confusion = top.subplots(1, 2, width_ratios=[1.25, 1.0])

    epochs = np.arange(1, settings.epochs + 1)
    curve.semilogy(epochs, 1.0 - np.array(record.test_accuracy), color=plotting.VERMILION, label="held-out images")
    train_error = np.maximum(1.0 - np.array(record.train_accuracy), 0.5 / len(data.train))
    curve.semilogy(epochs, train_error, color=plotting.BLUE, linestyle="--", label="training images")
    curve.axhline(1.0 - REQUIRED_ACCURACY, color=plotting.GREY, linestyle=":", label="required: 3%")
    plotting.tidy(curve, "epoch", "share of images misread", "Learning curve")
    ticks = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]
    curve.set_yticks(ticks, [f"{t:.1%}".replace(".0%", "%") for t in ticks])
    curve.minorticks_off()
    curve.legend(frameon=False)

    counts = np.zeros((CLASSES, CLASSES), dtype=np.int64)
    np.add.at(counts, (data.test_labels, guesses), 1)
    confusion.imshow(np.sqrt(counts), cmap="Blues")
    for true, row in enumerate(counts):
        for guess, count in enumerate(row):
            if count:
                colour = "white" if true == guess else plotting.VERMILION
                confusion.text(guess, true, str(count), ha="center", va="center", color=colour, fontsize=9)
    right = int(np.sum(guesses == data.test_labels))
    plotting.tidy(confusion, "read as", "true digit", f"Held-out quarter: {right} of {len(guesses)} right")
    confusion.set_xticks(range(CLASSES))
    confusion.set_yticks(range(CLASSES))
    confusion.grid(False)

    shown = examples(guesses, data.test_labels)
    caption = "Held-out images: what was read, and how surely. Orange: misread, the true digit in brackets"
    bottom.suptitle(caption, fontsize=11, x=0.01, ha="left")
    for axes, k in zip(bottom.subplots(2, 10).flat, shown, strict=True):
        axes.imshow(data.test[k].reshape(8, 8), cmap="Greys", vmin=0.0, vmax=1.0)
        axes.set(xticks=[], yticks=[])
        good = guesses[k] == data.test_labels[k]
        text = f"{guesses[k]}" if good else f"{guesses[k]} ({data.test_labels[k]})"
        colour = plotting.BLUE if good else plotting.VERMILION
        axes.set_title(f"{text}  {probabilities[k].max():.0%}", fontsize=9, color=colour)
        for spine in axes.spines.values():
            spine.set_color(colour)
    return plotting.save(fig, path)


def examples(guesses: Labels, labels: Labels) -> list[int]:
    """Positions of one image of every digit that was read right, then of misread ones (filled up to twenty)."""
    right = [int(np.flatnonzero((labels == digit) & (guesses == digit))[0]) for digit in range(CLASSES)]
    wrong = [int(k) for k in np.flatnonzero(guesses != labels)[:CLASSES]]
    rest = [k for k in range(len(labels)) if guesses[k] == labels[k] and k not in right]
    return right + wrong + rest[: CLASSES - len(wrong)]


def run(output: Path, bond_dimension: int = 12, seed: int = 0, show_progress: bool = True) -> Result:
    """Train, draw `digits_mps.png` into the directory `output`, and compare with the required accuracy."""
    start = time.perf_counter()
    settings = Settings(bond_dimension, seed=seed)
    data = Data.load(seed)
    record = train(data, settings, show_progress)
    picture = draw(data, record, settings, output / "digits_mps.png")
    reached = record.test_accuracy[-1]
    check = Check(
        quantity=f"accuracy on {len(data.test)} held-out images",
        found=f"{reached:.2%}",
        known=f"≥ {REQUIRED_ACCURACY:.0%}",
        passed=reached >= REQUIRED_ACCURACY,
    )
    title = f"Handwritten digits, χ = {bond_dimension}"
    return Result(title, [check], picture, time.perf_counter() - start)
