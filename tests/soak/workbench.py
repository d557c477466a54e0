"""A folder with valid files of every kind, every way to use them on the command line, and the rules that hold however a
run ends."""
import array
import gzip
import io
import math
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import zipfile

# Every command, with the files of the workbench in capitals. Outputs are in the folder out/. Quiet, so that a failure
# prints exactly one line.
USES = """\
train X -m 8 -k 2 --encoder tied --steps 3 --iterations 2 -q -o out/m.safetensors
train X -m 8 -k 2 --encoder best --steps 3 --polish 1 --finetune 3 --epochs 1 -q -o out/m.safetensors --history out/h.csv
train X -m 8 -k 2 --method ksvd --iterations 1 -q -o out/m.safetensors
train XNPZ -m 8 -k 2 --encoder tied --steps 1 --iterations 1 -q -o out/m.safetensors --json
train CSV -m 8 -k 2 --encoder tied --steps 1 --iterations 1 -q -o out/m.safetensors
train IDX -m 8 -k 2 --encoder tied --steps 1 --iterations 1 -q -o out/m.safetensors
train IDXGZ -m 8 -k 2 --encoder tied --steps 1 --iterations 1 -q -o out/m.safetensors
train FVECS -m 8 -k 2 --encoder tied --steps 1 --iterations 1 -q -o out/m.safetensors
train X -m 8 -k 2 --init MODEL --encoder tied --steps 1 --iterations 1 -q -o out/m.safetensors
train X X -m 8 -k 2 --encoder tied --steps 2 --iterations 1 --memory 300M -q -o out/m.safetensors
train RAW --raw 8 -m 8 -k 2 --encoder tied --steps 2 --iterations 1 -q -o out/m.safetensors
train X --resume CHECKPOINT -q -o out/m.safetensors
encode MODEL X -q -o out/z.npz
encode MODEL X -q -o out/z.npy --dense --json
encode MODEL X --coder omp --refit -q -o out/z.npz
encode MODEL X --coder niht -q -o out/z.npz
encode MODEL X --coder htp -q -o out/z.npz
encode MODEL X --coder shortlist -q -o out/z.npz
decode MODEL CODES -q -o out/y.npy --original X
evaluate MODEL X -q --json
top MODEL X -q --json --picture out/top.png --shape 4x2
top MODEL X -q -o out/top.npz
report MODEL X --labels LABELS --samples 2 --shape 4x2 -q -o out/report.html
import SAE -q -o out/m.safetensors
export MODEL --micro -o out/micro.c
inspect MODEL
inspect MODEL --json --atoms out/atoms.png --shape 4x2
inspect HASHER --json
inspect NETWORK --json
inspect INDEX
suggest X -m 8 -k 2 --seconds 1000 --threads 2 --json -q
export MODEL --c -o out/m.c
certify MODEL --json
certify MODEL X --noise 0.1 --flags out/f.npy
synth -n 8 -m 12 -k 2 -N 50 -q -o out/toy
score MODEL --truth TOY --json
plot HISTORY -o out/p.svg
noise PGM --sigma 5 -q -o out/n.png
noise JPEG --sigma 5 -q -o out/n.png
denoise PGM --sigma 10 -q -o out/d.png
denoise PNG --stages 1 -q -o out/d.npy --json
gist PNG PGM -q -o out/g.npy
gist CIFAR -q -o out/g.fvecs --labels out/l.csv
cluster X -c 3 --restarts 2 -q -o out/l.csv --centers out/c.npy --json
cluster CODES -c 3 --restarts 2 -q -o out/l.npy
cluster X -c 3 --restarts 2 --pca 2 --save-pca out/pca.safetensors -q -o out/l.ivecs
cluster X -c 3 --restarts 2 --load-pca PCA -q -o out/l.csv --labels LABELS
cluster X -c 3 --restarts 2 --landmarks 8 -q -o out/l.csv
hash train X --method itq -m 8 -q -o out/h.safetensors
hash train X --method neighbour -m 8 -q -o out/h.safetensors --json
hash train X --method sph -m 8 -q -o out/h.safetensors
hash train X --method sh -m 8 -q -o out/h.safetensors
hash train X --method dltf -m 16 -q -o out/h.safetensors
hash encode HASHER X -q -o out/b.npy
hash evaluate BITS BITS --labels LABELS --query-labels LABELS --json
hash evaluate BITS BITS --data X --query-data X --nearest 5
hash index BITS -q -o out/i.index
hash search INDEX BITS -k 2 -q -o out/n.npz
hash search BITS BITS -k 2 -q -o out/n.npy --json
pretrain X --hidden 8 -q -o out/p.safetensors
classify train X --labels LABELS --hidden 8 --epochs 2 -q -o out/c.safetensors --history out/h.csv --json
classify train X --labels LABELS --resume TRAINING -q -o out/c.safetensors
classify predict NETWORK X -q -o out/l.csv --probabilities out/p.npy
classify evaluate NETWORK X --labels LABELS --json
reproduce table1 --plan --csv out/plan.csv -q
completion bash
manual
""".splitlines()

