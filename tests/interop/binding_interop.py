"""examples/binding.py, a binding that knows no struct, against the program: same models and codes; its errors.

Usage: binding_interop.py EXAMPLES DLTF FOLDER, with the library on LD_LIBRARY_PATH. Exits with 77 (skipped) without
NumPy and SciPy.
"""
import pathlib
import subprocess
import sys

try:
    import numpy as np
    import scipy.sparse
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

examples, program, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
sys.path.insert(0, examples)
sys.dont_write_bytecode = True
import binding

folder.mkdir(parents=True, exist_ok=True)
X = np.random.default_rng(0).normal(size=(500, 12)).astype(np.float32)
np.save(folder / "X.npy", X)


def dltf(*words):
    subprocess.run([program, *map(str, words), "-q"], check=True)


def refused(message, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except ValueError as error:
        assert message in str(error), error
    else:
        sys.exit(f"not refused: {message}")


dltf("train", folder / "X.npy", "-m", 20, "-k", 3, "--encoder", "tied", "--center", "--theta-start", 0.1, "-o", folder / "W.st")
dltf("encode", folder / "W.st", folder / "X.npy", "-k", 2, "--refit", "-o", folder / "codes.npz")
expected = scipy.sparse.load_npz(folder / "codes.npz")

samples = binding.Array(X.reshape(-1), X.shape[1])
model = binding.train(samples, m=20, k=3, encoder="tied", center=True, theta_start=0.1)
assert binding.lib.dltf_model_save(model, str(folder / "own.st").encode()) == 0
assert (folder / "own.st").read_bytes() == (folder / "W.st").read_bytes(), "the models differ"
content = model.get()
assert (content["m"], content["n"], content["k"], content["select"]) == (20, 12, 3, b"abs")
assert np.allclose(np.linalg.norm(np.reshape(content["dictionary"], (20, 12)), axis=1), 1, atol=1e-5)
assert len(content["mean"]) == 12 and "bias" not in content

codes = binding.pairs(binding.encode(samples, model, k=2, refit=True))
assert len(codes) == 500
for i, code in enumerate(codes):
    row = expected[i]
    assert [e[0] for e in code] == list(row.indices) and [np.float32(e[1]) for e in code] == list(row.data), i

stages = []


def report(context, task, done, total, stage, index, error, state):
    stages.append(stage)
    return len(stages) == 4


refused("training was cancelled", binding.train, samples, report, m=20, k=3, encoder="tied")
assert len(stages) == 4 and stages[-1] == b"minibatch"

learner = binding.Handle("learner", binding.lib.dltf_bind_learner_new, samples, None, binding.Options("train", m=20, k=3, encoder="tied"))
outcome = binding.text()
binding.check(binding.lib.dltf_bind_learner_run(learner, None, None, binding.ref(outcome)))
history = learner.get()
assert outcome.value == b"iteration-limit" and history["stage"].count(b"\n") == len(history["relative_error"]) == history["records"]

# Compressed rows of SciPy, with both types of its indices, give the codes of the dense matrix.
S = scipy.sparse.csr_matrix(np.where(np.abs(X) > 1, X, 0))
dense = binding.pairs(binding.encode(binding.Array(S.toarray().reshape(-1), 12), model))
for type_ in ("int32", "int64"):
    indptr, indices = S.indptr.astype(type_), S.indices.astype(type_)
    address = lambda array: binding.pointer(array.ctypes.data)
    sparse = binding.Handle("array", binding.lib.dltf_array_borrow_csr, binding.integer(500), binding.integer(12), binding.integer(S.nnz),
                            address(indptr), address(indices), type_.encode(), address(S.data), b"float32")
    assert binding.pairs(binding.encode(sparse, model)) == dense

# A model from the bytes of its file, and from its arrays.
data, size = binding.pointer(), binding.integer()
binding.check(binding.lib.dltf_model_write(model, binding.ref(data), binding.ref(size)))
assert binding.ctypes.string_at(data, size.value) == (folder / "W.st").read_bytes()
again = binding.Handle("model", binding.lib.dltf_model_read, data, size)
binding.lib.dltf_bytes_free(data)
assert again.get() == content
values = binding.Handle("values", binding.lib.dltf_bind_get, b"model", again)
assert binding.Handle("model", binding.lib.dltf_bind_new, b"model", values).get() == content
refused("unknown kind of object 'thing'", binding.Handle, "values", binding.lib.dltf_bind_get, b"thing", model)
refused("'codes' cannot be made", binding.Handle, "codes", binding.lib.dltf_bind_new, b"codes", values)
binding.main()

options = binding.Options("train", m=20, encoder="dual")
value = lambda name: binding.lib.dltf_options_get(options, name)
assert (value(b"m"), value(b"encoder"), value(b"center"), value(b"none")) == (b"20", b"dual", b"auto", None)
names = []
while name := binding.lib.dltf_options_name(options, len(names)):
    names.append(name)
assert names[:2] == [b"m", b"k"] and len(names) > 10 and binding.lib.dltf_options_name(options, -1) is None

refused("unknown task 'fly'", binding.Options, "fly")
refused("unknown option 'atoms'", binding.Options, "train", atoms=3)
refused("m: ", binding.Options, "train", m=-5)
refused("encoder: ", binding.Options, "train", encoder="none")
refused("k: ", binding.train, samples, m=20, k=30)
refused("options of the task 'encode' were given to 'train'", binding.Handle, "model", binding.lib.dltf_bind_train, samples, None,
        binding.Options("encode"), None, None)
refused("12 columns, but the model expects", binding.encode, samples, binding.train(binding.Array(X.reshape(-1), 10), m=20, k=3))
print(f"{len(names)} options of train; 500 codes and a model as the program makes them")
