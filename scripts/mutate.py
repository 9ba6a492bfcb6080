"""Plants mistakes in the sources, one at a time, and tells which of them the tests notice.

    mutate.py TREE SECONDS SEED JOBS AGAIN [FILE...]

Run by mutate.sh, in the Python that has universalmutator: TREE is a copy of the source with a built folder build/ in it.  The
draw of a number depends on the seed and on the lengths of the files: a file with a chance of its number of lines, then one
of its mutants.  One that does not compile is none; one with the same object code changes nothing.  Any other is noticed when
a test of tests/mutation.txt fails, or hangs: those that noticed a mistake in this file first, then those with most words of the
file's path in their names, then the quick ones, each time up to the first that notices.  A test is measured when its turn comes.

Results are kept beside TREE, in results.  One counts for as long as its file stays as it is.  With AGAIN nothing is drawn: each
mistake, in these files, that no test has noticed is tried once more, with the tests that there are now, the slow ones too, and
then with its file under AddressSanitizer and UBSan."""
import collections
import contextlib
import fnmatch
import functools
import glob
import hashlib
import io
import json
import os
import random
import signal
import sys
import threading
import time

from universalmutator import mutator

from mutate_build import Build, SANITIZERS, Worker, end_all

TREE, SECONDS, SEED, JOBS = os.path.abspath(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
AGAIN = sys.argv[5] == '1'
FOLDER = os.path.dirname(TREE)
TIMES, RESULTS = FOLDER + '/times.json', FOLDER + '/results'
# Tests that take longer by themselves are left out: of draws, since each survivor would cost minutes, and altogether.  They are
# measured in processor time, of which a test takes as much on a machine that others use, and no test may hang longer than the last.
LONGEST_OF_A_DRAW_S, LONGEST_TEST_S, LONGEST_HANG_S = 30, 240, 900
# On a busy machine these fail without a mistake: they compare times.
TIMED = '*growth*'
# A mistake in what signals a process could end any other of this user; drivers take minutes to compile what tests of OpenCL
# run. Files of opencl are taken where they are named.
SKIPPED = ['src/memory/device/probe.c', 'src/memory/opencl/', 'src/coupling/opencl/']


def text_of(file):
    with open(os.path.join(TREE, file)) as text:
        return text.read()


def all_files():
    files = sorted(glob.glob(TREE + '/src/**/*.c', recursive=True) + glob.glob(TREE + '/cl/**/*.cl', recursive=True))
    return [os.path.relpath(file, TREE) for file in files]


def read_table():
    """Pairs of a prefix and its patterns of tests, the longest prefix first."""
    table = []
    for line in text_of('tests/mutation.txt').splitlines():
        if line.strip() and not line.startswith('#'):
            prefix, patterns = line.split(':')
            table.append((prefix, patterns.split()))
    return sorted(table, key=lambda row: -len(row[0]))


def tests_of(file, table, available):
    for prefix, patterns in table:
        if file.startswith(prefix):
            found = []
            for pattern in patterns:
                found += [test for test in available if fnmatch.fnmatch(test.removesuffix('.test'), pattern)
                          and test not in found]
            return [test for test in found if not fnmatch.fnmatch(test, TIMED)]
    sys.exit('%s has no tests in tests/mutation.txt' % file)


def words_of(path):
    return set(path.replace('/', ' ').replace('_', ' ').replace('.', ' ').split())


class Tests:
    """The tests: the processor time that each takes, and the time by the clock when it was measured, kept from run to run; and
    the mistakes that each noticed."""

    def __init__(self, build):
        self.build, self.lock, self.sound, self.table = build, threading.Lock(), {}, read_table()
        self.noticed, self.seconds, self.clock_s = collections.Counter(), {}, {}
        if os.path.exists(TIMES):
            with open(TIMES) as file:
                self.seconds, self.clock_s = json.load(file)

    def measure(self, test, worker):
        """The processor's seconds of a test without a mistake; None where it fails or takes longer than it may."""
        if test not in self.seconds:
            kept, worker.objects, worker.sanitizers = (worker.objects, worker.sanitizers), [], []
            begin = time.monotonic()
            passed = worker.test(test, LONGEST_HANG_S) == 'passed' and worker.processor_s < LONGEST_TEST_S
            self.seconds[test] = worker.processor_s if passed else None
            self.clock_s[test] = time.monotonic() - begin
            worker.objects, worker.sanitizers = kept
            with open(TIMES, 'w') as file:
                json.dump([self.seconds, self.clock_s], file, indent=1)
            if not passed:
                print('left out, for it fails without a mistake, or takes longer than %d s: %s' % (LONGEST_TEST_S, test),
                      file=sys.stderr, flush=True)
        return self.seconds[test]

    def most_s(self, test):
        """The seconds by the clock after which a test hangs."""
        return 8 + 8 * self.clock_s[test]

    def usable(self, file, worker, longest_s):
        """The tests of a file, each measured before it is given."""
        words = words_of(file)
        with self.lock:
            tests = sorted(tests_of(file, self.table, self.build.programs), key=lambda test: (
                -self.noticed[file, test], -len(words & words_of(test)), self.seconds.get(test) or 0))
        for test in tests:
            with self.lock:
                seconds = self.measure(test, worker)
            if seconds is not None and seconds < longest_s:
                yield test

    def count(self, file, test):
        with self.lock:
            self.noticed[file, test] += 1

    def is_sound(self, test, file, original, worker):
        """Whether a test passes now without a mistake: asked once of each test that noticed one."""
        key = test, file if worker.sanitizers else None
        if key not in self.sound:
            worker.forget()
            if worker.sanitizers:
                worker.compile(file, original, '-Os')
            self.sound[key] = worker.test(test, 52 + self.most_s(test)) == 'passed'
            worker.forget()
        return self.sound[key]


@functools.lru_cache(maxsize=400)
def mutants_of(file):
    """All mutants of a file, as pairs of a line's number and what it becomes."""
    with contextlib.redirect_stdout(io.StringIO()):
        mutants = mutator.mutants_regexp(text_of(file).splitlines(True), ruleFiles=['universal.rules', 'c.rules', 'c_like.rules'],
                                         ignorePatterns=[], ignoreStringOnly=True)
    return [(mutant[0], mutant[1]) for mutant in mutants]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Draw:
    """What a number stands for: a file, a line in it and what it becomes."""

    def __init__(self, files):
        self.files, self.lines = files, [text_of(file).count('\n') for file in files]
        self.lock = threading.Lock()

    def file(self, number):
        return random.Random('%d:%d' % (SEED, number)).choices(self.files, self.lines)[0]

    def mutant(self, number):
        file = self.file(number)
        with self.lock:
            mutants = mutants_of(file)
        return random.Random('%d:%d:mutant' % (SEED, number)).choice(mutants) if mutants else None


class Results:
    """What became of each number, line by line in a file: later lines count."""

    def __init__(self, scope):
        self.scope, self.lock, self.drawn, self.now = scope, threading.Lock(), {}, {}
        if os.path.exists(RESULTS):
            with open(RESULTS) as lines:
                for line in lines:
                    record = json.loads(line)
                    if (record['seed'], record['scope']) == (SEED, scope):
                        self.take(record)

    def take(self, record):
        number = record['number']
        if not record['again']:
            self.drawn[number] = record
        self.now[number] = record

    def add(self, record):
        with self.lock:
            self.take(record)
            with open(RESULTS, 'a') as file:
                print(json.dumps(record), file=file)

    def holds(self, number, file):
        record = self.drawn.get(number)
        return record is not None and record['file'] == file and record['digest'] == digest(text_of(file))

    def counts(self, records):
        counts = collections.Counter(record['verdict'] for record in records.values())
        counts['changing'] = counts['noticed'] + counts['survived']
        return counts

    def row(self, name, records):
        counts, seconds = self.counts(records), sum(record['seconds'] for record in records.values())
        return '| %s | %d | %d s | %d | %d | %d | %d | %d | %s |' % (
            name, SEED, seconds, len(records), counts['invalid'], counts['same'], counts['noticed'], counts['survived'],
            '%.1f %%' % (100 * counts['noticed'] / counts['changing']) if counts['changing'] else '-')


def first_to_notice(file, worker, tests, original, mutant, longest_s):
    """The test that notices a mistake; None where all pass; 'no program' where none can be linked with it."""
    linked = False
    for test in tests.usable(file, worker, longest_s):
        most_s = tests.most_s(test) * (3 if worker.sanitizers else 1)
        if not worker.objects:
            worker.compile(file, mutant, '-Os')
        said = worker.test(test, most_s)
        linked = linked or said != 'unlinked'
        if said in ('passed', 'unlinked'):
            continue
        # A failure by chance comes once; a test that hangs has had its time.
        if said == 'hung' or worker.test(test, most_s) != 'passed':
            if tests.is_sound(test, file, original, worker):
                tests.count(file, test)
                return test + (' hangs' if said == 'hung' else '') + (' under sanitizers' if worker.sanitizers else '')
            print('%s fails without a mistake' % test, file=sys.stderr, flush=True)
    return None if linked else 'no program'


def try_mutant(worker, tests, file, line, becomes):
    """What became of a mutant, and who noticed it."""
    original = text_of(file)
    lines = original.splitlines(True)
    mutant = ''.join(lines[:line - 1] + [becomes] + lines[line:])
    worker.sanitizers = []
    verdict, by = worker.changes(file, original, mutant), None
    if verdict == 'changed':
        by = first_to_notice(file, worker, tests, original, mutant, LONGEST_TEST_S if AGAIN else LONGEST_OF_A_DRAW_S)
        if AGAIN and not by and not file.endswith('.cl'):
            worker.sanitizers = SANITIZERS
            worker.forget()
            by = first_to_notice(file, worker, tests, original, mutant, LONGEST_OF_A_DRAW_S)
        verdict = 'invalid' if by == 'no program' else 'noticed' if by else 'survived'
    return verdict, by


def find_again(record):
    """The line that a record is about, which may have moved since; None where it is gone."""
    lines = text_of(record['file']).splitlines(True)
    found = [i + 1 for i, line in enumerate(lines) if line == record['line']]
    return min(found, key=lambda number: abs(number - record['at']), default=None)


def judge(number, record, worker, tests, results):
    begin = time.monotonic()
    record['verdict'], record['by'] = try_mutant(worker, tests, record['file'], record['at'], record['becomes'])
    record['seconds'] = time.monotonic() - begin
    record['again'], record['digest'] = AGAIN, digest(text_of(record['file']))
    results.add(record)
    counts = results.counts(results.now)
    print('%d: %-8s %s:%d: %s  ==>  %s%s   (%d of %d)' % (
        number, record['verdict'], record['file'], record['at'], record['line'].strip(), ' '.join(record['becomes'].split()),
        '   [%s]' % record['by'] if record['by'] else '', counts['noticed'], counts['changing']),
          file=sys.stdout if record['verdict'] == 'survived' else sys.stderr, flush=True)


def work_on_draws(take, draw, worker, tests, results):
    number = take()
    while number is not None:
        file = draw.file(number)
        if not results.holds(number, file):
            mutant = draw.mutant(number)
            if mutant and tests.build.compilers_of(file):  # none: a part that this configuration leaves out
                line, becomes = mutant
                judge(number, {'seed': SEED, 'scope': results.scope, 'number': number, 'file': file, 'at': line,
                               'line': text_of(file).splitlines(True)[line - 1], 'becomes': becomes}, worker, tests, results)
        number = take()


def work_on_survivors(take, worker, tests, results):
    record = take()
    while record is not None:
        at = find_again(record)
        if at is None:
            print('%d: %s:%d is gone: %s' % (record['number'], record['file'], record['at'], record['line'].strip()), flush=True)
        else:
            judge(record['number'], dict(record, at=at), worker, tests, results)
        record = take()


def taker_of(items, until):
    """A function that takes the next item, for several threads; None at the end, or when the time is over."""
    lock, items = threading.Lock(), iter(items)

    def take():
        with lock:
            return next(items, None) if time.monotonic() < until else None
    return take


def endless():
    number = 0
    while True:
        yield number
        number += 1


def end(number, frame):
    """Ends what is running too: a hanging test would stay behind."""
    end_all()
    os._exit(1)


def main():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    files = sys.argv[6:] or [file for file in all_files() if not file.startswith(tuple(SKIPPED))]
    results, draw, build = Results(' '.join(sys.argv[6:]) or 'all'), Draw(files), Build(TREE, all_files())
    if AGAIN and not results.drawn:
        results = Results('all')
    tests, until = Tests(build), time.monotonic() + SECONDS
    if AGAIN:
        survivors = [record for record in results.now.values() if record['verdict'] == 'survived' and record['file'] in files]
        take = taker_of(survivors, float('inf'))
    else:
        take = taker_of(endless(), until)

    def work(name):
        worker = Worker(build, '%s/worker-%d' % (FOLDER, name))
        if AGAIN:
            work_on_survivors(take, worker, tests, results)
        else:
            work_on_draws(take, draw, worker, tests, results)
    threads = [threading.Thread(target=work, args=(name,), daemon=True) for name in range(JOBS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(results.row('when drawn', results.drawn))
    print(results.row('now', results.now))


main()