MEASURED = re.compile(rb"^.*(second|peak_memory).*$", re.M)  # lines that differ from run to run
CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
PATIENCE = 300  # seconds: many threads on a busy core are slow
LAST = re.compile(rb",[^,\n]*$", re.M)  # the last column of a history, which holds seconds


class Budget:
    """Bounds a part of the test by time and counts its attempts."""

    def __init__(self, seconds):
        self.deadline, self.used = time.monotonic() + seconds, 0

    def next(self):
        """Whether there may be another attempt, which is counted."""
        if time.monotonic() > self.deadline:
            return False
        self.used += 1
        return True


class Report:
    def __init__(self):
        self.defects = []

    def __call__(self, use, disturbance, found):
        for text in found:
            self.defects.append({"use": use, "disturbance": disturbance, "defect": text})
            print(f"DEFECT {use}: {disturbance}: {text}", flush=True)

    def part(self, name, run):
        """Runs a part, prints its counts and returns them."""
        before = len(self.defects)
        counts = run()
        text = ", ".join(f"{value:,} {key}" for key, value in counts.items())
        print(f"{name}: {text}; {len(self.defects) - before} defects", flush=True)
        return counts


class Result:
    def __init__(self, code, stdout, stderr, files):
        self.code, self.stdout, self.stderr, self.files = code, stdout, stderr, files

    def lines(self):
        return self.stderr.decode(errors="replace").splitlines()


