"""corpus.py [--renew] [--only PATTERN] PROGRAM - runs every row of runs.txt and compares what it makes with sums.txt.

A sum is the SHA-256 of one array of an .npz file, of one table, JSON file or picture, or of what a command printed, without
what is volatile (volatile.py).  Exit status 0: every row is the same, or was skipped with its reason.  --renew writes
sums.txt anew; --only takes the runs that match a pattern of the shell, as null-* or *@pocl.

CLPAC_THREADS, where it is set, holds for every run that does not set it: no sum may depend on it.  It is 2 otherwise, since
memory does.  All other settings are those below."""
import concurrent.futures
import fnmatch
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib

import inputs
import volatile

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS, SUMS = os.path.join(HERE, 'runs.txt'), os.path.join(HERE, 'sums.txt')

# Where a run computes: the environment of each place.
POCL = {'CLPAC_DEVICE': 'platform~Portable', 'POCL_DEVICES': 'pthread'}
PLACES = {
    'native': {'CLPAC_DEVICE': 'native', 'CLPAC_INSTRUCTION_SET': 'baseline'},
    'avx2': {'CLPAC_DEVICE': 'native', 'CLPAC_INSTRUCTION_SET': 'avx2'},
    'avx512': {'CLPAC_DEVICE': 'native', 'CLPAC_INSTRUCTION_SET': 'avx512'},
    'pocl': dict(POCL, CLPAC_FFT='clfft'),
    'vkfft': dict(POCL, CLPAC_FFT='vkfft'),
    'lanes': dict(POCL, CLPAC_FFT='lanes'),
    # Two devices of one driver give a series the same numbers, whichever of them takes it.
    'pocl2': {'CLPAC_DEVICE': 'all,platform~Portable', 'POCL_DEVICES': 'pthread pthread', 'CLPAC_FFT': 'clfft'},
}
SHORT = {'cpu': ['native', 'avx2', 'avx512'], 'all': ['native', 'avx2', 'avx512', 'pocl']}
# Which places share what they depend on.
GROUPS = {'native': 'native', 'avx2': 'avx2', 'avx512': 'avx512', 'pocl': 'pocl', 'vkfft': 'pocl', 'lanes': 'pocl',
          'pocl2': 'pocl'}
PICTURES = ('.png', '.svg', '.pdf')

HEAD = '''# What the runs of runs.txt make: what, the first half of its SHA-256, and the places that have it in common.  Written by
# `make renew-corpus`; HACKING.md says when.
#
# Rows of a group are compared where the group depends on the same as it did when they were recorded, and skipped elsewhere.
# Pictures of a place need both: what the place depends on, and what pictures depend on.
'''


def sha(content):
    """The first half of the SHA-256, which is enough to tell any two apart."""
    return hashlib.sha256(content if isinstance(content, bytes) else content.encode('utf-8', 'surrogateescape')).hexdigest()[:32]


def output_of(words, **options):
    """What a program prints, or nothing where it is missing or fails."""
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, **options)
    except OSError:
        return ''
    return done.stdout.decode('utf-8', 'replace').strip() if done.returncode == 0 else ''


def expand(text, words):
    return re.sub(r'\$\w+', lambda match: words[match.group(0)], text)


def read_table():
    """The runs as (name, places, commands): rows "NAME  PLACES  COMMAND ; COMMAND", and short words as "$WORD = TEXT"."""
    words, rows = {}, []
    for number, line in enumerate(open(RUNS, encoding='utf-8'), 1):
        line = line.strip()
        if not line or line.startswith('#'):
            continue
        if line.startswith('$'):
            name, text = line.split('=', 1)
            words[name.strip()] = expand(text.strip(), words)
            continue
        name, places, text = line.split(None, 2)
        text = expand(text, words)
        row = (name, SHORT.get(places) or places.split(','), [part.strip() for part in text.split(' ; ')])
        if name in (row[0] for row in rows) or any(place not in PLACES for place in row[1]):
            sys.exit('%s:%d: %s is there already, or names a place that there is not' % (RUNS, number, name))
        rows.append(row)
    return rows


