"""Damaged files through every command that reads them: a message, or a result without values that are not finite."""
import re
import resource
import signal
import struct

import workbench

MEMORY = 2 << 30  # bytes of address space, which no file of a few kilobytes justifies exceeding
PATIENCE = 60  # seconds, for a run and, after Ctrl-C, for its end
FLOATS = [float("nan"), float("inf"), -3e38, 1e-45, 1e20]
NUMBERS = [b"0", b"-1", b"1", b"2147483647", b"4294967296", b"9223372036854775807", b"1e308", b"nan"]


def flip_bits(content, draw, others):
    for _ in range(draw.choice([1, 1, 2, 8])):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    return content


def cut(content, draw, others):
    return content[:draw.randrange(len(content))]


def repeat(content, draw, others):
    first = draw.randrange(len(content))
    return content[:first] + content[first:first + 64] * draw.choice([2, 100]) + content[first:]


def insert_integer(content, draw, others):
    at, value = draw.randrange(len(content)), draw.choice([0, 1, 0x7fffffff, 0xffffffff, 0x10000])
    content[at:at + 4] = struct.pack(draw.choice("<>") + "I", value)
    return content


def insert_floats(content, draw, others):
    for _ in range(draw.choice([1, 10, 1000])):
        at = max(0, (len(content) - draw.randrange(len(content)) // 4 * 4) - 4)
        content[at:at + 4] = struct.pack("<f", draw.choice(FLOATS))
    return content


def replace_number(content, draw, others):
    """A number in text, such as a header."""
    places = list(re.finditer(rb"\d+", content))
    if not places:
        return content
    place = draw.choice(places)
    return content[:place.start()] + draw.choice(NUMBERS) + content[place.end():]


def splice(content, draw, others):
    other = draw.choice(others)
    return content[:draw.randrange(len(content))] + other[draw.randrange(len(other)):]


def noise(content, draw, others):
    return bytearray(draw.randbytes(draw.choice([0, 1, 100, 5000])))


MUTATIONS = [flip_bits, flip_bits, cut, repeat, insert_integer, insert_floats, replace_number, splice, noise]


class Hostile:
    """`memory`: whether the address space may be limited, which a sanitizer does not survive."""

    def __init__(self, bench, report, memory=True):
        self.bench, self.report, self.limits = bench, report, {resource.RLIMIT_AS: MEMORY} if memory else None
        self.contents = {name: (bench.folder / path).read_bytes() for name, path in bench.files.items()
                         if (bench.folder / path).is_file()}
        self.others = list(self.contents.values())
        (bench.folder / "hostile").mkdir(exist_ok=True)

    def inputs(self, use):
        return [word for word in use.split() if word in self.contents]

    def damage(self, use, name, mutate, draw):
        """A run with one input damaged."""
        bench, path = self.bench, f"hostile/{self.bench.files[name].rpartition('/')[2]}"
        (bench.folder / path).write_bytes(mutate(bytearray(self.contents[name]), draw, self.others))
        bench.clear()
        result = bench.finish(bench.start(bench.words(use, {name: path}), limits=self.limits), PATIENCE)
        # The number of iterations may have grown.
        long = result.code == 128 + signal.SIGINT
        found = workbench.always(result) if long else workbench.defects(result)
        if found:
            found.append(f"input {bench.keep(path)}")
        self.report(use, f"{name} with {mutate.__name__}", found)


def run(bench, budget, draw, report):
    hostile = Hostile(bench, report)
    uses = [use for use in workbench.USES if hostile.inputs(use)]
    while budget.next():
        use = draw.choice(uses)
        hostile.damage(use, draw.choice(hostile.inputs(use)), draw.choice(MUTATIONS), draw)
    return {"hostile files": budget.used}
