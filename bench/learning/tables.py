"""Columns of the printed tables."""


def number(value, digits, width):
    return f"{'-' if value is None else format(value, f'.{digits}f'):>{width}}"


def head(identity, columns, width=8):
    names = [f"{name:>{wide}}" for name, wide in identity] + [f"{name:>{width}}" for _, name, _ in columns]
    return " ".join(names)


def line(row, identity, columns, width=8):
    """identity: keys with their widths; columns: keys, names and decimals of numbers, which a row may lack."""
    names = [f"{row[key]:>{wide}}" for key, wide in identity]
    return " ".join(names + [number(row.get(key), digits, width) for key, _, digits in columns])


SAMPLES = (("data", 15), ("n", 4), ("m", 6), ("k", 3), ("select", 8), ("preprocess", 11))
SHAPE = (("n", 4), ("m", 6), ("k", 3), ("select", 8))
