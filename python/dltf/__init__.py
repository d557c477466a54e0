"""Dictionary learning for thresholded features, with scikit-learn's interface.

>>> import dltf
>>> dltf.__version__
'0.3.0'
"""
from ._dltf import DLTF
from ._library import build, version
from ._model import Model
from ._progress import Progress

__version__ = version()
__all__ = ["DLTF", "Model", "Progress", "build", "version"]
