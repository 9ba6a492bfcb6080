"""Recordings of the corpus, one small file or a few of each format that clpac reads.

Samples are those of `clpac synth`, which are the same on every machine.  Whatever is made of them here is exact: integers
are rounded from samples times a power of ten, so that no library decides a bit."""
import os
import struct
import subprocess
import zipfile
from array import array

RATE = 250


def npy(descr, shape, data, is_fortran=False):
    head = "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, is_fortran, shape)
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', 118) + head.ljust(117).encode() + b'\n' + data


def pack(code, values):
    """Values as samples: code as of struct with its byte order, integers at 100 to the unit."""
    if code[-1] not in 'fd':
        values = [round(v * 100) for v in values]
    return struct.pack('%s%d%s' % (code[0], len(values), code[-1]), *values)


def multiplexed(channels):
    return [value for sample in zip(*channels) for value in sample]


def joined(channels):
    return [value for channel in channels for value in channel]


def synth(program, name, options):
    """Makes NAME by `clpac synth` and returns its channels as lists of numbers."""
    subprocess.run([program, 'synth', name, '-q'] + options.split(), check=True)
    with open(name, 'rb') as file:
        content = file.read()
    head = struct.unpack('<H', content[8:10])[0]
    samples = array('f', content[10 + head:])
    n_channels = int(options.split('--channels ')[1].split()[0]) if '--channels' in options else 1
    n = len(samples) // n_channels
    return [samples[i * n:(i + 1) * n].tolist() for i in range(n_channels)]


