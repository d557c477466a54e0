"""A noisy image and what remains after denoising. Usage: denoising.py [FOLDER]"""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import dltf

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
y, x = np.mgrid[0:96, 0:96]
clean = 128 + 90 * np.sin(x / 4) * (y > 48) + 60 * np.sign((x - 48) * (y - 30)) * (y <= 48)
noisy = clean + np.random.default_rng(0).normal(scale=25, size=clean.shape)
found = dltf.denoise(noisy)

figure, axes = plt.subplots(1, 2, figsize=(8, 4))
for axis, image, name in zip(axes, (noisy, found), ("noisy", "denoised")):
    error = 10 * np.log10(255**2 / np.mean((image - clean) ** 2))
    axis.imshow(image, cmap="gray", vmin=0, vmax=255)
    axis.set_title(f"{name}, {error:.1f} dB")
    axis.set_axis_off()
figure.savefig(folder / "denoising.png", bbox_inches="tight")
