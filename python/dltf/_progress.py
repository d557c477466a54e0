"""Progress and interruption of calls into the library.

The library calls back some times a second, on the thread that called it. An exception cannot pass through the library:
a :class:`Reporter` keeps it, cancels the call, and lets the caller raise it again. Python runs signal handlers when a
callback is entered, before any `try` in it; so a handler of our own only notes Ctrl-C, and the handler of the user, which
raises KeyboardInterrupt, runs after the call.
"""
from __future__ import annotations

import signal
import sys
import threading
from typing import Any, Callable, NamedTuple, Optional

from ._declarations import REPORT
from ._library import lib

__all__ = ["Progress", "Reporter", "make_reporter"]

NO_REPORT = REPORT(0)  # a null pointer


class Progress(NamedTuple):
    """What a callback is told."""

    task: str
    """What is being done: ``"learning"``, ``"encoding"``, ..."""
    done: int
    """Units of work, of ``total``."""
    total: int
    """0 if unknown until the end."""
    stage: str
    """Of a learner: the newest record of its history; ``""`` before the first."""
    iteration: int
    """Its index within the stage; -1 before the first."""
    error: float
    """Relative error of that record, or NaN."""


class Reporter:
    """A callback of the library: calls ``callback(Progress)``, whose true result cancels."""

    def __init__(self, callback: Optional[Callable[[Progress], Any]] = None):
        self.callback = callback
        self.exception: Optional[BaseException] = None
        self.handler: Any = None  # of SIGINT, while ours replaces it
        self.interrupted = False
        self.function = REPORT(self._report)

    def _report(self, _context, task, done, total, stage, index, error, _state) -> int:
        if self.interrupted:
            return 1
        if self.callback is None or not task:
            return 0
        try:
            return int(bool(self.callback(Progress(task.decode(), done, total, stage.decode(), index, error))))
        except BaseException as exception:
            self.exception = exception
            return 1

    def _note_interrupt(self, _number, _frame) -> None:
        self.interrupted = True

    def __enter__(self) -> Reporter:
        if threading.current_thread() is threading.main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self.handler = signal.signal(signal.SIGINT, self._note_interrupt)
        lib.dltf_bind_watch(self.function, None)
        return self

    def __exit__(self, *_error) -> None:
        lib.dltf_bind_watch(NO_REPORT, None)
        if self.handler is not None:
            signal.signal(signal.SIGINT, self.handler)

    def kept(self) -> Optional[BaseException]:
        """What was raised within the callback, or is raised by the handler of a signal that came meanwhile."""
        exception, self.exception = self.exception, None
        if self.interrupted:
            self.interrupted = False
            try:
                self.handler(signal.SIGINT, None)
            except BaseException as raised:
                exception = raised
        return exception


class TextBar:
    """Progress as a line of text on standard error, rewritten at most once per percent."""

    def __init__(self) -> None:
        self.shown = -1

    def __call__(self, progress: Progress) -> None:
        percent = 100 * progress.done // progress.total if progress.total else 0
        if percent == self.shown:
            return
        self.shown = percent
        error = f", error {progress.error:.4f}" if progress.error == progress.error else ""
        print(f"\r{progress.task} {percent:3d}% {progress.stage}{error}   ", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.shown >= 0:
            print(file=sys.stderr)


class TqdmBar:
    """The same by tqdm."""

    def __init__(self, tqdm) -> None:
        self.bar = tqdm(total=None, file=sys.stderr)

    def __call__(self, progress: Progress) -> None:
        self.bar.total = progress.total or None
        self.bar.set_description(f"{progress.task} {progress.stage}".strip(), refresh=False)
        self.bar.update(max(progress.done - self.bar.n, 0))

    def close(self) -> None:
        self.bar.close()


def make_bar():
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return TextBar()
    return TqdmBar(tqdm)


class BarReporter(Reporter):
    """Shows a progress bar, and calls the callback of the user."""

    def __init__(self, callback=None):
        self.bar, self.wanted = make_bar(), callback
        super().__init__(self.show)

    def show(self, progress: Progress):
        self.bar(progress)
        return self.wanted(progress) if self.wanted else None

    def __exit__(self, *error) -> None:
        self.bar.close()
        super().__exit__(*error)


def make_reporter(callback=None, verbose=0) -> Reporter:
    return BarReporter(callback) if verbose else Reporter(callback)