class Workbench:
    """`program` is dltf, `library` that of fault.c. Everything happens below a temporary folder, which is the current
    directory of all runs. Files that led to defects are copied to the folder `kept`."""

    def __init__(self, program, library, kept):
        self.program, self.library, self.kept = os.path.realpath(program), os.path.realpath(library), pathlib.Path(kept)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="dltf-soak-"))
        self.environment, self.references = {**os.environ, "OMP_NUM_THREADS": "2"}, {}
        self.process = None  # the last one that was started
        try:
            self.files = self.make_files()
        except BaseException:
            self.close()
            raise

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def dltf(self, text):
        subprocess.run([self.program, *text.split()], cwd=self.folder, env=self.environment, check=True,
                       stdout=subprocess.DEVNULL)

    def make_files(self):
        folder = self.folder
        self.dltf("synth -n 8 -m 12 -k 2 -N 60 -q -o toy")
        self.dltf("train toy/X.npy -m 8 -k 2 --encoder distilled --steps 3 --polish 1 -q -o model.safetensors")
        self.dltf("train toy/X.npy -m 8 -k 2 --encoder tied --steps 3 --iterations 2 -q -o m --history history.csv")
        self.dltf("train toy/X.npy -m 8 -k 2 --encoder learned --select positive --epochs 1 -q -o positive.safetensors")
        self.dltf("export positive.safetensors --format saelens -o sae")
        self.dltf("encode model.safetensors toy/X.npy -q -o codes.npz")
        self.dltf("hash train toy/X.npy --method itq -m 8 -q -o hasher.safetensors")
        self.dltf("hash encode hasher.safetensors toy/X.npy -q -o bits.npy")
        self.dltf("hash index bits.npy -q -o bits.index")
        self.dltf("cluster toy/X.npy -c 2 --pca 2 --save-pca pca.safetensors -q -o labels.csv")
        self.dltf("classify train toy/X.npy --labels labels.csv --hidden 8 --epochs 1 -q -o network.safetensors")
        data = (folder / "toy/X.npy").read_bytes()
        values = data[-60 * 8 * 4:]
        with zipfile.ZipFile(folder / "X.npz", "w") as archive:
            archive.writestr("X.npy", data)
        rows = [struct.unpack("<8f", values[32 * i:32 * i + 32]) for i in range(60)]
        (folder / "X.csv").write_text("".join(",".join(f"{x:.6g}" for x in row) + "\n" for row in rows))
        (folder / "X.raw").write_bytes(values)
        (folder / "X.fvecs").write_bytes(b"".join(struct.pack("<i8f", 8, *row) for row in rows))
        idx = bytes([0, 0, 8, 2]) + struct.pack(">2I", 60, 8) + bytes((i * 37) % 251 for i in range(480))
        (folder / "X-idx2-ubyte").write_bytes(idx)
        (folder / "X-idx2-ubyte.gz").write_bytes(gzip.compress(idx, mtime=0))
        (folder / "batch.bin").write_bytes(b"".join(bytes([i]) + bytes((i * 31 + j) % 256 for j in range(3072)) for i in range(2)))
        (folder / "image.pgm").write_bytes(b"P5\n24 24\n255\n" + bytes((7 * x + 3 * y) % 256 for y in range(24) for x in range(24)))
        shutil.copy(pathlib.Path(__file__).parents[1] / "fuzz/corpus/jpeg/colour", folder / "image.jpg")
        self.dltf("noise image.pgm --sigma 5 -q -o image.png")
        self.interrupted("train toy/X.npy -m 8 -k 2 --encoder tied --steps 100000000 -q -o t", "t.checkpoint", "checkpoint")
        self.interrupted("classify train toy/X.npy --labels labels.csv --hidden 8 --epochs 100000000 -q -o c", "c.checkpoint", "training")
        return {"X": "toy/X.npy", "XNPZ": "X.npz", "CSV": "X.csv", "IDX": "X-idx2-ubyte", "IDXGZ": "X-idx2-ubyte.gz",
                "FVECS": "X.fvecs", "RAW": "X.raw", "HISTORY": "history.csv", "MODEL": "model.safetensors",
                "CHECKPOINT": "checkpoint", "SAE": "sae", "CODES": "codes.npz",
                "HASHER": "hasher.safetensors", "NETWORK": "network.safetensors", "INDEX": "bits.index", "TOY": "toy",
                "PGM": "image.pgm", "PNG": "image.png", "JPEG": "image.jpg", "CIFAR": "batch.bin", "PCA": "pca.safetensors",
                "LABELS": "labels.csv", "BITS": "bits.npy", "TRAINING": "training"}

    def printed(self, option):
        return subprocess.run([self.program, option], capture_output=True, text=True, check=True).stdout

    def version(self):
        return self.printed("--version").splitlines()[0]

    def unused_commands(self):
        """Commands that no use tests."""
        text = self.printed("--help")
        used = {use.split()[0] for use in USES}
        return [name for name in re.findall(r"^  (?:dltf )?([a-z]+) ", text, re.M) if name not in used]

    def interrupted(self, text, made, name):
        """A checkpoint with one iteration left: the number in its options is that of the iterations done, and one."""
        environment = {**self.environment, **self.fault("clock:200:SIGINT")}
        ended = subprocess.run([self.program, *text.split()], cwd=self.folder, env=environment, stderr=subprocess.PIPE)
        found = re.search(rb"interrupted after (\d+) (?:minibatch step|epoch)s?;", ended.stderr)
        total = f'"{int(found[1]) + 1}"'.encode().ljust(len('"100000000"'))
        (self.folder / name).write_bytes((self.folder / made).read_bytes().replace(b'"100000000"', total))

    def fault(self, fault="", **more):
        """The environment that injects a fault; `more` are other variables of fault.c, in lower case."""
        return {"LD_PRELOAD": self.library, "FAULT": fault, **{f"FAULT_{key.upper()}": str(more[key]) for key in more}}

    def counts(self, words, **more):
        """A run without faults, and how often it makes the calls that fault.c counts."""
        path = self.folder / "count"
        result = self.run(words, environment=self.fault(count=path, **more))
        return result, {name: int(number) for name, number in map(str.split, path.read_text().splitlines())}

    def keep(self, path):
        self.kept.mkdir(parents=True, exist_ok=True)
        name = f"{len(list(self.kept.iterdir()))}-{pathlib.Path(path).name}"
        shutil.copy(self.folder / path, self.kept / name)
        return name

    def words(self, use, replaced=None):
        """The arguments of a use; `replaced` maps names such as MODEL to other paths."""
        files = {**self.files, **(replaced or {})}
        return [files.get(word, word) for word in use.split()]

    def clear(self):
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        (self.folder / "out").mkdir()

    def start(self, words, environment=None, limits=None, stdin=os.devnull):
        """A process that keeps what is in out/. `limits` maps resources such as RLIMIT_AS to numbers."""
        def limit():
            for name, value in (limits or {}).items():
                resource.setrlimit(name, (value, value))
        with open(self.folder / stdin, "rb") as file:
            self.process = subprocess.Popen([self.program, *words], cwd=self.folder, preexec_fn=limit if limits else None,
                                            env={**self.environment, **(environment or {})},
                                            stdin=file, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return self.process

    def finish(self, process, patience=PATIENCE):
        """Waits for the end. A run that takes long may be a long run: then it must obey Ctrl-C."""
        for number in (signal.SIGINT, signal.SIGKILL):
            try:
                stdout, stderr = process.communicate(timeout=patience)
                return Result(process.returncode, MEASURED.sub(b"", stdout), stderr, self.outputs())
            except subprocess.TimeoutExpired:
                process.send_signal(number)
        process.communicate()
        return Result("hang", b"", b"", {})

    def again(self, words, **more):
        """A run that finds what the last one left."""
        return self.finish(self.start(words, **more))

    def run(self, words, **more):
        self.clear()
        return self.again(words, **more)

    def reference(self, use, report):
        """The result without disturbance, which must be a success."""
        if use not in self.references:
            result = self.references[use] = self.run(self.words(use))
            report(use, "without disturbance", defects(result) + ([f"fails: {result.lines()}"] if result.code != 0 else []))
        return self.references[use]

    def outputs(self):
        found = {}
        for path in sorted((self.folder / "out").rglob("*")):
            if path.is_file():
                content = path.read_bytes()
                found[str(path.relative_to(self.folder / "out"))] = LAST.sub(b",", content) if path.name == "h.csv" else content
        return found


def floats(name, content):
    """The bytes of a file that hold 32-bit floats."""
    if name.endswith(".npy") and b"'<f4'" in content[:128]:
        return content[10 + struct.unpack("<H", content[8:10])[0]:]
    if name.endswith(".npz"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return b"".join(floats(member, archive.read(member)) for member in archive.namelist())
    if name.endswith(".safetensors") and not re.search(rb'"(F64|I\d+|U8)"', content):
        return content[8 + struct.unpack("<Q", content[:8])[0]:]
    return b""


def is_finite(name, content):
    values = array.array("f")
    found = floats(name, content)
    values.frombytes(found[:len(found) // 4 * 4])
    return all(map(math.isfinite, values))


def incomplete(result, reference):
    """Files that are neither as they should be nor named in the message as rescued."""
    for name, content in result.files.items():
        rescued = name.startswith("dltf-rescued-") and name in result.lines()[0]
        if content not in reference.files.values() if rescued else content != reference.files.get(name):
            yield name


def killed(result):
    """What holds after a signal that ended the program: a temporary file may be left, to be removed by the next run that opens
    the same output."""
    result.files = {name: content for name, content in result.files.items() if ".tmp" not in name}
    return always(result)


def always(result):
    """What holds however a run ends."""
    found = [f"left {name}" for name in result.files if ".tmp" in name]
    found += [f"{name} has values that are not finite" for name, content in result.files.items() if not is_finite(name, content)]
    if CONTROLS.search(result.stdout) or CONTROLS.search(result.stderr):
        found.append("control characters reach the terminal")
    return found


def defects(result, reference=None):
    """What is wrong with a run that no signal ended. `reference`: the run without disturbance, which a success equals."""
    found = always(result)
    if result.code == 0:
        if reference and result.stdout != reference.stdout:
            found.append("success, but standard output differs")
        if reference and result.files != reference.files:
            found.append(f"success, but the files differ: {list(result.files)}")
    elif result.code in (1, 2):
        lines = result.lines()
        if len(lines) != 1 or not lines[0].startswith("dltf"):
            found.append(f"exit {result.code} with {len(lines)} lines: {lines[:3]}")
        elif reference:
            found += [f"failure, but {name} is incomplete" for name in incomplete(result, reference)]
    else:
        found.append(f"ended with {result.code}: {result.lines()[-2:]}")
    return found
