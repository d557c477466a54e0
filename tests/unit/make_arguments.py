"""Writes the calls that test_arguments.c makes, from the declarations in the public headers: every function with NULL in
every pointer position, and with numbers of threads and seeds that are out of range. A new function is thus tested without further work; list its optional arguments here.

Usage: make_arguments.py OUTPUT HEADER...
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
    'dltf_bind_denoise': 'model info', 'dltf_evaluate_sized': 'uses', 'dltf_evaluate_stream_sized': 'uses',
}
STRUCTS = ('dltf_matrix', 'dltf_csr')
OUT_OF_RANGE = {'threads': (-1, 1025), 'seed': (-1,)}
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


def main():
    unused = dict(OPTIONAL)
    lines = []
    for kind, name, parameters in declarations(sys.argv[2:]):
        unused.pop(name, None)
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
    with open(sys.argv[1], 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')
    if len(lines) < 100:
        sys.exit('make_arguments.py: too few declarations found')
    if unused:
        sys.exit(f'make_arguments.py: no such function: {", ".join(unused)}')


main()
