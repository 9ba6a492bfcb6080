"""One source with a mistake in it: compiled, linked with what is built of the rest, and run through tests.

The tree stays as it is.  A worker has a folder of its own for the source, its objects and the programs, and since the mistaken
object stands before the archives of a program, the linker never looks for the right one.  Commands are those of make, taken
from what it would do."""
import os
import re
import resource
import shlex
import signal
import subprocess

# A mistake may ask for all memory, and for ever; no test needs as much.
MOST_MEMORY, MOST_CPU_S = 8 << 30, 900
# The mistaken file alone is instrumented: what it writes and reads, and what the whole program leaves behind.
SANITIZERS = ['-fsanitize=address,undefined', '-fno-sanitize-recover=undefined']
# Words in the names of tests that run on the drivers of the machine.
NEED_DRIVERS = ['opencl', 'tool_cache', 'tool_first_run']
# Tests that load a library of their own, which a build without shared libraries cannot make.
NEED_SHARED = ('card/',)
# Not a program of its own: the runs of tests/corpus on the native device, by the program with the mistake.
CORPUS = 'corpus/native'
# Mistakes that any build of the project refuses: a mistyped name of a function, and an end without the value.
REFUSED = ['-Werror=implicit-function-declaration', '-Werror=return-type']


def limit(most_memory):
    os.setsid()
    if most_memory:
        resource.setrlimit(resource.RLIMIT_AS, (most_memory, most_memory))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S))


def end_session(session):
    """Ends what a command left behind.  A runner's children have groups of their own, but its session."""
    for name in os.listdir('/proc'):
        try:
            with open('/proc/%d/stat' % int(name)) as stat:
                if int(stat.read().rsplit(')', 1)[1].split()[3]) == session:
                    os.kill(int(name), signal.SIGKILL)
        except (ValueError, OSError):
            pass


running = set()


def end_all():
    for session in list(running):
        end_session(session)


def run(command, folder, seconds, environment=None, most_memory=MOST_MEMORY):
    """The exit status of a command, and its output; 124 where it took longer."""
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, preexec_fn=lambda: limit(most_memory))
    running.add(process.pid)
    try:
        output, _ = process.communicate(timeout=seconds)
        status = process.returncode
    except subprocess.TimeoutExpired:
        status, output = 124, b''
    end_session(process.pid)
    running.discard(process.pid)
    if status == 124:
        process.communicate()
    return status, output.decode(errors='replace')


def said_by_make(build, arguments, script=''):
    return subprocess.run(['make', '-s'] + arguments + (['-f', '-'] if script else []), cwd=build, text=True, check=True,
                          stdout=subprocess.PIPE, input=script).stdout


class Build:
    """How the tree's sources are compiled and its tests are linked."""

    def __init__(self, tree, sources):
        self.tree, self.build = tree, os.path.join(tree, 'build')
        self.compilers, self.links = {}, {}
        changed = [word for source in sources if source.endswith('.c') for word in ('-W', '../' + source)]
        for line in said_by_make(self.build, ['-n', '-W', '../src/coupling/native/kernels.c'] + changed + ['all-am']).splitlines():
            found = re.search(r"(?:--mode=compile )?(?:ccache )?([^\s;]*cc .*) -MT .* -o (\S+)\.l?o `.*`(\S+\.c)$", line)
            if found:
                command, target, source = found.groups()
                self.compilers.setdefault(source, {})[target + '.o'] = shlex.split(command.rsplit('--mode=compile ', 1)[-1])
        self.programs = said_by_make(self.build, ['list'], 'include Makefile\nlist:\n\t@echo $(clpac_long_tests) $(clpac_tests) '
                                     '$(clpac_test_scripts)\n').split()
        self.programs = [word[word.index('tests/') + 6:] for word in self.programs]
        self.programs = [test for test in self.programs if not test.startswith(NEED_SHARED)]
        self.learn_links()
        self.programs.append(CORPUS)

    def compilers_of(self, source):
        """Compilers by the object that each makes; kernels become objects of every instruction set."""
        return self.compilers.get('src/coupling/native/kernels.c' if source.endswith('.cl') else source, {})

    def learn_links(self):
        """Builds the programs of the tests, so that their own objects are there, and keeps the commands that link them."""
        programs = ['tests/' + test for test in self.programs if not test.endswith('.test')] + ['clpac']
        subprocess.run(['make', '-s', '-j2'] + programs, cwd=self.build, check=True, stdout=subprocess.DEVNULL)
        # With -B make would empty the files of dependencies, even with -n: it includes them, and makes what it includes.
        for line in said_by_make(self.build, ['-n', '-B', '-o', 'Makefile', 'am__depfiles_remade='] + programs).splitlines():
            found = re.search('--mode=link (.* -o (tests/\\S+|clpac) .*)', line)
            if found:
                words = [word for word in shlex.split(found.group(1)) if word not in ('ccache', '-export-dynamic')]
                words += ['-rdynamic'] if '-export-dynamic' in line else []
                self.links[found.group(2)] = [part for word in words for part in self.without_libtool(word)]

    def without_libtool(self, word):
        """An archive, and what it needs, in the place of a library of libtool."""
        if not word.endswith('.la'):
            return [word]
        with open(os.path.join(self.build, word)) as library:
            text = library.read()
        archive = re.search("^old_library='(.*)'", text, re.M).group(1)
        needed = re.search("^dependency_libs='(.*)'", text, re.M).group(1).split()
        return ['.libs/' + archive] + [part for other in needed for part in self.without_libtool(other)]


