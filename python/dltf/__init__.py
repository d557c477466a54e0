"""Dictionary learning for thresholded features, with scikit-learn's interface.

>>> import dltf
>>> dltf.__version__
'0.3.0'
"""
from ._autoencoders import from_gemma_scope, from_saelens, from_sparsify, to_gemma_scope, to_saelens, to_sparsify
from ._cluster import KMeans, LandmarkClustering
from ._dltf import DLTF
from ._encoder import SparseEncoder
from ._evaluate import TopSamples, evaluate, top_samples
from ._functions import certify, denoise
from ._hash import HammingIndex, Hasher
from ._ksvd import KSVD
from ._library import build, version
from ._model import Model
from ._progress import Progress

__version__ = version()
__all__ = ["DLTF", "KSVD", "SparseEncoder", "KMeans", "LandmarkClustering", "Hasher", "HammingIndex", "Model", "Progress",
           "TopSamples",
           "certify", "denoise", "evaluate", "top_samples", "from_gemma_scope", "from_saelens", "from_sparsify",
           "to_gemma_scope", "to_saelens", "to_sparsify", "build", "version"]