class Corpus:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.base = {name: value for name, value in os.environ.items()
                     if name in ('PATH', 'TMPDIR', 'LD_LIBRARY_PATH', 'OCL_ICD_VENDORS', 'XDG_CACHE_HOME', 'CLPAC_THREADS',
                                 'GLIBC_TUNABLES')}
        # Where clpac keeps compiled programs PoCL compiles every kernel anew from them; its own cache does not.
        self.base.update(HOME=folder, LC_ALL='C', CLPAC_MEMORY='256M', CLPAC_CACHE='none')
        self.base.setdefault('CLPAC_THREADS', '2')
        facts = json.loads(output_of([program, 'devices', '--json'], env=dict(self.base, POCL_DEVICES='pthread')) or '{}')
        self.devices = facts.get('devices', [])
        names = {device['name'] for device in self.devices} | {device['driver'] for device in self.devices} - {None}
        self.names = sorted((name for name in names if len(name) > 6), key=len, reverse=True)
        self.depends, self.lacks = self.find_dependences()

    def find_dependences(self):
        """For each group the text that says what it depends on here, or the reason why it cannot be computed."""
        version = output_of([self.program, '--version'], env=self.base)
        depends, lacks = {'native': 'nothing', 'avx2': 'nothing', 'avx512': 'nothing'}, {}
        native = next(device for device in self.devices if device['backend'] == 'native')
        for name in ('avx2', 'avx512'):
            if name not in native['extensions'].split():
                lacks[name] = 'this processor or this build has no %s' % name
        pocl = [device for device in self.devices if device['platform_name'] == 'Portable Computing Language']
        if pocl:
            listed = output_of([self.program, 'devices'], env=dict(self.base, POCL_DEVICES='pthread'))
            built = re.search(r'Portable Computing Language, (.*?)(\n\n|$)', listed, re.S)
            depends['pocl'] = ' '.join('{} {}'.format(pocl[0]['name'], built.group(1) if built else '').split())
        else:
            lacks['pocl'] = 'PoCL is not installed'
        cairo = re.search(r'cairo [0-9.]+', version)
        if cairo:
            font = output_of(['fc-match', '-f', '%{file}', 'sans-serif'], env=self.base)
            what = os.path.basename(font) + ' ' + sha(open(font, 'rb').read())[:16] if font else 'an unknown font'
            rendering = output_of(['pkg-config', '--modversion', 'freetype2', 'pixman-1'], env=self.base).split()
            depends['pictures'] = '%s, %s, FreeType and pixman %s, zlib %s' % (
                cairo.group(0), what, ' '.join(rendering) or 'unknown', zlib.ZLIB_RUNTIME_VERSION)
        else:
            lacks['pictures'] = 'this build has no cairo'
        return depends, lacks

    def sum_of(self, path, name):
        """The sums of one file as (what, sum)."""
        content = open(path, 'rb').read()
        ending = os.path.splitext(name)[1]
        if ending == '.npz':
            with zipfile.ZipFile(path) as archive:
                return [('%s:%s' % (name, member), sha(volatile.array_of(member, archive.read(member))))
                        for member in archive.namelist()]
        if ending == '.json':
            content = volatile.json_of(content.decode(), self.names)
        elif ending == '.csv':
            content = volatile.table_of(content.decode())
        elif ending == '.png':
            content = volatile.png_of(content)
        elif ending == '.pdf':
            content = volatile.pdf_of(content)
        return [(name, sha(content))]

    def said(self, content):
        """What a command printed, without what is volatile; JSON by its members."""
        text = content.decode('utf-8', 'surrogateescape')
        if text.startswith('{'):
            return volatile.json_of(text, self.names)
        return volatile.lines_of(text, self.names)

    def run(self, name, place, commands):
        """Runs the commands of a row in a folder of their own; returns its sums, or the reason why it did not run."""
        folder = os.path.join(self.folder, '%s@%s' % (name, place))
        os.mkdir(folder)
        os.symlink(os.path.join(self.folder, 'inputs'), os.path.join(folder, 'in'))
        env = dict(self.base, **PLACES[place])
        sums = []
        for number, command in enumerate(commands, 1):
            words = shlex.split(command)
            while '=' in words[0]:
                variable, value = words.pop(0).split('=', 1)
                env[variable] = value
            words = [found for word in words for found in self.files_of(folder, word)]
            # The JSON is compared with everything that it can hold.
            if words[0] in ('run', 'erpac', 'compare', 'group') and env.get('JSON') != 'short':
                words.append('--json-full')
            done = subprocess.run([self.program] + words, cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            if done.returncode != 0:
                last = done.stderr.decode('utf-8', 'replace').strip().split('\n')[-1]
                return None, 'command %d ended with %d: %s' % (number, done.returncode, last)
            for stream, content in (('stdout', done.stdout), ('stderr', done.stderr)):
                sums.append(('%d:%s' % (number, stream), sha(self.said(content))))
        for parent, folders, files in os.walk(folder):
            folders.sort()
            for file in sorted(files):
                path = os.path.join(parent, file)
                try:
                    sums += self.sum_of(path, os.path.relpath(path, folder))
                except (ValueError, zipfile.BadZipFile, zlib.error) as error:
                    return None, '%s cannot be read: %s' % (file, error)
        if not os.environ.get('CLPAC_TEST_KEEP'):
            shutil.rmtree(folder)
        return {what: value for what, value in sums}, None

    @staticmethod
    def files_of(folder, word):
        """The files that a word with a pattern of the shell names, as a shell would; any other word is itself."""
        if not re.match(r'in/.*[*?[]', word):
            return [word]
        return sorted(os.path.relpath(path, folder) for path in glob.glob(os.path.join(folder, word))) or [word]


def read_sums():
    """The recorded sums as {(run, place, what): sum}, and what each group depended on."""
    sums, depends = {}, {}
    if os.path.exists(SUMS):
        for line in open(SUMS, encoding='utf-8'):
            if line.startswith('depends '):
                _, group, text = line.rstrip('\n').split(' ', 2)
                depends[group] = text
            elif line.startswith('  '):
                what, value, places = line.split()
                sums.update({(run, place, what): value for place in places.split(',')})
            elif line.strip() and not line.startswith('#'):
                run = line.strip()
    return sums, depends


def write_sums(sums, depends):
    with open(SUMS, 'w', encoding='utf-8') as file:
        file.write(HEAD)
        for group in sorted(depends):
            file.write('depends %s %s\n' % (group, depends[group]))
        before = None
        for (run, what, value), places in merged(sums).items():
            if run != before:
                file.write(run + '\n')
            before = run
            file.write('  %s %s %s\n' % (what, value, ','.join(places)))


def merged(sums):
    """{(run, what, sum): places}, in their order: a sum that several places have in common is one row of the file."""
    rows = {}
    for run, what, place in sorted((run, what, list(PLACES).index(place)) for run, place, what in sums):
        place = list(PLACES)[place]
        rows.setdefault((run, what, sums[run, place, what]), []).append(place)
    return rows


def groups_of(key):
    """The groups whose dependences a row has."""
    return [GROUPS[key[1]]] + (['pictures'] if key[2].endswith(PICTURES) else [])


def compare(recorded, made, failed):
    """Prints every row that is not the same, in the order of their names, and returns how many there are of each kind."""
    counts = dict.fromkeys(('same', 'differ', 'missing', 'extra'), 0)
    runs = {key[:2] for key in recorded}, {key[:2] for key in made}
    whole = {}
    for key in sorted(set(recorded) | set(made)):
        if key[:2] in failed:
            continue
        kind = ('missing' if key not in made else 'extra' if key not in recorded else
                'same' if made[key] == recorded[key] else 'differ')
        counts[kind] += 1
        if key[:2] in runs[0] and key[:2] in runs[1]:
            if kind != 'same':
                print('%-8s %s' % (kind, ' '.join(key)))
        else:
            whole[kind, key[:2]] = whole.get((kind, key[:2]), 0) + 1
    # Of a run that is recorded alone, or made alone, one line says it.
    for (kind, run), n in whole.items():
        print('%-8s %s: all %d rows' % (kind, ' '.join(run), n))
    return counts


def compute(corpus, wanted):
    """The sums of the wanted runs, and the reasons of those that did not run."""
    made, failed = {}, {}
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        started = {pool.submit(corpus.run, *one): one for one in wanted}
        for future in concurrent.futures.as_completed(started):
            name, place, _ = started[future]
            sums, why = future.result()
            if why:
                failed[name, place] = why
            else:
                made.update({(name, place, what): value for what, value in sums.items()})
    return made, failed


def skip_reasons(corpus, depends, is_renewed):
    """For each group that is not compared here the reason."""
    reasons = dict(corpus.lacks)
    for group, text in corpus.depends.items():
        if group not in reasons and not is_renewed and depends.get(group, text) != text:
            reasons[group] = 'recorded with %s; here it is %s' % (depends[group], text)
    return reasons


def main(arguments):
    is_renewed, only = '--renew' in arguments, '*'
    if '--only' in arguments:
        at = arguments.index('--only')
        only = arguments[at + 1]
        del arguments[at:at + 2]
    program = os.path.abspath([word for word in arguments if not word.startswith('--')][0])
    only += '' if '@' in only else '@*'
    table = [(name, place, commands) for name, places, commands in read_table() for place in places
             if fnmatch.fnmatchcase(name + '@' + place, only)]
    recorded, depends = read_sums()
    kept = {key: value for key, value in recorded.items() if not fnmatch.fnmatchcase(key[0] + '@' + key[1], only)}
    recorded = {key: value for key, value in recorded.items() if key not in kept}
    with tempfile.TemporaryDirectory(prefix='clpac-corpus-') as folder:
        corpus = Corpus(program, folder)
        os.mkdir(os.path.join(folder, 'inputs'))
        os.chdir(os.path.join(folder, 'inputs'))
        inputs.make_all(program)
        reasons = skip_reasons(corpus, depends, is_renewed)
        wanted = [one for one in table if GROUPS[one[1]] not in reasons]
        # Runs on PoCL compile their kernels and take longest: they begin first.
        wanted.sort(key=lambda one: GROUPS[one[1]] != 'pocl')
        made, failed = compute(corpus, wanted)
        os.chdir(HERE)
        if os.environ.get('CLPAC_TEST_KEEP'):
            shutil.copytree(folder, os.environ['CLPAC_TEST_KEEP'], symlinks=True)
    is_skipped = {key: next((group for group in groups_of(key) if group in reasons), None) for key in {**recorded, **made}}
    for group in sorted(reasons):
        n = sum(1 for key in recorded if is_skipped[key] == group)
        print('skipped  %d rows of %s: %s' % (n, group, reasons[group]))
    for name, place in sorted(failed):
        print('failed   %s %s: %s' % (name, place, failed[name, place]))
    compared = {key: value for key, value in recorded.items() if not is_skipped[key]}
    made = {key: value for key, value in made.items() if not is_skipped[key]}
    counts = compare(compared, made, failed)
    n_skipped = len(recorded) - len(compared)
    print('corpus: %d runs; %d rows the same, %d differ, %d missing, %d extra; %d runs failed; %d rows skipped' % (
        len(wanted), counts['same'], counts['differ'], counts['missing'], counts['extra'], len(failed), n_skipped))
    if is_renewed:
        names = {(name, place) for name, place, _ in table}
        unseen = {key: value for key, value in recorded.items() if is_skipped[key] and key[:2] in names}
        if failed:
            sys.exit('corpus: nothing is written, since runs failed')
        write_sums({**kept, **unseen, **made}, {**depends, **corpus.depends})
        print('corpus: %s is written; %d rows are kept that cannot be made here' % (os.path.basename(SUMS), len(unseen)))
        return 0
    return 1 if failed or any(counts[kind] for kind in ('differ', 'missing', 'extra')) or not counts['same'] else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
