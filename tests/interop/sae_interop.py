#!/usr/bin/env python3
"""dltf import and export against the formulas of SAELens, sparsify and Gemma Scope, in NumPy, on generated weights."""
import json
import os
import struct
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from scipy import sparse
except ImportError as missing:
    print(f'skipped: {missing}')
    sys.exit(77)

DLTF = sys.argv[1]
SMALL = bool(os.environ.get('DLTF_TEST_SMALL'))
ROWS, N, M, K = (500 if SMALL else 10000), 48, 160, 12
TYPES = {'F32': '<f4', 'F64': '<f8', 'F16': '<f2', 'BF16': '<u2'}


def save_safetensors(path, tensors):
    """tensors: name -> (type, array)"""
    header, parts, at = {}, [], 0
    for name, (kind, array) in tensors.items():
        bits = np.ascontiguousarray(array, 'f4').view('u4')
        data = ((bits >> 16).astype('u2') if kind == 'BF16' else np.asarray(array).astype(TYPES[kind])).tobytes()
        header[name] = {'dtype': kind, 'shape': list(array.shape), 'data_offsets': [at, at + len(data)]}
        parts.append(data)
        at += len(data)
    text = json.dumps(header).encode()
    with open(path, 'wb') as file:
        file.write(struct.pack('<Q', len(text)) + text + b''.join(parts))


def load_safetensors(path):
    with open(path, 'rb') as file:
        data = file.read()
    size = struct.unpack('<Q', data[:8])[0]
    header, body = json.loads(data[8:8 + size]), data[8 + size:]
    return {name: np.frombuffer(body[slice(*t['data_offsets'])], TYPES[t['dtype']]).reshape(t['shape'])
            for name, t in header.items() if name != '__metadata__'}


def rounded(array, kind):
    """The values that a file of this type stores."""
    if kind == 'BF16':
        return (np.ascontiguousarray(array, 'f4').view('u4') & 0xffff0000).view('f4')
    return array.astype(TYPES[kind]).astype('f4')


def run(*words, fails=None):
    result = subprocess.run([DLTF, *words], capture_output=True, text=True)
    if fails is None:
        assert result.returncode == 0, (words, result.stderr)
    else:
        assert result.returncode != 0 and len(result.stderr.strip().splitlines()) == 1, (words, result.stderr)
        assert fails in result.stderr, (fails, result.stderr)
    return result


def top(scores, k):
    z = np.zeros_like(scores)
    best = np.argsort(-scores, axis=1, kind='stable')[:, :k]
    np.put_along_axis(z, best, np.maximum(np.take_along_axis(scores, best, 1), 0), 1)
    return z


def normalised(x, kind, factor):
    if kind == 'constant_norm_rescale':
        return x * np.sqrt(x.shape[1]) / np.linalg.norm(x, axis=1, keepdims=True)
    if kind == 'layer_norm':
        x = x - x.mean(1, keepdims=True)
        return x / (x.std(1, ddof=1, keepdims=True) + 1e-5)
    return x * factor


def reference(p, x):
    """Codes and scores, in double."""
    w = {name: p['weights'][name].astype('f8') for name in p['weights']}
    u = normalised(x.astype('f8'), p.get('norm', 'none'), p.get('factor', 1))
    scores = (u - (w['b_dec'] if p.get('centred', True) else 0)) @ w['W_enc'] + w['b_enc']
    norms = np.linalg.norm(w['W_dec'], axis=1)
    if p.get('rescaled'):
        scores = scores * norms
    if 'k' in p:
        z = top(scores, p['k'])
    else:
        z = np.maximum(scores, 0) * (scores > w.get('threshold', 0))
    return z, scores


def decoded(p, z):
    """In the normalised space."""
    w = {name: p['weights'][name].astype('f8') for name in p['weights']}
    return (z / np.linalg.norm(w['W_dec'], axis=1) if p.get('rescaled') else z) @ w['W_dec'] + w['b_dec']