def seconds_of_times(path):
    """What a shell's `times` says of its children: 1m2.5s of the user, and of the system."""
    with open(path) as file:
        words = file.read().split()[2:]
    return sum(60 * float(minutes) + float(seconds) for minutes, seconds in (word.rstrip('s').split('m') for word in words))


class Worker:
    """A folder for one mistake at a time."""

    def __init__(self, build, folder):
        self.build, self.folder, self.objects, self.right, self.sanitizers = build, folder, [], {}, []
        self.processor_s = 0.0  # of the last test that came to its end
        for name in ('tests', 'temporary', 'cache', 'objects'):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
        environment = {key: value for key, value in os.environ.items() if not key.startswith('CLPAC_')}
        environment.update(CLPAC_TEST_SRCDIR=build.tree, CLPAC_TEST_BUILDDIR=build.build,
                           CLPAC_TEST_DATA=build.tree + '/tests/data', CLPAC_TEST_PROGRAM=folder + '/clpac', XDG_CACHE_HOME=build.build + '/tests/cache',
                           TMPDIR=folder + '/temporary', CC='cc', AWK='awk',
                           ASAN_OPTIONS='allocator_may_return_null=1:strict_string_checks=1',
                           LSAN_OPTIONS='print_suppressions=0:suppressions=%s/tests/support/leaks.supp' % build.tree)
        self.with_drivers = environment
        # Loading a driver takes longer than most tests.
        self.without_drivers = dict(environment, OCL_ICD_VENDORS='/nonexistent')

    def compile(self, source, text, option):
        """Objects of a text in the place of a source, as bytes by their paths; None where the text does not compile."""
        place = os.path.join(self.folder, source)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, 'w') as file:
            file.write(text)
        objects = {}
        for path, compiler in self.build.compilers_of(source).items():
            target = os.path.join(self.folder, 'objects', path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            main = self.build.tree + '/src/coupling/native/kernels.c' if source.endswith('.cl') else place
            command = compiler[:1] + ['-I' + self.folder + '/cl'] + compiler[1:] + [*REFUSED, *self.sanitizers, option]
            if run(command + ['-c', '-o', target, main] if option != '-fsyntax-only' else command + [main],
                   self.build.build, 600)[0]:
                return None
            if option == '-fsyntax-only':
                return objects
            with open(target, 'rb') as code:
                objects[path] = code.read()
        self.objects = list(objects)
        return objects

    def changes(self, source, original, mutant):
        """What a mistake does to the code: 'invalid', 'same' or 'changed'.  The object that is left is the mistaken one's."""
        if self.compile(source, mutant, '-fsyntax-only') is None:
            return 'invalid'
        # Code that any optimiser makes the same is the same.  Kernels take long to compile.
        for option in ('-Os',) if source.endswith('.cl') else ('-O2', '-Os'):
            if self.right.get(option, (None,))[0] != (source, original):
                self.right[option] = (source, original), self.compile(source, original, option)
            objects = self.compile(source, mutant, option)
            if objects is None or objects == self.right[option][1]:
                return 'invalid' if objects is None else 'same'
        return 'changed'

    def link(self, program, target):
        """Whether a program links.  Without a mistake it is that of the tree."""
        words, mistaken = [], [os.path.join(self.folder, 'objects', path) for path in self.objects]
        for word in self.build.links[program]:
            if word.startswith('.libs/') and mistaken:
                words += mistaken
                mistaken = []
            if word in self.objects:
                word = mistaken.pop()
            words += [target if word == program else word]
        return run(words + self.sanitizers, self.build.build, 600)[0] == 0

    def forget(self):
        """What is linked from now on has no mistake."""
        self.objects = []

    def test(self, test, seconds):
        """What a test says: 'passed' (or skipped), 'failed', 'hung', or 'unlinked'."""
        needs_drivers = any(word in test for word in NEED_DRIVERS)
        environment = self.with_drivers if needs_drivers else self.without_drivers
        script = test.endswith('.test')
        of_program = script or test == CORPUS
        target = self.folder + ('/clpac' if of_program else '/tests/' + os.path.basename(test))
        if not self.link('clpac' if of_program else 'tests/' + test, target):
            return 'unlinked'
        command = [target]
        if script:
            command = ['sh', self.build.tree + '/tests/support/script.sh', self.build.tree + '/tests/' + test]
        elif of_program:
            command = ['python3', self.build.tree + '/tests/corpus/corpus.py', '--only', '*@native', target]
        times = self.folder + '/times'
        status, output = run(['sh', '-c', '"$@"; status=$?; times >"$0"; exit $status', times] + command, self.folder, seconds,
                             environment, 0 if self.sanitizers else MOST_MEMORY)
        if status == 124:
            return 'hung'
        if os.path.exists(times):
            self.processor_s = seconds_of_times(times)
        failed = status not in (0, 77) or any(line.startswith('not ok') for line in output.splitlines())
        return 'failed' if failed else 'passed'