def write(name, content):
    with open(name, 'wb') as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def brainvision(name, channels, markers, code='<f', orientation='VECTORIZED', names=('C3', 'C4', 'Cz')):
    """MARKERS are (type, text, first sample from 1 on, samples)."""
    kind = {'f': 'IEEE_FLOAT_32', 'h': 'INT_16', 'i': 'INT_32'}[code[-1]]
    scale = '1' if code[-1] == 'f' else '0.01'
    lines = ['Brain Vision Data Exchange Header File Version 1.0', '[Common Infos]', 'DataFile=%s.eeg' % name,
             'MarkerFile=%s.vmrk' % name, 'DataFormat=BINARY', 'DataOrientation=' + orientation,
             'NumberOfChannels=%d' % len(channels), 'SamplingInterval=%d' % (1000000 // RATE), '[Binary Infos]',
             'BinaryFormat=' + kind, 'UseBigEndianOrder=' + ('YES' if code[0] == '>' else 'NO'), '[Channel Infos]']
    lines += ['Ch%d=%s,,%s,uV' % (i + 1, names[i], scale) for i in range(len(channels))]
    write(name + '.vhdr', '\n'.join(lines) + '\n')
    in_order = multiplexed(channels) if orientation == 'MULTIPLEXED' else joined(channels)
    write(name + '.eeg', pack(code, in_order))
    lines = ['Brain Vision Data Exchange Marker File, Version 1.0', '[Marker Infos]']
    lines += ['Mk%d=%s,%s,%d,%d,0' % (i + 1, *marker) for i, marker in enumerate(markers)]
    write(name + '.vmrk', '\n'.join(lines) + '\n')


def little_endian(values, width):
    return b''.join(value.to_bytes(width, 'little', signed=True) for value in values)


def edf(signals, n_records, seconds, is_bdf=False, is_plus='', annotations=()):
    """SIGNALS are (label, samples in a record, digital values of the whole); ANNOTATIONS hold the list of each record."""
    width, bytes_of_list = (3, 120) if is_bdf else (2, 120)
    limit = 8388607 if is_bdf else 32767
    columns = [(label, '', 'uV', -(limit + 1) // 64, limit // 64, -limit - 1, limit, 'HP:0.1Hz', n, '')
               for label, n, _ in signals]
    if annotations:
        columns.append((('BDF' if is_bdf else 'EDF') + ' Annotations', '', '', -1, 1, -limit - 1, limit, '',
                        bytes_of_list // width, ''))

    def field(value, size):
        return str(value).encode().ljust(size)

    head = (b'\xffBIOSEMI' if is_bdf else field(0, 8)) + field('X X X X', 80)
    head += field('Startdate 01-JAN-2020 X X X', 80) + b'01.01.2012.34.56' + field(256 + 256 * len(columns), 8)
    head += field(is_plus, 44) + field(n_records, 8) + field(seconds, 8) + field(len(columns), 4)
    for k, size in enumerate((16, 80, 8, 8, 8, 8, 8, 80, 8, 32)):
        head += b''.join(field(column[k], size) for column in columns)
    records = []
    for r in range(n_records):
        records += [little_endian(values[r * n:(r + 1) * n], width) for _, n, values in signals]
        if annotations:
            records.append(annotations[r].ljust(bytes_of_list, b'\0'))
    return head + b''.join(records)


def table(name, head, rows):
    write(name, '\n'.join('\t'.join(str(value) for value in row) for row in [head] + rows) + '\n')


def make_arrays(base):
    """The samples of base.npy in every other way that holds channels alone."""
    shape = '(3, %d)' % len(base[0])
    write('f8.npy', npy('<f8', shape, pack('<d', joined(base))))
    write('i2.npy', npy('<i2', shape, pack('<h', joined(base))))
    write('i4_big.npy', npy('>i4', shape, pack('>i', joined(base))))
    write('fortran.npy', npy('<f4', shape, pack('<f', multiplexed(base)), is_fortran=True))
    write('i2.raw', pack('<h', multiplexed(base)))
    write('f4_big.raw', pack('>f', multiplexed(base)))
    write('f8.raw', pack('<d', multiplexed(base)))
    names = npy('<U2', '(3,)', b''.join(name.encode('utf-32-le') for name in ('C3', 'C4', 'Cz')))
    for name, way in (('stored', zipfile.ZIP_STORED), ('deflated', zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(name + '.npz', 'w', way) as archive:
            for member, content in (('data.npy', npy('<f4', shape, pack('<f', joined(base)))),
                                    ('other.npy', npy('<f8', shape, pack('<d', joined(base[::-1])))),
                                    ('sfreq.npy', npy('<f8', '()', struct.pack('<d', RATE))), ('ch_names.npy', names)):
                archive.writestr(zipfile.ZipInfo(member), content, way)


def make_holes(base):
    """A table whose channels are of several types, and one of floats with NaN."""
    lines = ['EEG Fz,EEG Cz,HEOG,Status,=C3']
    for t in range(len(base[0])):
        a, b, c = (channel[t] for channel in base)
        lines.append('%.6f,%s,%.6f,%d,%.6f' % (a, 'nan' if 700 < t < 720 else '%.6f' % b, c, t % 7, a - c))
    write('types_eeg.csv', '\n'.join(lines) + '\n')
    write('semicolon.csv', '\n'.join('%.4f;%.4f' % pair for pair in zip(base[0], base[1])) + '\n')
    table('types_channels.tsv', ('name', 'type', 'status', 'status_description'),
          [('EEG Fz', 'EEG', 'good', 'n/a'), ('EEG Cz', 'SEEG', 'good', 'n/a'), ('HEOG', 'EOG', 'good', 'n/a'),
           ('Status', 'TRIG', 'good', 'n/a'), ('=C3', 'ECOG', 'bad', 'no contact')])
    table('types_events.tsv', ('onset', 'duration', 'trial_type'), [(4, 0.5, 'BAD_jump'), (6, 0, 'go')])
    nan = [channel[:] for channel in base]
    nan[1][500:510] = [float('nan')] * 10
    nan[2][1500:1501] = [float('inf')]
    write('nan.npy', npy('<f4', '(3, %d)' % len(base[0]), pack('<f', joined(nan))))
    flat = [base[0], [1.0] * len(base[0])]
    write('flat.npy', npy('<f4', '(2, %d)' % len(base[0]), pack('<f', joined(flat))))


def make_marked(long):
    """Recordings with events, bad stretches and gaps."""
    events = [('Stimulus', 'go' if i % 2 else 'stop', 500 + 375 * i, 1) for i in range(24)]
    bad = [('Comment', 'BAD_muscle', 2501, 300), ('Comment', 'rest', 6001, 100), ('Comment', 'bad_blink', 7001, 1)]
    brainvision('events', long, events)
    brainvision('bad', long, events + bad)
    gap = [('New Segment', '', 1, 1), ('New Segment', '', 3001, 1), ('New Segment', '', 6501, 1)]
    brainvision('gaps', long, gap, '<h', 'MULTIPLEXED')
    brainvision('int32', long, events, '>i', 'MULTIPLEXED')
    trials = [sample for e in range(20) for channel in long[:2] for sample in channel[e * 500:(e + 1) * 500]]
    write('trials_ieeg.npy', npy('<f4', '(20, 2, 500)', pack('<f', trials)))
    table('trials_events.tsv', ('onset', 'duration', 'trial_type'),
          [(2 * i + 0.2, 0, 'plan' if i < 10 else 'rest') for i in range(20)])


def make_edf(base, long):
    digital = [[round(v * 100) for v in channel] for channel in base]
    two = [('EEG Fz', RATE, digital[0]), ('EEG Cz', RATE, digital[1])]
    write('plain.edf', edf(two, 12, 1))
    half = [('EEG Fz', RATE, digital[0]), ('EEG Pz', RATE // 2, digital[1][::2])]
    write('rates.edf', edf(half, 12, 1))
    lists = [b'+%d\x14\x14\0' % r + (b'+%d.5\x150.25\x14go\x14\0' % r if r % 2 else b'') for r in range(12)]
    lists[6] += b'+6.5\x150.5\x14BAD arm\x14\0'
    write('plus.edf', edf(two, 12, 1, is_plus='EDF+C', annotations=lists))
    apart = [b'+%d\x14\x14\0' % (r if r < 6 else r + 5) for r in range(12)]
    write('gap.edf', edf(two, 12, 1, is_plus='EDF+D', annotations=apart))
    wide = [[round(v * 10000) for v in channel] for channel in long]
    codes = [0 if t % 500 >= 10 else 255 if t % 1000 >= 500 else 258 for t in range(len(wide[0]))]
    status = [code | 1 << 20 for code in codes]
    write('triggers.bdf', edf([('C3', RATE, wide[0]), ('C4', RATE, wide[1]), ('Status', RATE, status)], 40, 1, is_bdf=True))
    write('plus.bdf', edf([('C3', RATE, wide[0])], 12, 1, is_bdf=True, is_plus='BDF+C', annotations=lists))


def make_all(program):
    """Writes every input into the present folder."""
    base = synth(program, 'base.npy', '--rate 250 --seconds 12 --channels 3 --phase 6 --amplitude 60')
    long = synth(program, 'long.npy', '--rate 250 --seconds 40 --channels 2 --phase 8 --amplitude 70 --noise 0.6 --seed 7')
    synth(program, 'fast.npy', '--rate 1000 --seconds 6 --channels 2 --phase 10 --amplitude 150 --noise 1 --seed 3')
    synth(program, 'even.npy', '--rate 256 --seconds 8 --channels 2 --phase 6 --amplitude 60 --seed 5')
    synth(program, 'saw.npy', '--rate 512 --seconds 20 --phase 8 --noise 0.5 --driver sawtooth')
    synth(program, 'sine.npy', '--rate 512 --seconds 12 --driver sine')
    make_arrays(base)
    make_holes(base)
    make_marked(long)
    make_edf(base, long)
    for i in range(1, 7):
        for group, strength in (('task', 0.9), ('rest', 0)):
            seed = i if group == 'task' else 90 + i
            synth(program, '%s%d.npy' % (group, i),
                  '--rate 250 --seconds 8 --channels 2 --phase 5 --amplitude 50 --strength %g --seed %d' % (strength, seed))
    os.makedirs('many/sub-01')
    os.makedirs('many/sub-02/ieeg')
    synth(program, 'many/sub-01/rest.npy', '--rate 250 --seconds 5')
    synth(program, 'many/sub-02/ieeg/rest.npy', '--rate 250 --seconds 5 --seed 2')
    write('many/table.csv', '\n'.join('%.5f,%.5f' % pair for pair in zip(base[0][:1500], base[2][:1500])) + '\n')
    table('pairs.tsv', ('note', 'amplitude', 'phase'), [('x', 0, 2), ('y', 1, 1), ('z', 2, 0)])
    write('settings.json', '{"rate": 250, "phase": "4-8,8-12", "amplitude": ["50-70", "60-90"], "surrogates": 20, "bins": 12, '
                           '"seed": 9, "average": "sum", "csv": true, "quiet": true}\n')
    write('foreign.csv', 'operation,id,bytes\nallocate,1,1000\nallocate,2,3000\nrelease,1,1000\nallocate,3,500\nrelease,9,10\n')
