"""Signals at random moments. What is left is complete, and an interrupted training that is resumed, as often as it takes,
ends with the same bytes."""
import signal
import time

import workbench

# Commands that can be resumed: their inputs and outputs, and the rest.
TRAININGS = [
    ("train BIG -q --checkpoint-every 0.02 -o out/m.safetensors --history out/h.csv",
     "-m 16 -k 3 --encoder tied --steps 200 --iterations 100 --admm 100 --tolerance 0"),
    ("train BIG -q --checkpoint-every 0.02 -o out/m.safetensors --history out/h.csv",
     "-m 16 -k 3 --encoder best --steps 200 --polish 20 --finetune 100 --epochs 4"),
    ("train BIG -q --checkpoint-every 0.02 -o out/m.safetensors", "-m 16 -k 3 --method ksvd --iterations 30"),
    ("classify train BIG --labels BIGLABELS -q --checkpoint-every 0.02 -o out/m.safetensors --history out/h.csv",
     "--hidden 16 --dropout 0.1 --average 0.9 --epochs 40"),
]
OTHERS = ["encode BIGMODEL BIG --coder niht -q -o out/z.npz", "encode BIGMODEL BIG -q -o out/z.npy --dense"]
CHECKPOINT = "out/m.safetensors.checkpoint"
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]
MOST_SIGNALS = 4  # to one training


def make_files(bench):
    bench.dltf("synth -n 16 -m 24 -k 3 -N 2000 -q -o big")
    bench.dltf("train big/X.npy -m 24 -k 3 --encoder tied --steps 20 --iterations 2 -q -o big.safetensors")
    (bench.folder / "big.csv").write_text("".join(f"{i * 7919 % 11 % 3}\n" for i in range(2000)))
    bench.files.update(BIG="big/X.npy", BIGMODEL="big.safetensors", BIGLABELS="big.csv")


def seconds_used(pid):
    """CPU time of the main thread."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return int(file.read().split()[0]) / 1e9
    except (OSError, IndexError):
        return float("inf")


def measured(bench, words):
    """The CPU time of the main thread in a run without disturbance."""
    bench.clear()
    process, used = bench.start(words), 0
    while process.poll() is None:
        now = seconds_used(process.pid)
        used = now if now < float("inf") else used
        time.sleep(0.002)
    bench.finish(process)
    return used


def disturbed(bench, words, seconds, number):
    """Sends the signal after a part of the CPU time."""
    process = bench.start(words)
    while process.poll() is None and seconds_used(process.pid) < seconds:
        time.sleep(0.001)
    process.send_signal(number)
    return bench.finish(process)


class Kills:
    def __init__(self, bench, budget, draw, report):
        make_files(bench)
        self.bench, self.budget, self.draw, self.report = bench, budget, draw, report
        self.seconds = {}
        self.counts = {"kill -9": 0, "other signals": 0, "trainings resumed": 0}

    def reference(self, use):
        """The result without disturbance, and its CPU time."""
        result = self.bench.reference(use, self.report)
        if use not in self.seconds:
            self.seconds[use] = measured(self.bench, self.bench.words(use))
        return result, self.seconds[use]

    def signal(self, use, words, most):
        """One disturbed run. Returns its result, whose files and code have been checked except for what is complete."""
        number = self.draw.choice(SIGNALS)
        self.counts["kill -9" if number == signal.SIGKILL else "other signals"] += 1
        result = disturbed(self.bench, words, self.draw.uniform(0, most), number)
        found = workbench.killed(result) if result.code == -number else workbench.always(result)
        if result.code not in (0, -number, 128 + number):
            found.append(f"ended with {result.code}: {result.lines()[-2:]}")
        self.report(use, number.name, found)
        return result

    def any_command(self, use):
        words = self.bench.words(use)
        reference, used = self.reference(use)
        self.bench.clear()
        result = self.signal(use, words, used)
        left = [name for name in workbench.incomplete(result, reference) if not name.endswith(".checkpoint")]
        self.report(use, "signal", [f"{name} is incomplete" for name in left])
        if result.code in [-number for number in SIGNALS]:  # ended by it, without a chance to clean up
            result = self.bench.again(words)
            result.files = {name: content for name, content in result.files.items() if not name.endswith(".checkpoint")}
            self.report(use, "the run after that", workbench.defects(result, reference))

    def training(self, files, options):
        bench, words = self.bench, self.bench.words(f"{files} {options}")
        reference, used = self.reference(f"{files} {options}")
        bench.clear()
        for _ in range(self.draw.randint(1, MOST_SIGNALS)):
            resumed = (bench.folder / CHECKPOINT).exists()
            self.counts["trainings resumed"] += resumed
            result = self.signal(files, self.next_words(files, words), used)
            if result.code == 0:
                break
        else:
            result = bench.finish(bench.start(self.next_words(files, words)))
        # A kill after the model was written leaves a checkpoint that is not needed any more.
        result.files.pop("m.safetensors.checkpoint", None)
        self.report(f"{files} {options}", "resumed", workbench.defects(result, reference))

    def next_words(self, files, words):
        return self.bench.words(f"{files} --resume {CHECKPOINT}") if (self.bench.folder / CHECKPOINT).exists() else words


def run(bench, budget, draw, report):
    kills = Kills(bench, budget, draw, report)
    while budget.next():
        if budget.used % 3 == 0:
            kills.any_command(draw.choice(workbench.USES))
        elif budget.used % 3 == 1:
            kills.training(*draw.choice(TRAININGS))
        else:
            kills.any_command(draw.choice(OTHERS))
    return kills.counts
