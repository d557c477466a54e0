"""A fitted estimator as HTML: parameters, atoms, convergence. Without JavaScript and without other packages."""
from __future__ import annotations

import base64
import html
import struct
import zlib
from typing import Any, Optional

import numpy as np

__all__ = ["describe", "tiles"]

MOST_ATOMS = 64


def tiles(atoms: np.ndarray, columns: int = 16) -> Optional[np.ndarray]:
    """Atoms of square images as one picture of bytes, zero in mid-gray; None if they are not squares."""
    side = round(atoms.shape[1] ** 0.5)
    if side * side != atoms.shape[1] or side < 2:
        return None
    columns = min(columns, len(atoms))
    rows = -(-len(atoms) // columns)
    picture = np.full((rows * (side + 1) - 1, columns * (side + 1) - 1), 255, np.uint8)
    for i, atom in enumerate(atoms):
        top, left = i // columns * (side + 1), i % columns * (side + 1)
        peak = np.abs(atom).max() or 1
        picture[top:top + side, left:left + side] = np.rint(127.5 + 127.5 * atom.reshape(side, side) / peak)
    return picture


def png(picture: np.ndarray) -> bytes:
    """A gray image as PNG."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    height, width = picture.shape
    lines = b"".join(b"\0" + row.tobytes() for row in picture)
    header = struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def curve(values: np.ndarray, width: int = 320, height: int = 80) -> str:
    """Values against their index, as SVG; those that are not finite are left out."""
    index = np.flatnonzero(np.isfinite(values))
    if len(index) < 2:
        return ""
    x = width * index / index[-1]
    span = np.ptp(values[index]) or 1
    y = height * (1 - (values[index] - values[index].min()) / span)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
    return (f'<svg width="{width}" height="{height + 4}" viewBox="0 -2 {width} {height + 4}">'
            f'<polyline points="{points}" fill="none" stroke="currentColor"/></svg>')


def describe(estimator: Any) -> str:
    """The representation in a notebook."""
    found = estimator.model_.get()
    text = f"{found['m']} atoms of {found['n']} entries, k = {found['k']}"
    parts = [f"<b>{html.escape(repr(estimator))}</b><br>{text}"]
    picture = tiles(found["dictionary"][:MOST_ATOMS])
    if picture is not None:
        data = base64.b64encode(png(picture)).decode()
        style = f"width:{2 * picture.shape[1]}px;image-rendering:pixelated"
        parts.append(f'<br><img alt="atoms" style="{style}" src="data:image/png;base64,{data}">')
    history = getattr(estimator, "history_", None)
    if history is not None:
        error = history["relative_error"]
        parts.append(f"<br>relative error, {len(error)} iterations<br>{curve(error)}")
    return f"<div>{''.join(parts)}</div>"