def compare(name, model, p, data, x):
    z, scores = reference(p, x)
    run('encode', model, data, '-o', 'z.npz', '-q')
    found = sparse.load_npz('z.npz').toarray()
    error = np.abs(found - z)
    # Scores of float32 products may fall on the other side of a threshold, or of the k-th score, if they are as good as equal.
    edge = np.sort(scores, 1)[:, [-p['k'], -p['k'] - 1]].max(1)[:, None] if 'k' in p else p['weights'].get('threshold', 0)
    close = np.abs(scores - edge) < 1e-5 * np.abs(scores).max()
    wrong = (error > 1e-5 * np.abs(scores).max()) & ~close
    assert not wrong.any(), (name, int(wrong.sum()), float(error.max()))
    assert ((found != 0) != (z != 0)).mean() < 1e-5, name
    run('decode', model, 'z.npz', '-o', 'y.npy', '-q')
    scale = {'constant_norm_rescale': np.sqrt(N)}.get(p.get('norm'), p.get('factor', 1))
    y, expected = np.load('y.npy') * scale, decoded(p, found)
    assert np.abs(y - expected).max() < 1e-5 * np.abs(expected).max(), (name, np.abs(y - expected).max())
    print(f'{name}: {len(x)} codes of {np.count_nonzero(z) / len(x):.1f} entries agree; '
          f'largest difference {error[~close].max():.1e}')


def make_weights(random, kind, unit, thresholds):
    decoder = random.normal(size=(M, N))
    decoder /= np.linalg.norm(decoder, axis=1, keepdims=True)
    weights = {'W_enc': (decoder + 0.05 * random.normal(size=(M, N))).T,
               'b_enc': 0.1 * random.normal(size=M),
               'W_dec': decoder if unit else decoder * random.uniform(0.3, 3, (M, 1)),
               'b_dec': 0.2 * random.normal(size=N)}
    if thresholds:
        weights['threshold'] = random.uniform(0.5, 2, M)
    return {name: rounded(array, kind) for name, array in weights.items()}


def saelens_cfg(p):
    cfg = {'d_in': N, 'd_sae': M, 'dtype': 'float32', 'device': 'cpu', 'apply_b_dec_to_input': p.get('centred', True),
           'normalize_activations': p.get('norm', 'none'), 'architecture': p['architecture']}
    if 'k' in p:
        cfg |= {'k': p['k'], 'rescale_acts_by_decoder_norm': p.get('rescaled', False)}
    if p.get('old'):  # before 6.0
        del cfg['k'], cfg['rescale_acts_by_decoder_norm']
        cfg |= {'architecture': 'standard', 'activation_fn_str': 'topk', 'activation_fn_kwargs': {'k': p['k']},
                'normalize_activations': False, 'finetuning_scaling_factor': False}
    return cfg


def write(p, folder):
    os.makedirs(folder)
    kind, weights = p.get('type', 'F32'), p['weights']
    if p['format'] == 'gemma-scope':
        np.savez(os.path.join(folder, 'params.npz'), **weights)
        return
    if p['format'] == 'sparsify':
        weights = {'encoder.weight': weights['W_enc'].T, 'encoder.bias': weights['b_enc'], 'W_dec': weights['W_dec'],
                   'b_dec': weights['b_dec']}
        cfg = {'activation': 'topk', 'expansion_factor': 32, 'normalize_decoder': True, 'num_latents': M, 'k': p['k'],
               'multi_topk': False, 'skip_connection': False, 'transcode': not p.get('centred', True), 'd_in': N}
    else:
        cfg = saelens_cfg(p)
    with open(os.path.join(folder, 'cfg.json'), 'w') as file:
        json.dump(cfg, file)
    name = 'sae.safetensors' if p['format'] == 'sparsify' else 'sae_weights.safetensors'
    save_safetensors(os.path.join(folder, name), {t: (kind, a) for t, a in weights.items()})


