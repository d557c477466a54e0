"""Writes the calls that test_arguments.c and test_sizes.c make, from the declarations in the public headers: every function
with NULL in every pointer position, and with numbers of threads and seeds that are out of range; and every function with
impossible sizes and matrices, its other arguments being valid. A new function is thus tested without further work; list its
optional arguments here.

Usage: make_arguments.py OUTPUT SIZES_OUTPUT HEADER...
"""
import re
import sys

# Arguments that may be NULL, beside options, callbacks and their contexts.
OPTIONAL = {
    'dltf_samples_certify_sized': 'known candidates', 'dltf_denoise_sized': 'model info', 'dltf_learner_new': 'start',
    'dltf_online_new': 'start', 'dltf_match': 'cosine', 'dltf_supports_score_sized': 'match', 'dltf_ranks_agree': 'message',
    'dltf_ranks_begin': 'argc argv', 'dltf_learner_quality_sized': 'model',
    'dltf_bind_train': 'start', 'dltf_bind_learner_new': 'start', 'dltf_bind_learner_quality': 'model', 'dltf_bind_online_new': 'start',
    'dltf_bind_match': 'cosine', 'dltf_bind_supports_score': 'match', 'dltf_bind_samples_certify': 'known candidates',
    'dltf_bind_denoise': 'model info', 'dltf_centers_assign': 'distance', 'dltf_bind_centers_assign': 'distance',
    'dltf_bind_last_error': 'subject name text',
    'dltf_evaluate_sized': 'uses', 'dltf_evaluate_stream_sized': 'uses',
}
STRUCTS = ('dltf_matrix', 'dltf_csr')
OUT_OF_RANGE = {'threads': (-1, 1025), 'seed': (-1,)}
# Functions whose sizes test_sizes.c does not try, and why.
SIZES_APART = {
    'dltf_matrix_f32': 'cannot fail', 'dltf_matrix_f64': 'cannot fail', 'dltf_matrix_u8': 'cannot fail',
    'dltf_ranks_same': 'needs the memory', 'dltf_ranks_broadcast': 'needs the memory',
}
# Sizes that may be negative: -1 means unknown; backwards.
NEGATIVE = ('dltf_codes_writer_open rows', 'dltf_bind_codes_writer_open rows', 'dltf_array_borrow row_stride', 'dltf_array_borrow col_stride')
NO_SIZES = ('threads', 'seed', 'spherical', 'bits')
INPUT_LISTS = (('dltf_array_join', 'parts'),)  # pointers to pointers that are not results


class Parameter:
    def __init__(self, function, text):
        text = ' '.join(text.split())
        self.type, self.name = re.fullmatch(r'(.*?)(\w+)', text).groups()
        self.type = self.type.strip()
        self.pointer = '*' in self.type
        self.result = self.type.count('*') == 2 and not self.type.startswith('const char *const') and \
            (function, self.name) not in INPUT_LISTS
        self.optional = self.name == 'context' or self.name in OPTIONAL.get(function, '').split() or \
            re.fullmatch(r'const dltf_\w*options \*', self.type) is not None

    def valid(self, function):
        """A valid argument: an object of test_sizes.c by its type, or text by its name."""
        if self.result:
            return 'RESULT'
        if self.type in STRUCTS:
            return 'VALID_HASHES' if self.name in ('hashes', 'database', 'queries') and 'relevance' not in function else f'VALID_{self.type[5:].upper()}'
        handle = re.fullmatch(r'(?:const )?dltf_(\w+) \*', self.type)
        if handle and not self.optional and f'dltf_{handle.group(1)}' not in STRUCTS:
            return f'VALID_{handle.group(1).upper()}'
        if self.type == 'const char *':
            return f'VALID_TEXT_{self.name.upper()}'
        if self.type == 'dltf_row_reader':
            return 'read_row'
        if self.optional or self.type.endswith('_fn'):
            return 'NULL'
        return 'BUFFER' if self.pointer else '4' if self.type in ('int64_t', 'int') else '1'

    def value(self):
        if self.result:
            return 'RESULT'
        if self.pointer:
            return 'ANY'
        if self.type in STRUCTS:
            return f'({self.type}){{0}}'
        return 'NULL' if self.type in ('dltf_progress_fn', 'dltf_report_fn', 'dltf_row_reader') else '1'


def declarations(paths):
    for path in paths:
        with open(path, encoding='utf-8') as file:
            text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
        for kind, name, inner in re.findall(r'^DLTF_API ([^;#]*?)(\w+)\(([^;]*)\);', text, flags=re.S | re.M):
            parameters = [] if inner == 'void' else [Parameter(name, part) for part in inner.split(',')]
            yield kind.strip(), name, parameters


def size_calls(kind, name, parameters):
    """Calls with one impossible size or matrix; other arguments have the value of their type, a macro of test_sizes.c."""
    if name in SIZES_APART:
        return
    freed = [re.fullmatch(r'(dltf_\w+) \*\*', p.type) for p in parameters if p.result]
    release = f'{freed[0].group(1)}_free(result)' if freed and freed[0] else 'dltf_bytes_free(result)' if freed and \
        parameters[[p.result for p in parameters].index(True)].type == 'uint8_t **' else '(void)result'
    for at, tried in enumerate(parameters):
        values = [p.valid(name) for p in parameters]
        if tried.type in ('int64_t', 'int') and tried.name not in NO_SIZES:
            values[at] = 'size' if tried.type == 'int64_t' else '(int)size'
            macro = f'SIZE({name}, {tried.name}, {"true" if f"{name} {tried.name}" in NEGATIVE else "false"}'
        elif tried.type in STRUCTS:
            values[at] = f'*({tried.type[5:]})'
            macro = f'{tried.type[5:].upper()}({name}, {tried.name}'
        else:
            continue
        call = f'{name}({", ".join(values)})'
        yield f'{macro}, {release}, {call if kind == "dltf_status" else f"({call}, DLTF_ARGUMENT)"})'


def main():
    unused = dict(OPTIONAL)
    lines = []
    sizes = []
    for kind, name, parameters in declarations(sys.argv[3:]):
        unused.pop(name, None)
        sizes += size_calls(kind, name, parameters)
        for at, tried in enumerate(parameters):
            for number in OUT_OF_RANGE.get(tried.name, ()):
                values = ', '.join(str(number) if i == at else p.value() for i, p in enumerate(parameters))
                results = any(p.result for p in parameters)
                lines.append(f'OUTSIDE({name}, {tried.name}, {"true" if results else "false"}, {name}({values}))')
            if not tried.pointer or (kind == 'dltf_status' and tried.optional):
                continue
            values = ', '.join('NULL' if i == at else p.value() for i, p in enumerate(parameters))
            others = sum(p.result for i, p in enumerate(parameters) if i != at)
            if kind == 'dltf_status':
                lines.append(f'REJECTS({name}, {tried.name}, {"true" if others else "false"}, {name}({values}))')
            else:
                lines.append(f'ACCEPTS({name}({values}))')
    for path, calls in zip(sys.argv[1:3], (lines, sizes)):
        with open(path, 'w', encoding='utf-8') as file:
            file.write('\n'.join(calls) + '\n')
    if len(lines) < 100:
        sys.exit('make_arguments.py: too few declarations found')
    if unused:
        sys.exit(f'make_arguments.py: no such function: {", ".join(unused)}')


main()
