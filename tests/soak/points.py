"""Every use of the workbench with a fault at fixed calls, which are those of an undisturbed run: it ends with the same result
or with one line that names the file at fault, and the run after a kill removes what was left."""
import signal

import workbench

KILLS = 6  # calls that name or write files at which a use is killed
ALLOCATIONS = 10  # that fail
CLOCK = {"clock": 0.001}  # seconds per reading: too few for a checkpoint

# Calls that fail. All are tried at the first and the last call of their kind.
FAILURES = [("fwrite", "ENOSPC"), ("fflush", "EDQUOT"), ("fsync", "EIO"), ("fallocate", "ENOSPC"), ("link", "EIO"), ("mkdir", "EACCES")]
NAMED = "tmpfile:1+:EOPNOTSUPP"  # a file system without unnamed files
# The output folder cannot be written to, for the user or for anyone.
READ_ONLY = [",".join(f"{call}:1+:{error}" for call in ("access", "mkdir", "create")) for error in ("EACCES", "EROFS")]


def spread(total, most):
    """At most `most` numbers from 1 to `total`, with both ends."""
    return range(1, total + 1) if total <= most else [1 + i * (total - 1) // (most - 1) for i in range(most)]


class Points:
    def __init__(self, bench, report):
        self.bench, self.report = bench, report
        self.counts = {"kill -9": 0, "failing calls": 0, "failing allocations": 0, "other signals": 0, "clock jumps": 0}

    def disturbed(self, use, fault, old=None, **more):
        """`old`: a result whose files exist before."""
        self.bench.clear()
        for name, content in old.files.items() if old else ():
            path = self.bench.folder / "out" / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        return self.bench.again(self.bench.words(use), environment=self.bench.fault(fault, **CLOCK, **more))

    def incomplete(self, result, reference):
        """A checkpoint is not among the files of a finished training."""
        return [f"{name} is incomplete" for name in workbench.incomplete(result, reference) if not name.endswith(".checkpoint")]

    def kill(self, use, fault, reference, old):
        self.counts["kill -9"] += 1
        result = self.disturbed(use, fault, old)
        found = workbench.killed(result)
        if result.code != -signal.SIGKILL:
            found.append(f"ended with {result.code}")
        found += self.incomplete(result, reference)
        self.report(use, fault, found)
        result = self.bench.again(self.bench.words(use), environment=self.bench.fault(**CLOCK))
        self.report(use, f"the run after {fault}", workbench.defects(result, reference))

    def kills(self, use, reference, counts):
        """Outputs exist already, so that they are replaced in two calls."""
        naming = 3 * counts["link"] + counts["unlink"]  # each link fails, and is followed by another one and a rename
        for at in spread(naming, KILLS):
            self.kill(use, f"names:{at}:SIGKILL", reference, old=reference)
        for fault in ("fwrite:1:after-SIGKILL", "rename:1:SIGKILL") if counts["fwrite"] else ():
            self.kill(use, f"{NAMED},{fault}", reference, old=None)

    def failures(self, use, reference, counts):
        outputs = {part for name in reference.files for part in name.split("/")}  # a folder may be at fault, too
        faults = [f"{call}:{at}:{error}" for call, error in FAILURES for at in spread(counts[call], 2)]
        faults += [f"{NAMED},fwrite:1:ENOSPC", f"{NAMED},rename:1:EIO"] if counts["fwrite"] else []
        for fault in faults + (READ_ONLY if reference.files else []):
            self.counts["failing calls"] += 1
            result = self.disturbed(use, fault)
            found = workbench.defects(result, reference)
            if result.code == 1 and not any(name in result.lines()[0] for name in outputs):
                found.append(f"names no file: {result.lines()}")
            if result.code == 0:
                found.append("success in spite of a failure")
            self.report(use, fault, found)
        if counts["fsync"]:
            self.report(use, "fsync:1:EINTR", workbench.defects(self.disturbed(use, "fsync:1:EINTR"), reference))

    def allocations(self, use, reference, counts):
        for at in spread(counts["malloc"], ALLOCATIONS):
            self.counts["failing allocations"] += 1
            fault = f"malloc:{at}{'+' if at % 2 else ''}:ENOMEM"
            self.report(use, fault, workbench.defects(self.disturbed(use, fault), reference))

    def signals(self, use, reference, counts):
        for at, number in zip(spread(counts["clock"], 3), (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)):
            self.counts["other signals"] += 1
            result = self.disturbed(use, f"clock:{at}:{number.name}")
            found = workbench.killed(result) if result.code < 0 else workbench.always(result)
            if result.code not in (0, -number, 128 + number):
                found.append(f"ended with {result.code}: {result.lines()[-2:]}")
            found += self.incomplete(result, reference)
            self.report(use, f"clock:{at}:{number.name}", found)

    def use(self, use):
        bench, words = self.bench, self.bench.words(use)
        reference, counts = bench.counts(words, **CLOCK)
        self.report(use, "without disturbance", workbench.defects(reference) + ([f"fails: {reference.lines()}"] if reference.code else []))
        self.kills(use, reference, counts)
        self.failures(use, reference, counts)
        self.allocations(use, reference, counts)
        self.signals(use, reference, counts)
        self.counts["clock jumps"] += 1
        self.report(use, "clock jumps", workbench.defects(self.disturbed(use, "", jump=10**9), reference))


def run(bench, report):
    points = Points(bench, report)
    for use in workbench.USES:
        points.use(use)
    return points.counts
