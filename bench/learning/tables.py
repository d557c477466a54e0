"""Columns of the printed tables."""


def number(value, digits, width=8):
    return f"{'-' if value is None else format(value, f'.{digits}f'):>{width}}"


def head(*groups):
    """Names with their widths, as the lines of a table have them."""
    return " ".join(f"{name:>{width}}" for name, width in groups)


SAMPLES = (("data", 15), ("n", 4), ("m", 6), ("k", 3), ("select", 8), ("preprocess", 11))
SHAPE = (("n", 4), ("m", 6), ("k", 3), ("select", 8))


def identity(row, columns):
    return " ".join(f"{row[name]:>{width}}" for name, width in columns)
