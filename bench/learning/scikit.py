"""scikit-learn's MiniBatchDictionaryLearning, with codes of orthogonal matching pursuit."""
import time
import warnings

import numpy as np

from learning import measures

# Larger dictionaries would take many minutes. The penalty is tried in short runs.
MOST_ATOMS, ALPHAS, EPOCHS, BATCH = 256, (0.05, 0.1, 0.2), 10, 256


def train(X, m, k, alpha, epochs):
    from sklearn.decomposition import MiniBatchDictionaryLearning
    warnings.simplefilter("ignore")  # codes that have not converged within its limit of iterations
    begin = time.process_time()
    learner = MiniBatchDictionaryLearning(m, alpha=alpha, max_iter=epochs, batch_size=BATCH, random_state=0, tol=0,
                                          max_no_improvement=None, fit_algorithm="cd", transform_algorithm="omp",
                                          transform_n_nonzero_coefs=k)
    return learner.fit(X), time.process_time() - begin


def error(learner, test):
    """Of codes of orthogonal matching pursuit, whose values are least squares already; and these codes."""
    Z = learner.transform(test)
    return ((test - Z @ learner.components_) ** 2).sum(dtype=np.float64), Z


def rows(X, test, m, k):
    few, tuning, found = X[:len(X) // 10], 0.0, {}
    for alpha in ALPHAS:
        learner, seconds = train(few, m, k, alpha, 1)
        found[alpha], tuning = error(learner, test[:len(test) // 5])[0], tuning + seconds
    alpha = min(found, key=found.get)
    learner, seconds = train(X, m, k, alpha, EPOCHS)
    left, Z = error(learner, test)
    used = (Z != 0).any(axis=0) | (learner.transform(X) != 0).any(axis=0)
    yield {"learner": "sklearn", "budget": f"{EPOCHS} epochs", "samples_seen": EPOCHS * len(X), "cpu_seconds": seconds,
           "us_per_sample": 1e6 * seconds / (EPOCHS * len(X)), **measures.shares(left, left, test),
           "entries": (Z != 0).sum(axis=1).mean(), "unused": 1 - used.mean(), "alpha": alpha, "tuning_cpu_seconds": tuning}
