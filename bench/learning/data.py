"""Data sets: training and held-out samples as they are, without centring.

The generated sets depend on their seed alone. At scale 2 the sets that no constant of the learner was chosen on have
samples of twice the length: `bench/learners --foreign`.
"""
import dataclasses
import gzip
import pathlib

import numpy as np

from learning import ours

FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")
TEST_SHARE = 4  # as many held-out samples as a quarter of the training samples
PREPROCESS = ("none", "center", "remove-mean", "unit-norm")
SELECT = ("abs", "positive")


class Missing(Exception):
    """A data set that is not there."""


@dataclasses.dataclass(frozen=True)
class Request:
    arguments: object
    name: str
    count: int  # of training samples
    scale: int = 1
    seed: int = 0

    @property
    def test_count(self):
        return self.count // TEST_SHARE

    def folder(self, name, remedy):
        """A folder of --data."""
        if not self.arguments.data or not pathlib.Path(self.arguments.data, name).is_dir():
            raise Missing(f"{self.name} is left out: --data must name a folder with {remedy}")
        return pathlib.Path(self.arguments.data, name)


# ---- Files ----

def read_idx(path):
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 28, 28)


def read_digits(folder):
    return (read_idx(folder / f"{name}-images-idx3-ubyte.gz") for name in ("train", "t10k"))


def fashion(request):
    if not FASHION.is_dir():
        raise Missing("fashion-mnist is left out: install dataset-fashion-mnist")
    train, test = read_digits(FASHION)
    return (part[:count].reshape(-1, 28 * 28) for part, count in ((train, request.count), (test, request.test_count)))


def mnist(request):
    """Digits; at scale 2 pairs of random digits side by side."""
    train, test = read_digits(request.folder("mnist", "mnist/*.gz (scripts/fetch-data mnist)"))
    if request.scale == 1:
        return (part[:count].reshape(-1, 28 * 28) for part, count in ((train, request.count), (test, request.test_count)))
    rng = np.random.default_rng(request.seed)
    return (part[rng.integers(len(part), size=(count, request.scale))].transpose(0, 2, 1, 3).reshape(count, -1)
            for part, count in ((train, request.count), (test, request.test_count)))


def cut(image, side, count, rng):
    y, x = rng.integers(image.shape[0] - side + 1, size=count), rng.integers(image.shape[1] - side + 1, size=count)
    return np.stack([image[j:j + side, i:i + side].ravel() for j, i in zip(y, x)])


