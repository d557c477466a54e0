"""Trainings that are killed when they write checkpoints, and resumed: the result has the bytes of an undisturbed run. The clock
advances with every reading, so that checkpoints are due at fixed iterations."""
import signal

import workbench

# Inputs and outputs; other options; standard input, if it is read. What is resumed takes no other options.
TRAININGS = [
    ("train X -o out/m.safetensors --history out/h.csv", "-m 8 -k 2 --encoder tied --steps 60 --iterations 40 --admm 40 --tolerance 0", None),
    ("train X -o out/m.safetensors --history out/h.csv", "-m 8 -k 2 --encoder distilled --steps 30 --polish 20 --finetune 200", None),
    ("train X -o out/m.safetensors", "-m 8 -k 2 --encoder best --steps 40 --polish 10 --finetune 40 --epochs 20", None),
    ("train X -o out/m.safetensors", "-m 8 -k 2 --method ksvd --iterations 100", None),
    ("train X -o out/m.safetensors", "-m 8 -k 2 --method omp --steps 40 --iterations 60", None),
    ("train - --raw 8 -o out/m.safetensors", "-m 8 -k 2", "stream"),
    ("classify train X --labels LABELS -o out/m.safetensors", "--hidden 8 --dropout 0.1 --average 0.9 --epochs 60", None),
    ("cluster X -o out/m.csv --centers out/c.npy", "-c 5 --restarts 20", None),
    ("hash train X -o out/m.safetensors", "--method itq -m 8", None),
    ("hash train X -o out/m.safetensors", "--method sph -m 8", None),
    ("hash train X -o out/m.safetensors", "--method neighbour -m 8", None),
]
CLOCK = {"clock": 1}


class Training:
    def __init__(self, bench, report, files, options, stdin):
        self.bench, self.report, self.files, self.options = bench, report, files, options
        self.stdin = {"stdin": stdin} if stdin else {}
        self.checkpoint = f"{next(word for word in files.split() if word.startswith('out/m.'))}.checkpoint"

    def run(self, resume, fault="", every=1, **more):
        """Fresh or resumed, in the folder as it is."""
        options = f"--resume {self.checkpoint} {'--from-start' if self.stdin else ''}" if resume else self.options
        words = self.bench.words(f"{self.files} {options} -q --checkpoint-every {every}")
        return self.bench.again(words, environment=self.bench.fault(fault, **CLOCK, **more), **self.stdin)

    def exists(self):
        return (self.bench.folder / self.checkpoint).exists()

    def without_checkpoint(self, result, reference):
        name = self.checkpoint.removeprefix("out/")
        if name not in reference.files:
            result.files.pop(name, None)
        return result

    def killed(self, fault, resume=False):
        result = self.run(resume, fault, path=".checkpoint")
        found = workbench.killed(result)
        if result.code != -signal.SIGKILL:
            found.append(f"ended with {result.code}: {result.lines()}")
        self.report(f"{self.files} {self.options}", fault, found)

    def compare(self, result, text, reference):
        self.report(f"{self.files} {self.options}", text, workbench.defects(result, reference))

    def disturb(self, fault, reference):
        """Kills a fresh run, then the resumed one, and resumes that one."""
        self.bench.clear()
        self.killed(fault)
        resume = self.exists()
        if not resume:
            self.report(self.files, fault, ["no checkpoint"])
        self.killed("names:2:after-SIGKILL", resume)
        self.compare(self.run(self.exists()), f"resumed after {fault}", reference)

    def start_again(self, reference):
        """After a kill that leaves a temporary file: without --resume and checkpoints, and after the outputs were deleted."""
        for deletes in (False, True):
            self.bench.clear()
            self.killed("rename:1:SIGKILL")
            if deletes:
                (self.bench.folder / self.checkpoint).unlink()
            result = self.without_checkpoint(self.run(False, every=0), reference)
            self.compare(result, f"fresh run, checkpoint {'deleted' if deletes else 'kept'}", reference)

    def all(self):
        self.bench.clear()
        path = self.bench.folder / "count"
        reference = self.run(False, count=path, path=".checkpoint")
        counts = dict(line.split() for line in path.read_text().splitlines())
        renames = int(counts["rename"])
        self.report(self.files, "without disturbance", workbench.defects(reference) + ([] if reference.code == 0 and renames > 1 else [
            f"ended with {reference.code} after {renames} checkpoints: {reference.lines()}"]))
        for fault in ("link:1:after-SIGKILL", "rename:1:SIGKILL", f"rename:{(renames + 1) // 2}:after-SIGKILL", f"rename:{renames}:SIGKILL"):
            self.disturb(fault, reference)
        self.start_again(reference)
        self.bench.clear()
        self.compare(self.run(False, jump=10**9), "clock jumps", reference)


def run(bench, report):
    (bench.folder / "stream").write_bytes(500 * (bench.folder / bench.files["RAW"]).read_bytes())
    for files, options, stdin in TRAININGS:
        Training(bench, report, files, options, stdin).all()
    return {"trainings": len(TRAININGS)}
