"""Sources of numbers in Markdown: comments that name the rows a number was taken from.

A comment stands right below the paragraph, list or table that shows the numbers:

    <!-- from FILE: COLUMN where KEY=VALUE|VALUE, KEY=VALUE: NUMBER NUMBER -->

FILE is a CSV, or a JSON with an array of objects: `rows`, or the one named in FILE#NAME. A value for each alternative is
taken in the order written; exactly one row must match. `min COLUMN` and `max COLUMN` take the smallest and the largest of all
matching rows. Every NUMBER must be the value, rounded to the digits it is written with, and must stand in the block above.
`x100 COLUMN` multiplies, for percent.
"""
import csv
import decimal
import itertools
import json
import re

COMMENT = re.compile(r"<!-- from (?P<file>[^\s:#]+)(?:#(?P<array>\w+))?: (?P<what>.+?)(?: where (?P<where>.+?))?: (?P<numbers>[^:]+?) -->")
TOKEN = re.compile(r"(?<![\w.])[-−]?(?:\d[\d,]*)?\.?\d+(?![\w]|\.\d)")


class Wrong(Exception):
    """A comment that does not fit the results or the text."""


def load(root, name, array):
    path = root / name
    if not path.is_file():
        raise Wrong(f"{name}: not found")
    if path.suffix == ".csv":
        return list(csv.DictReader(path.open()))
    rows = json.loads(path.read_text()).get(array or "rows")
    if not isinstance(rows, list):
        raise Wrong(f"{name}: has no array '{array or 'rows'}'")
    return rows


def plain(value):
    """Values of CSV and JSON as one text: 20 and 20.0 are the same."""
    try:
        return f"{float(value):.12g}"
    except (TypeError, ValueError):
        return str(value)


def selected(rows, comment):
    """The values that a comment names."""
    what = comment["what"].split()
    factor = int(what.pop(0)[1:]) if re.fullmatch(r"x\d+", what[0]) else 1
    pick = {"min": min, "max": max}.get(what[0]) if len(what) == 2 else None
    column = what[-1]
    conditions = [part.strip().partition("=") for part in (comment["where"] or "").split(",") if part.strip()]
    choices = [[(key, value) for value in values.split("|")] for key, _, values in conditions]
    found = []
    for choice in itertools.product(*choices) if not pick else [None]:
        fits = (lambda row: all(plain(row.get(k)) == plain(v) for k, v in choice)) if choice is not None else \
            lambda row: all(any(plain(row.get(k)) == plain(v) for k, v in options) for options in choices)
        values = [row[column] for row in rows if fits(row) and row.get(column) not in (None, "")]
        if not values or (len(values) > 1 and not pick):
            raise Wrong(f"{len(values)} rows of {comment['file']} have a '{column}' where {choice or comment['where']}")
        found.append(factor * (pick(float(v) for v in values) if pick else float(values[0])))
    return found


def rounded(value, text):
    digits = len(text.partition(".")[2])
    exact = decimal.Decimal(repr(value))
    return any(exact.quantize(decimal.Decimal(1).scaleb(-digits), rounding=way) == decimal.Decimal(text)
               for way in (decimal.ROUND_HALF_UP, decimal.ROUND_HALF_EVEN))


def tokens(text):
    return [token.replace(",", "").replace("−", "-") for token in TOKEN.findall(text)]


def blocks(text):
    """Pairs of a block of lines without a blank line, and its first line number. Code, links and generated tables are left out."""
    blank = lambda match: "\n" * match[0].count("\n")
    text = re.sub(r"<!-- [\w-]+: from [\w/]+ -->.*?<!-- end -->|^```.*?^```", blank, text, flags=re.S | re.M)
    text = re.sub(r"(?<=\n\n)(?:    .*\n)+|\[[^]]*\]\([^)]*\)", blank, text)
    line = 1
    for part in re.split(r"(\n{2,})", text):
        if part.strip():
            yield part.lstrip("\n"), line + len(part) - len(part.lstrip("\n"))
        line += part.count("\n")


def check(root, page, complete=False):
    """Sentences about what is wrong. `complete`: every number with a decimal point needs a source."""
    name = page.relative_to(root)
    for block, line in blocks(page.read_text()):
        shown, sourced = tokens(re.sub(r"<!--.*?-->", "", block, flags=re.S)), []
        for text in re.findall(r"<!-- from .*?-->", block, flags=re.S):
            comment = COMMENT.fullmatch(" ".join(text.split()))
            try:
                if not comment:
                    raise Wrong(f"not a source: {text}")
                numbers = tokens(comment["numbers"])
                values = selected(load(root, comment["file"], comment["array"]), comment)
                if len(values) != len(numbers):
                    raise Wrong(f"{len(numbers)} numbers, but {len(values)} values of {comment['file']}")
                for written, value in zip(numbers, values):
                    if not rounded(value, written):
                        raise Wrong(f"{written} is {value:.6g} in {comment['file']}")
                    if written not in shown:
                        raise Wrong(f"{written} is not in the text above its source")
                sourced += numbers
            except Wrong as wrong:
                yield f"{name}:{line}: {wrong}"
        for token in shown if complete else []:
            if "." in token and token not in sourced:
                yield f"{name}:{line}: {token} has no source"