def load(p, folder):
    if p['format'] == 'gemma-scope':
        return dict(np.load(os.path.join(folder, 'params.npz')))
    name = 'sae.safetensors' if p['format'] == 'sparsify' else 'sae_weights.safetensors'
    return load_safetensors(os.path.join(folder, name))


def check_round_trip(name, p, model):
    """Files again, then a model again."""
    run('export', model, '--format', p['format'], '-o', f'{name}.out', '-q')
    if not p.get('rescaled'):  # whose norms of decoder rows are in the encoder of the model
        before, after = load(p, name), load(p, f'{name}.out')
        for tensor in before:
            if p.get('type', 'F32') == 'F32':
                assert np.abs(before[tensor] - after[tensor]).max() <= 1e-6, (name, tensor)
        if p.get('type', 'F32') == 'F32' and p.get('unit') and p.get('centred', True):
            assert all(before[t].tobytes() == after[t].tobytes() for t in before), name
    run('import', f'{name}.out', '-o', f'{name}.again.safetensors', '-q')
    return f'{name}.again.safetensors'


CASES = {
    'topk': {'format': 'saelens', 'architecture': 'topk', 'k': K, 'unit': True},
    'topk-norms': {'format': 'saelens', 'architecture': 'topk', 'k': K, 'type': 'F64'},
    'topk-rescaled': {'format': 'saelens', 'architecture': 'topk', 'k': K, 'rescaled': True},
    'topk-old': {'format': 'saelens', 'architecture': 'topk', 'k': K, 'old': True, 'type': 'F16'},
    'topk-uncentred': {'format': 'saelens', 'architecture': 'topk', 'k': K, 'centred': False},
    'topk-average': {'format': 'saelens', 'architecture': 'topk', 'k': K, 'norm': 'expected_average_only_in', 'factor': 0.37},
    'topk-length': {'format': 'saelens', 'architecture': 'topk', 'k': K, 'norm': 'constant_norm_rescale'},
    'topk-layer': {'format': 'saelens', 'architecture': 'topk', 'k': K, 'norm': 'layer_norm', 'unit': True},
    'jumprelu': {'format': 'saelens', 'architecture': 'jumprelu', 'unit': True},
    'jumprelu-layer': {'format': 'saelens', 'architecture': 'jumprelu', 'norm': 'layer_norm', 'centred': False, 'type': 'BF16'},
    'standard': {'format': 'saelens', 'architecture': 'standard'},
    'sparsify': {'format': 'sparsify', 'k': K, 'unit': True},
    'sparsify-half': {'format': 'sparsify', 'k': K, 'type': 'BF16'},
    'transcode': {'format': 'sparsify', 'k': K, 'centred': False},
    'gemma-scope': {'format': 'gemma-scope', 'centred': False, 'unit': True},
}


def check(name, p, random, x):
    thresholds = p['format'] == 'gemma-scope' or p.get('architecture') == 'jumprelu'
    p['weights'] = make_weights(random, p.get('type', 'F32'), p.get('unit'), thresholds)
    write(p, name)
    factor = ['--factor', str(p['factor'])] if 'factor' in p else []
    if factor:
        run('import', name, '-o', 'none.safetensors', fails='--factor: is needed')
        assert not os.path.exists('none.safetensors')
    run('import', name, '-o', f'{name}.safetensors', '-q', *factor)
    compare(name, f'{name}.safetensors', p, 'X.npy', x)
    compare(f'{name} again', check_round_trip(name, p, f'{name}.safetensors'), p, 'X.npy', x)


def main():
    random = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        truth = random.normal(size=(M, N))
        x = (random.random((ROWS, M)) * (random.random((ROWS, M)) < 0.1)) @ truth / 2 + random.normal(size=N)
        x = x.astype('f4')
        np.save('X.npy', x)
        for name, p in CASES.items():
            check(name, p, random, x)


main()