def patches(request):
    """Training patches from the upper three quarters of each image, held-out ones from the rest."""
    side = int(request.name.split("x")[-1])
    files = sorted(request.folder("images", "images/*.png").glob("*.png"))
    rng, train, test = np.random.default_rng(request.seed), [], []
    for path in files:
        ours.run(request.arguments, "noise", str(path), "--sigma", "0", "-o", "image.npy", "-q")
        image = np.load(request.arguments.scratch + "/image.npy").astype(np.float32)
        image = image if image.ndim == 2 else image.mean(axis=2)
        border = image.shape[0] * 3 // 4
        train.append(cut(image[:border], side, request.count // len(files), rng))
        test.append(cut(image[border:], side, request.test_count // len(files), rng))
    return np.concatenate(train), np.concatenate(test)


def colour_patches(request):
    """8 x 8 colour patches of CIFAR-10, at scale 2 8 x 16; the held-out ones are cut from its test images."""
    folder, rng = request.folder("cifar10", "cifar10/*.bin (scripts/fetch-data cifar10)"), np.random.default_rng(request.seed)
    height, width = 8, 8 * request.scale
    for path, count in ((folder / "data_batch_1.bin", request.count), (folder / "test_batch.bin", request.test_count)):
        if not path.exists():
            raise Missing(f"{request.name} is left out: {path.name} not found: scripts/fetch-data cifar10")
        images = np.fromfile(path, np.uint8).reshape(-1, 3073)[:, 1:].reshape(-1, 3, 32, 32)
        which, y, x = (rng.integers(most, size=count) for most in (len(images), 33 - height, 33 - width))
        yield np.stack([images[i, :, b:b + height, a:a + width].ravel() for i, b, a in zip(which, y, x)])


def synthetic(request):
    ours.run(request.arguments, "synth", "-n", "64", "-m", "128", "-k", "8", "-N", str(request.count), "--noise", "0.1", "-o",
             "synth", "-q")
    train, test = (np.load(f"{request.arguments.scratch}/synth/{name}.npy") for name in ("X", "Xtest"))
    return train, test[:request.test_count]


# ---- Generated data ----

def split(generate, n):
    """A data set of samples that `generate` draws independently of each other."""
    def load(request):
        rows = generate(np.random.default_rng(request.seed), n * request.scale, request.count + request.test_count)
        return rows[:request.count], rows[request.count:]
    return load


def log_normal(rng, n, count):
    """A table of positive, skewed columns of different scales, correlated by n/8 common factors."""
    loadings = rng.standard_normal((n // 8, n)) / np.sqrt(n // 8)
    level, spread = rng.standard_normal(n), rng.uniform(0.3, 1, n)
    logarithm = 0.8 * rng.standard_normal((count, n // 8)) @ loadings + 0.6 * rng.standard_normal((count, n))
    return np.exp(level + spread * logarithm)


def activations(rng, n, count):
    """Second layer of a random rectified network, with samples of a Gaussian mixture as inputs."""
    centers = 2 * rng.standard_normal((64, n // 4))
    values = centers[rng.integers(len(centers), size=count)] + rng.standard_normal((count, n // 4))
    for width in (2 * n, n):
        values = values / np.sqrt((values ** 2).mean())
        weights = rng.standard_normal((values.shape[1], width)) / np.sqrt(values.shape[1])
        values = np.maximum(values @ weights + 0.3 * rng.standard_normal(width), 0)
    return values


def word_vectors(rng, n, count):
    """A mixture with Zipf's frequencies, a decaying spectrum and heavy tails; the mean has two thirds of the energy."""
    centers, spectrum = rng.standard_normal((5 * n, n)), np.arange(1, n + 1) ** -0.5
    frequency = 1 / np.arange(1, len(centers) + 1)
    cluster = rng.choice(len(centers), size=count, p=frequency / frequency.sum())
    tail = np.sqrt(4 / rng.chisquare(4, size=(count, 1)))
    rotation = np.linalg.qr(rng.standard_normal((n, n)))[0]
    values = tail * ((centers[cluster] + 0.7 * rng.standard_normal((count, n))) * spectrum) @ rotation
    values -= values.mean(axis=0)
    direction = rng.standard_normal(n)
    return values + direction / np.linalg.norm(direction) * np.sqrt(2 * (values ** 2).sum() / count)


# ---- All ----

@dataclasses.dataclass(frozen=True)
class Set:
    load: object
    m: int  # one size at several budgets
    k: int
    steps: int  # of PyTorch
    preprocess: str  # as is usual for such data
    samples: int = 20000  # of training
    tuned: bool = False  # constants of the learner were chosen on it; cannot be scaled


SETS = {
    "fashion-mnist": Set(fashion, 1024, 16, 500, "center", tuned=True),
    "patches-12x12": Set(patches, 1024, 10, 1500, "remove-mean", tuned=True),
    "patches-8x8": Set(patches, 256, 8, 1500, "remove-mean", tuned=True),
    "synthetic": Set(synthetic, 128, 8, 1500, "none", tuned=True),
    "cifar10-patches": Set(colour_patches, 1024, 12, 1000, "none"),
    "mnist": Set(mnist, 1024, 16, 500, "none"),
    "log-normal": Set(split(log_normal, 64), 256, 8, 1500, "none", samples=30000),
    "activations": Set(split(activations, 256), 1024, 16, 1000, "none", samples=30000),
    "word-vectors": Set(split(word_vectors, 100), 512, 8, 1500, "none", samples=30000),
}
TUNED = [name for name in SETS if SETS[name].tuned]
FOREIGN = [name for name in SETS if not SETS[name].tuned]


def load(name, arguments, scale=1, seed=0):
    """Training and held-out samples with mean ||x||^2 = 1 over the training samples."""
    count = scale * (arguments.samples or SETS[name].samples)
    train, test = SETS[name].load(Request(arguments, name, count, scale, seed))
    factor = mean_square_factor(train)
    return (np.ascontiguousarray(part * factor, np.float32) for part in (train, test))


def mean_square_factor(X):
    """Scales mean ||x||^2 to 1."""
    return 1 / np.sqrt((X.astype(np.float64) ** 2).sum() / len(X))


def row_norms(X):
    """Norms of the rows, 1 for a row of zeros: `--unit-norm` leaves it as it is."""
    norms = np.sqrt((X.astype(np.float64) ** 2).sum(axis=1, keepdims=True))
    return np.where(norms > 0, norms, 1).astype(np.float32)


def preprocess(how, train, test):
    """What `dltf train --center` (and so on) does to samples before it learns."""
    if how == "center":
        mean = train.mean(axis=0, dtype=np.float64).astype(np.float32)
        return train - mean, test - mean
    if how == "remove-mean":
        return (X - X.mean(axis=1, keepdims=True) for X in (train, test))
    if how == "unit-norm":
        return (X / row_norms(X) for X in (train, test))
    return train, test


def prepare(how, train, test):
    """What the other learners get: the samples as ours sees them, with mean ||x||^2 = 1."""
    parts = list(preprocess(how, train, test))
    factor = mean_square_factor(parts[0])
    return [np.ascontiguousarray(part * factor, np.float32) for part in parts]


def counts(train, test):
    return {"training_samples": len(train), "held_out_samples": len(test)}
