"""Limits of address space, file size and open files: a message, or the same result as without the limit."""
import resource

import workbench

MEGABYTE = 1 << 20


def draw_limit(draw):
    """Enough to start the program."""
    kind = draw.choice(["memory", "file size", "open files"])
    if kind == "memory":
        value = draw.randint(60, 700) * MEGABYTE
        return f"{value >> 20} MB of address space", {resource.RLIMIT_AS: value}
    if kind == "file size":
        value = draw.choice([0, 1, 100, 1000, 5000])
        return f"files of {value} bytes", {resource.RLIMIT_FSIZE: value}
    value = draw.randint(4, 8)
    return f"{value} open files", {resource.RLIMIT_NOFILE: value}


def run(bench, budget, draw, report):
    while budget.next():
        use = draw.choice(workbench.USES)
        words = bench.words(use)
        reference = bench.reference(use, report)
        text, limits = draw_limit(draw)
        result = bench.run(words, limits=limits, environment={"OMP_NUM_THREADS": draw.choice("128")})
        report(use, text, workbench.defects(result, reference))
    return {"resource limits": budget.used}
