"""What differs between two runs of the same program, and is taken out before sums are made.

This file is the one place for it: JSON members by their path, columns of tables, words of sentences.  All else counts, and
so do spaces and, but for filters, the digits in which a number is printed."""
import array
import re
import zlib

# Members of JSON, by path; "*" is any element of an array.  The value becomes null, the name stays.
JSON_MEMBERS = {
    # Times of this run.
    'seconds', 'stages.*.seconds', 'devices.*.seconds', 'lengths.*.seconds', 'lengths.*.plans.*.seconds_alone',
    'replay.seconds',
    # Where the program lies, and the release it was built as.
    'provenance.command.0', 'version', 'device.driver',
    # The computer, and the libraries that the program was built with.
    'provenance.host', 'provenance.build',
    # The recording's file here: its number and its times.
    'provenance.recording_state',
    # Of results, whose taps have the last digits of the computer's sines.
    'provenance.subjects.*.checksum',
    # Names that drivers and processors give to themselves.
    'device.name', 'device.platform', 'device', 'devices.*.name', 'devices.*.platform', 'plan.device',
    'lengths.*.plans.*.device', 'lengths.*.plans.*.platform',
    # The clock and the threads of a snapshot of memory.
    'events.*.time_ns', 'events.*.thread',
    # Threads, one for each core, and the memory of a run, of which each thread has a workspace.  The rows of `memory` and
    # `plan` hold the bytes, with two threads.
    'device.n_threads', 'devices.*.peak_bytes', 'memory.estimate_bytes', 'memory.taken_bytes', 'memory.peak_bytes',
}
# Members of a run on several devices: each takes the next series when it is free, so that time decides on them.
JSON_SHARES = {'devices.*.n_series', 'devices.*.n_batches', 'stages'}

# Columns of a trace of memory: the clock, and the number that the system gave to a thread.
TRACE_COLUMNS = {'time_ns', 'thread'}

# Lines of standard error that tell of progress, which come by the clock; and what PoCL's compiler says where kernels are not in
# its cache.
PROGRESS = re.compile(r'^\d+ warnings? generated\.$|^clpac \w+: (.*: )?(reading |opening the device|computing |correlating |\d+ %)')

# Words of sentences, with what stands in their place.
SENTENCES = [
    # The time of a run, and the devices with their shares: "3 series in 0.175 s on AMD EPYC".
    (re.compile(r' in [0-9.e+-]+ (ms|s|min|h) on .*$'), ' in TIME on DEVICE'),
    (re.compile(r' in [0-9.e+-]+ (ms|s|min|h)$'), ' in TIME'),
    # Lines of a plan: the device with its threads, and times estimated by a short measurement.
    (re.compile(r'^device     .*$'), 'device     DEVICE'),
    (re.compile(r'^(time|alone) +.*$'), r'\1 TIME'),
    # Where kernels are cached: a folder of the one who runs this.
    (re.compile(r'^  cache  .*$'), '  cache  FOLDER'),
    (re.compile(r'^  threads  .*$'), '  threads  NUMBER'),
]


def lines_of(text, devices):
    """Sentences without what is volatile; DEVICES are the names of this computer's devices."""
    kept = []
    for line in text.split('\n'):
        if PROGRESS.match(line):
            continue
        for pattern, words in SENTENCES:
            line = pattern.sub(words, line)
        for name in devices:
            line = line.replace(name, 'DEVICE')
        kept.append(line)
    return '\n'.join(kept)


TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[][{},:]|[^][{},:\s"]+)')


def is_volatile(path, members):
    if '.'.join(path) in members:
        return True
    return '.'.join('*' if word.isdigit() else word for word in path) in members


class Json:
    """Copies a JSON text and puts null in the place of volatile values; everything else stays byte for byte."""

    def __init__(self, text, members):
        self.text, self.at, self.members, self.out = text, 0, members, []

    def peek(self):
        match = TOKEN.match(self.text, self.at)
        if not match:
            raise ValueError('no JSON at byte %d' % self.at)
        return match

    def take(self):
        match = self.peek()
        self.out.append(match.group(0))
        self.at = match.end()
        return match.group(1)

    def value(self, path):
        before = len(self.out)
        word = self.take()
        is_object = word == '{'
        if is_object or word == '[':
            self.members_of(path, is_object)
        # The device of a result is an object, of which some members count; that of `memory` is a name.
        if is_volatile(path, self.members) and not (path == ['device'] and is_object):
            del self.out[before:]
            self.out.append(' null')

    def members_of(self, path, is_object):
        end, n = '}' if is_object else ']', 0
        while self.peek().group(1) != end:
            if is_object:
                name = self.take()[1:-1]
                self.take()
            else:
                name = str(n)
            self.value(path + [name])
            n += 1
            if self.peek().group(1) == ',':
                self.take()
        self.take()

    def copy(self):
        self.value([])
        return ''.join(self.out) + self.text[self.at:]


# Filters are designed in double precision, whose last digits depend on which sines and powers the C library has for a
# processor: with multiply-add or without.  Ten digits are far more than single precision, in which the rest is computed.
LONG_NUMBER = re.compile(r'-?\d+\.\d{9,}(?:e[+-]?\d+)?')


# Arrays of filters, likewise.
FILTER_ARRAYS = {'filters_hz.npy', 'taps.npy'}


def array_of(name, content):
    """An array; those of filters as their head and the numbers over the largest, with eight digits behind the point."""
    if name not in FILTER_ARRAYS:
        return content
    start = 10 + int.from_bytes(content[8:10], 'little')
    values = array.array('d', content[start:])
    largest = max(abs(value) for value in values if value == value)
    return content[:start] + ' '.join('%.8f' % (round(value / largest, 8) + 0.0) for value in values).encode()


def json_of(text, devices):
    members = JSON_MEMBERS
    listed = re.search(r'"devices": \[(.*?)\n  \]', text, re.S)
    if listed and listed.group(1).count('"selection"') > 1:
        members = members | JSON_SHARES
    # A result that was made here, not a recording, whose names have a folder.
    if re.search(r'"input": \{"name": "[^"/]*\.npz"', text):
        members = members | {'input.checksum'}
    # The corpus itself adds this word to a command.
    text = Json(text, members).copy().replace(', "--json-full"', '')
    # It is not there where the file has just been made.
    text = text.replace('"recording_state": null, ', '')
    for name in devices:
        text = text.replace(name, 'DEVICE')
    return LONG_NUMBER.sub(lambda match: '%.10g' % float(match.group(0)), text)


def table_of(text):
    """A table; a trace of memory loses its volatile columns."""
    head = text.split('\n', 1)[0].split(',')
    kept = [i for i, name in enumerate(head) if name not in TRACE_COLUMNS]
    if len(kept) == len(head):
        return text
    return '\n'.join(','.join(row[i] for i in kept) if len(row) == len(head) else ','.join(row)
                     for row in (line.split(',') for line in text.split('\n')))


def png_of(content):
    """The pixels of a picture: how densely zlib packs them is not the program's."""
    at, kept, packed = 8, b'', b''
    while at + 8 <= len(content):
        length, kind = int.from_bytes(content[at:at + 4], 'big'), content[at + 4:at + 8]
        data = content[at + 8:at + 8 + length]
        packed += data if kind == b'IDAT' else b''
        kept += b'' if kind == b'IDAT' else kind + data
        at += length + 12
    return kept + zlib.decompress(packed)


def pdf_of(content):
    """A page without the date of its making."""
    return re.sub(rb'/CreationDate \([^)]*\)', b'/CreationDate ()', content)
