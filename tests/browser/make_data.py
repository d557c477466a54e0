"""Data for the pages that tests/browser/run looks at: images, named vectors and a table with labels. Usage: make_data.py FOLDER"""
import sys
from pathlib import Path

import numpy as np

folder = Path(sys.argv[1])
random = np.random.default_rng(7)

# Images of 12 x 12: sums of bars.
bars = np.zeros((24, 12, 12), np.float32)
for i in range(12):
    bars[i, i] = bars[12 + i, :, i] = 1
chosen = np.array([random.choice(24, 3, replace=False) for _ in range(900)])
images = bars[chosen].sum(axis=1).reshape(900, 144) + 0.05 * random.standard_normal((900, 144))
np.save(folder / "images.npy", images.astype(np.float32))

# Vectors with names, the first ones hostile.
topics = random.standard_normal((20, 30))
of = random.integers(0, 20, (700, 2))
vectors = topics[of].sum(axis=1) + 0.2 * random.standard_normal((700, 30))
names = [f"word{i}-{a}" for i, a in enumerate(of[:, 0])]
names[:7] = [
    "<script>document.title = 'script ran'</script>",
    "]]><img src=x onerror=\"document.title = 'handler ran'\">",
    "\u202eright to left \u05e9\u05dc\u05d5\u05dd",
    "long" * 2500,
    "\" onmouseover=\"document.title = 'attribute ran'\" & ' </script></bdi>",
    "&lt;b&gt;",
    "</textarea></title></style><!--",
]
vectors[:7] *= 4  # they are among the top samples of their atoms
np.save(folder / "vectors.npy", vectors.astype(np.float32))
(folder / "names.txt").write_text("\n".join(names) + "\n", encoding="utf-8")

# A table with labels.
labels = random.integers(0, 4, 500)
table = 3 * random.standard_normal((4, 11))[labels] + random.standard_normal((500, 11))
np.savetxt(folder / "table.csv", table, delimiter=",", fmt="%.5f")
np.save(folder / "labels.npy", labels)
