"""Plants mistakes in the sources, one at a time, and tells which of them the tests notice.

    mutate.py TREE MUTATE SECONDS SEED [FILE...]

Run by mutate.sh: TREE is a copy of the source with a configured folder build/ in it, MUTATE the program of universalmutator.
A file is drawn with a chance of its number of lines, then one of its mutants; a seed gives the same draws everywhere.  A mutant
that does not compile is none; one with the same object code changes nothing.  Any other is noticed when a test of
tests/mutation.txt fails, or hangs.  Prints survivors as they come, then the row for doc/reliability.md."""
import fnmatch
import glob
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TREE, MUTATE, SECONDS, SEED = os.path.abspath(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
BUILD = os.path.join(TREE, 'build')
# A mistake may ask for all memory; no test needs as much.  Tests that take longer are left out.
MOST_MEMORY, LONGEST_TEST_S = 8 << 30, 20
TIMES = os.path.join(os.path.dirname(TREE), 'times.json')
# A mistake in what signals a process could end any other of this user; drivers take minutes to compile what tests of OpenCL run.
# Files of src/opencl are taken where they are named.
SKIPPED = ['src/device/probe.c', 'src/opencl/']


def all_files():
    files = sorted(glob.glob(TREE + '/src/**/*.c', recursive=True) + glob.glob(TREE + '/cl/**/*.cl', recursive=True))
    files = [os.path.relpath(file, TREE) for file in files]
    return [file for file in files if not file.startswith(tuple(SKIPPED))]


def read_table():
    """Pairs of a prefix and its patterns of tests, the longest prefix first."""
    table = []
    with open(TREE + '/tests/mutation.txt') as lines:
        for line in lines:
            if line.strip() and not line.startswith('#'):
                prefix, patterns = line.split(':')
                table.append((prefix, patterns.split()))
    return sorted(table, key=lambda row: -len(row[0]))


def programs_of_make():
    """Tests that this configuration has, as paths below tests/."""
    told = subprocess.run(['make', '-s', '-C', BUILD, '-f', '-', 'list'], capture_output=True, text=True, check=True,
                          input='include Makefile\nlist:\n\t@echo $(clpac_tests) $(clpac_test_scripts)\n')
    return [word[word.index('tests/') + 6:] for word in told.stdout.split()]


def tests_of(file, table, available):
    for prefix, patterns in table:
        if file.startswith(prefix):
            found = []
            for pattern in patterns:
                found += [test for test in available if fnmatch.fnmatch(test.removesuffix('.test'), pattern)
                          and test not in found]
            return found
    sys.exit('%s has no tests in tests/mutation.txt' % file)


def limit():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def run(command, seconds, environment=None):
    """The exit status of a command, and its output; 124 where it took longer."""
    process = subprocess.Popen(command, cwd=BUILD, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, preexec_fn=limit)
    try:
        output, _ = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        status, output = 124, b''
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    return status, output.decode(errors='replace')


def environment_of_tests():
    environment = {key: value for key, value in os.environ.items() if not key.startswith('CLPAC_')}
    environment.update(CLPAC_TEST_SRCDIR=TREE, CLPAC_TEST_BUILDDIR=BUILD, CLPAC_TEST_DATA=TREE + '/tests/data',
                       CLPAC_TEST_PROGRAM=BUILD + '/clpac', XDG_CACHE_HOME=BUILD + '/tests/cache', CC='cc', AWK='awk')
    return environment


ENVIRONMENT = environment_of_tests()
# Loading a driver takes longer than most tests.
WITHOUT_DRIVERS = dict(ENVIRONMENT, OCL_ICD_VENDORS='/nonexistent')


def run_test(test, seconds):
    """Whether the test passes; a skipped one does."""
    environment = ENVIRONMENT if 'opencl' in test else WITHOUT_DRIVERS
    if test.endswith('.test'):
        status, output = run(['sh', TREE + '/tests/support/script.sh', TREE + '/tests/' + test], seconds, environment)
        return status in (0, 77) and not any(line.startswith('not ok') for line in output.splitlines())
    return run(['./tests/' + test], seconds, environment)[0] in (0, 77)


def goals(tests):
    return ['tests/' + test for test in tests if not test.endswith('.test')] + \
        (['clpac'] if any(test.endswith('.test') for test in tests) else [])


def make(targets):
    return run(['make', '-s'] + targets, 600)[0] == 0


class Tests:
    """Tests with the time that each takes, kept from run to run; one is taken up when it is first wanted, if it passes
    without a mistake."""

    def __init__(self):
        self.seconds = {}
        if os.path.exists(TIMES):
            with open(TIMES) as file:
                self.seconds = json.load(file)

    def usable(self, tests):
        new = [test for test in tests if test not in self.seconds]
        if new and not make(goals(new)):
            sys.exit('the tests do not build: ' + ' '.join(new))
        for test in new:
            begin = time.monotonic()
            passes = run_test(test, LONGEST_TEST_S)
            self.seconds[test] = time.monotonic() - begin if passes else None
            if not passes:
                print('left out, for it fails without a mistake, or takes longer than %d s: %s' % (LONGEST_TEST_S, test),
                      file=sys.stderr, flush=True)
        if new:
            with open(TIMES, 'w') as file:
                json.dump(self.seconds, file)
        return sorted((test for test in tests if self.seconds[test] is not None), key=lambda test: self.seconds[test])

    def first_to_notice(self, tests):
        for test in tests:
            if not make(goals([test])):
                return 'link of ' + test
            if not run_test(test, 20 + 5 * self.seconds[test]):
                return test
        return None


def objects_of(file):
    """The objects that this source goes into, as make names them."""
    if file.endswith('.cl'):
        return sorted(os.path.relpath(path, BUILD) for path in
                      glob.glob(BUILD + '/src/native/compute/*-kernels.lo')) + ['cl/embedded.c']
    stem = os.path.basename(file)[:-2]
    folder = os.path.join(BUILD, os.path.dirname(file))
    found = glob.glob('%s/*-%s.lo' % (folder, stem)) + glob.glob('%s/*-%s.o' % (folder, stem))
    found = [path for path in found if os.path.basename(path).rsplit('-', 1)[1] in (stem + '.lo', stem + '.o')]
    objects = {os.path.relpath(path, BUILD) for path in found}
    return sorted(path for path in objects if path.endswith('.lo')) or sorted(objects)


def code_of(objects):
    """The bytes of the objects' code; that of a .lo is in the .o beside it."""
    code = []
    for path in objects:
        path = os.path.join(BUILD, path)
        if path.endswith('.lo'):
            path = path[:-3] + '.o'
        if path.endswith('.o'):
            with open(path, 'rb') as file:
                code.append(file.read())
    return code


def mutants_of(file):
    """All mutants of a file, as texts, in an order of their own."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([MUTATE, os.path.join(TREE, file), 'c', '--noCheck', '--mutantDir', folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        names = sorted(os.listdir(folder), key=lambda name: int(name.split('.')[-2]))
        texts = []
        for name in names:
            with open(os.path.join(folder, name)) as text:
                texts.append(text.read())
        return texts


def difference(old, new):
    """The first line that differs, and what it became."""
    old, new = old.splitlines(), new.splitlines()
    at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    same_behind = 0
    while same_behind < min(len(old), len(new)) - at and old[-1 - same_behind] == new[-1 - same_behind]:
        same_behind += 1
    return at + 1, ' '.join(line.strip() for line in old[at:len(old) - same_behind]), \
        ' '.join(line.strip() for line in new[at:len(new) - same_behind])


def number_of_lines(file):
    with open(os.path.join(TREE, file)) as text:
        return sum(1 for _ in text)


def write(path, text):
    with open(path, 'w') as file:
        file.write(text)


def try_mutant(file, mutant, find_usable, tests):
    """What became of a mutant, who noticed it, and the seconds that took.  The file is as it was afterwards."""
    path, objects, begin = os.path.join(TREE, file), objects_of(file), time.monotonic()
    with open(path) as text:
        original = text.read()
    before, notice, spent = code_of(objects), None, 0.0
    try:
        write(path, mutant)
        verdict = 'invalid' if not make(objects) else 'same' if code_of(objects) == before else 'survived'
        if verdict == 'survived':
            # Tests that are new to this run are first tried on what is right.
            spent = time.monotonic() - begin
            write(path, original)
            make(objects)
            usable = find_usable()
            begin = time.monotonic()
            write(path, mutant)
            make(objects)
            notice = tests.first_to_notice(usable)
            verdict = 'noticed' if notice else 'survived'
    finally:
        write(path, original)
    if not make(objects):
        sys.exit('%s does not build any more' % file)
    line, old, new = difference(original, mutant)
    print('%-8s %s:%d: %s  ==>  %s%s' % (verdict, file, line, old, new, '   [%s]' % notice if notice else ''),
          file=sys.stdout if verdict == 'survived' else sys.stderr, flush=True)
    return verdict, spent + time.monotonic() - begin


def draw_mutants(counts):
    """Draws and tries mutants for the time given, which is that of the mutants alone."""
    draw, tests = random.Random(SEED), Tests()
    files = sys.argv[5:] or all_files()
    lines = [number_of_lines(file) for file in files]
    table, available = read_table(), programs_of_make()
    while counts['seconds'] < SECONDS:
        file = draw.choices(files, lines)[0]
        mutants = mutants_of(file)
        mutant = draw.choice(mutants) if mutants else None
        if not mutant or not objects_of(file):
            continue  # objects: of a part that this configuration leaves out
        verdict, seconds = try_mutant(file, mutant, lambda: tests.usable(tests_of(file, table, available)), tests)
        counts[verdict] += 1
        counts['seconds'] += seconds


def end(number, frame):
    raise KeyboardInterrupt


def main():
    counts = {'invalid': 0, 'same': 0, 'noticed': 0, 'survived': 0, 'seconds': 0}
    signal.signal(signal.SIGTERM, end)
    try:
        draw_mutants(counts)
    except KeyboardInterrupt:
        print('ended early', file=sys.stderr)
    changing = counts['noticed'] + counts['survived']
    print('| %d | %d s | %d | %d | %d | %d | %d | %s |' % (
        SEED, counts['seconds'], counts['invalid'] + counts['same'] + changing, counts['invalid'], counts['same'],
        counts['noticed'], counts['survived'], '%.0f %%' % (100 * counts['noticed'] / changing) if changing else '-'))


if shutil.which(MUTATE) is None:
    sys.exit('no %s' % MUTATE)
main()
