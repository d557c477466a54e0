"""Error against CPU time as SVG."""
import math
import pathlib

from learning.store import save

COLOURS = {("dltf", "abs"): "#0b6e99", ("dltf", "positive"): "#5aa9c9", ("torch", "abs"): "#c0392b",
           ("torch", "positive"): "#e08e7b", ("sklearn", "abs"): "#6b7a1e"}
LEFT, TOP, WIDTH, HEIGHT = 60, 40, 520, 300
FIGURE_ATOMS = 512  # with more, the older learners are too slow


def series(row):
    return row["learner"], row["select"]


class Axes:
    def __init__(self, rows):
        seconds, errors = [r["cpu_seconds"] for r in rows], [r[key] for r in rows for key in ("raw_error", "refit_error")]
        self.span = [(math.log10(min(v)) - 0.05, math.log10(max(v)) + 0.05) for v in (seconds, errors)]

    def x(self, value):
        return LEFT + WIDTH * (math.log10(value) - self.span[0][0]) / (self.span[0][1] - self.span[0][0])

    def y(self, value):
        return TOP + HEIGHT * (self.span[1][1] - math.log10(value)) / (self.span[1][1] - self.span[1][0])

    def ticks(self, axis):
        steps = [s * 10 ** e for e in range(-5, 6) for s in (1, 1.5, 2, 3, 5, 7)]
        return [s for s in steps if self.span[axis][0] <= math.log10(s) <= self.span[axis][1]]

    def draw(self):
        for tick in self.ticks(0):
            yield f'<path d="M{self.x(tick):.1f} {TOP}v{HEIGHT}" stroke="#ddd"/>'
            yield f'<text x="{self.x(tick):.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{tick:g}</text>'
        for tick in self.ticks(1):
            yield f'<path d="M{LEFT} {self.y(tick):.1f}h{WIDTH}" stroke="#ddd"/>'
            yield f'<text x="{LEFT - 6}" y="{self.y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        yield f'<text x="{LEFT + WIDTH / 2}" y="{TOP + HEIGHT + 38}" text-anchor="middle">CPU seconds of training</text>'


def curve(axes, rows, place):
    """Solid: after refit, dashed: raw."""
    colour, name = COLOURS[series(rows[0])], " ".join(series(rows[0]))
    rows = sorted(rows, key=lambda r: r["cpu_seconds"])
    for key, dash in (("raw_error", ' stroke-dasharray="5 4"'), ("refit_error", "")):
        points = " ".join(f"{axes.x(r['cpu_seconds']):.1f},{axes.y(r[key]):.1f}" for r in rows)
        yield f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
        for point in points.split():
            yield '<circle cx="{}" cy="{}" r="3" fill="{}"/>'.format(*point.split(","), colour)
    yield f'<text x="{LEFT + WIDTH - 8}" y="{TOP + 18 + 16 * place}" text-anchor="end" fill="{colour}">{name}</text>'


def figure(rows, name):
    first, axes = rows[0], Axes(rows)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{TOP + HEIGHT + 50}" '
           'font-family="sans-serif" font-size="12">')
    yield '<rect width="100%" height="100%" fill="white"/>'
    yield f'<text x="{LEFT}" y="20" font-size="14">{name}, n = {first["n"]}, m = {first["m"]}, k = {first["k"]}</text>'
    yield from axes.draw()
    for place, which in enumerate(dict.fromkeys(map(series, rows))):
        yield from curve(axes, [row for row in rows if series(row) == which], place)
    yield f'<text x="{LEFT + WIDTH}" y="20" text-anchor="end">relative error: after refit solid, raw dashed</text>'
    yield "</svg>"


def draw(rows, folder):
    """Data sets with a large dictionary, in the first preprocessing that the rows have. Diverged runs are left out."""
    for name in dict.fromkeys(row["data"] for row in rows if row["m"] > FIGURE_ATOMS):
        mine = [row for row in rows if row["data"] == name and row["raw_error"] is not None]
        mine = [row for row in mine if row["preprocess"] == mine[0]["preprocess"]]
        save(pathlib.Path(folder, f"learners-{name}.svg"), "\n".join(figure(mine, name)) + "\n")
