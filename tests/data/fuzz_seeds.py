"""Makes the first inputs of the fuzzing targets: small whole files of each format, and texts.

    python3 tests/data/fuzz_seeds.py PROGRAM

PROGRAM is the built clpac, which makes the result and the trace; needs no packages.  Writes tests/data/fuzz/TARGET/*.
Inputs that found a fault are put beside these by hand, and stay."""
import math
import os
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'fuzz')


def write(target, name, content):
    folder = os.path.join(HERE, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), 'wb') as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def npy(descr, shape, is_fortran, data, version=1):
    head = ("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, is_fortran, shape)).encode()
    head += b' ' * ((64 - (len(head) + 11) % 64) % 64) + b'\n'
    length = struct.pack('<H' if version == 1 else '<I', len(head))
    return b'\x93NUMPY' + bytes([version, 0]) + length + head + data


def pack(members):
    packed = b''
    for name, content in members:
        packed += bytes([len(name)]) + struct.pack('<H', len(content)) + name.encode() + content
    return packed


def pattern(n):
    return bytes(i * 7 % 251 for i in range(n))


def edf(signals, n_records, seconds, is_bdf=False, is_plus='', annotations=()):
    """signals: (label, samples in a record); annotations: for each record the bytes of its list."""
    width = 3 if is_bdf else 2
    all_signals = list(signals)
    if annotations:
        all_signals.append(('BDF Annotations' if is_bdf else 'EDF Annotations', 12))
    n = len(all_signals)
    limit = 8388607 if is_bdf else 32767

    def field(value, size):
        return str(value).encode().ljust(size)

    head = (b'\xffBIOSEMI' if is_bdf else field(0, 8)) + field('X X X X', 80)
    head += field('Startdate 01-JAN-2020 X X X', 80) + b'01.01.2012.34.56' + field(256 + 256 * n, 8)
    head += field(is_plus, 44) + field(n_records, 8) + field(seconds, 8) + field(n, 4)
    columns = [[s[0] for s in all_signals], [''] * n, ['uV'] * n, [-100.5] * n, [100.5] * n, [-limit - 1] * n,
               [limit] * n, ['HP:0.1Hz'] * n, [s[1] for s in all_signals], [''] * n]
    for column, size in zip(columns, (16, 80, 8, 8, 8, 8, 8, 80, 8, 32)):
        head += b''.join(field(value, size) for value in column)
    for record in range(n_records):
        for label, n_samples in signals:
            head += pattern(n_samples * width)
        if annotations:
            head += annotations[record].ljust(12 * width, b'\0')
    return head


def mat_element(kind, content):
    if 0 < len(content) <= 4:
        return struct.pack('<HH', kind, len(content)) + content.ljust(4, b'\0')
    return struct.pack('<II', kind, len(content)) + content + b'\0' * (-len(content) % 8)


def mat_array(name, kind, shape, content):
    """kind: the class of the matrix; content: what follows its name."""
    head = mat_element(6, struct.pack('<II', kind, 0)) + mat_element(5, struct.pack('<%di' % len(shape), *shape))
    return mat_element(14, head + mat_element(1, name.encode()) + content)


def mat_number(name, value):
    return mat_array(name, 6, (1, 1), mat_element(9, struct.pack('<d', value)))


def mat_text(name, text):
    return mat_array(name, 4, (1, len(text)), mat_element(4, text.encode('utf-16-le')))


def mat_struct(name, elements):
    names = list(elements[0])
    content = mat_element(5, struct.pack('<i', 16)) + mat_element(1, b''.join(n.encode().ljust(16, b'\0') for n in names))
    return mat_array(name, 2, (1, len(elements)), content + b''.join(e[n] for e in elements for n in names))


def make_mats():
    """The first byte chooses name and options (fuzz_mat.c)."""
    head = b'MATLAB 5.0 MAT-file'.ljust(124) + b'\0\1IM'
    samples = mat_element(7, struct.pack('<12f', *range(12)))
    of_set = [('nbchan', lambda n: mat_number(n, 2)), ('pnts', lambda n: mat_number(n, 3)), ('trials', lambda n: mat_number(n, 2)),
              ('srate', lambda n: mat_number(n, 100)), ('data', lambda n: mat_array(n, 7, (2, 3, 2), samples)),
              ('chanlocs', lambda n: mat_struct(n, [{'labels': mat_text('', t), 'type': mat_text('', 'EEG')} for t in ('Fz', 'Cz')])),
              ('event', lambda n: mat_struct(n, [{'type': mat_text('', 'go'), 'latency': mat_number('', 2), 'duration': mat_number('', 0)},
                                                 {'type': mat_text('', 'boundary'), 'latency': mat_number('', 1.5), 'duration': mat_number('', 9)}]))]
    whole = mat_struct('EEG', [{name: make('') for name, make in of_set}])
    flat = [make(name) for name, make in of_set]
    beside = mat_struct('EEG', [{name: mat_text('', 'x.fdt') if name == 'data' else make('') for name, make in of_set}])

    def packed(variable):
        made = zlib.compress(variable)
        return struct.pack('<II', 15, len(made)) + made

    arrays = mat_array('labels', 1, (1, 2), mat_text('', 'a') + mat_text('', 'b')) + mat_number('fs', 100)
    arrays += mat_array('x', 6, (2, 3), mat_element(3, struct.pack('<6h', *range(6))))
    write('mat', 'whole.set', b'\0' + head + whole)
    write('mat', 'packed.set', b'\0' + head + packed(whole))
    write('mat', 'flat.set', b'\0' + head + b''.join(flat))
    write('mat', 'flat_packed.set', b'\0' + head + b''.join(map(packed, flat)))
    write('mat', 'beside.set', b'\0' + head + beside)
    write('mat', 'arrays.mat', b'\1' + head + arrays)
    write('mat', 'named.mat', b'\3' + head + packed(mat_number('fs', 100)) + arrays)


def make_hdf5s():
    """What h5py writes (python/requirements.txt): headers and tables of version 1, and, of one file, links in headers."""
    import h5py
    import numpy as np

    def array(to, name, kind, data, **how):
        made = to.create_dataset(name, data=data, **how)
        made.attrs['MATLAB_class'] = np.bytes_(kind)
        return made

    def matlab(path, **how):
        with h5py.File(path, 'w', userblock_size=512) as file:
            array(file, 'x', 'single', np.arange(40, dtype='f4').reshape(20, 2), **how)
            array(file, 'fs', 'double', [[100.0]])
            if not how:
                texts = [array(file, '#refs#/' + name, 'char', np.array([[ord(name)]], 'u2')) for name in 'ab']
                array(file, 'labels', 'cell', np.array([[text.ref] for text in texts], h5py.ref_dtype))
        with open(path, 'r+b') as file:
            file.write(b'MATLAB 7.3 MAT-file'.ljust(124) + b'\0\2IM')

    def series(path, libver, **how):
        with h5py.File(path, 'w', libver=libver) as file:
            file.attrs['nwb_version'] = np.bytes_('2')
            es = file.create_group('acquisition/ES')
            es.attrs['neurodata_type'] = np.bytes_('ElectricalSeries')
            data = es.create_dataset('data', data=np.arange(40, dtype='i2').reshape(20, 2), **how)
            data.attrs.update(conversion=1e-6, unit=np.bytes_('volts'))
            if libver:
                es.create_dataset('channel_conversion', data=[1.0, 2.0])
                es.create_dataset('timestamps', data=np.arange(20) / 10)
            else:
                es.create_dataset('starting_time', data=0.0).attrs['rate'] = 100.0

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'made')
        packed = {'chunks': (8, 2), 'compression': 'gzip', 'shuffle': True, 'fletcher32': True}
        for name, make in (('hdf5.mat', lambda: matlab(path)), ('hdf5_packed.mat', lambda: matlab(path, **packed)),
                           ('series.nwb', lambda: series(path, None)), ('links.nwb', lambda: series(path, ('earliest', 'v110')))):
            make()
            with open(path, 'rb') as file:
                write('mat', name, b'\1' + file.read())


def make_recordings():
    lists = [b'+0\x14\x14\0+0.1\x140\x14a\x14\0', b'+1\x14\x14\0+1.5\x150.2\x14bc\x14\0', b'+9\x14\x14\0']
    two = [('Fz', 8), ('Cz', 4)]
    write('edf', 'plain.edf', edf(two, 2, 1))
    write('edf', 'plus.edf', edf(two, 3, 1, is_plus='EDF+C', annotations=lists))
    write('edf', 'gap.edf', edf(two, 3, 1, is_plus='EDF+D', annotations=lists))
    write('edf', 'plain.bdf', edf(two, 2, 0.5, is_bdf=True))
    write('edf', 'status.bdf', edf([('Fz', 8), ('Status', 8)], 3, 1, is_bdf=True))
    write('edf', 'gap.bdf', edf(two, 3, 1, is_bdf=True, is_plus='BDF+D', annotations=lists))
    types = (('<f8', 8), ('<f4', 4), ('>f2', 2), ('|i1', 1), ('<i2', 2), ('>i4', 4), ('<u8', 8))
    arrays = []
    for i, (descr, width) in enumerate(types):
        shape, n = ('(3, 5)', 15) if i % 2 else ('(7,)', 7)
        arrays.append(npy(descr, shape, i % 3 == 0, pattern(n * width), 1 + i % 3))
        write('npy', 'type%d.npy' % i, arrays[-1])
    write('npz', 'packed', b'\x02' + pack([('data.npy', arrays[0])]))
    write('npz', 'packed_two', b'\x03' + pack([('x.npy', arrays[3]), ('data.npy', arrays[1])]))
    for name, way in (('stored', zipfile.ZIP_STORED), ('deflated', zipfile.ZIP_DEFLATED)):
        with tempfile.TemporaryFile() as file:
            with zipfile.ZipFile(file, 'w', way) as archive:
                for member, array in (('data.npy', arrays[0]), ('b.npy', arrays[2])):
                    archive.writestr(zipfile.ZipInfo(member), array, way)
            file.seek(0)
            whole = file.read()
        write('npz', name, b'\x01' + whole)
        write('recording', name + '_npz', b'\x04' + whole)
    tables = [b'time,a,"b,c"\n0,1,2\n0.01,3,nan\n0.02,,5e-300\n', b'1;2;3\n4;5;6\r\n# x\n', b'a\tb\n1\t2\n-inf\t3\n',
              b'\xef\xbb\xbft,v\n0,1\n1,2\n2.5,3\n', b'1\n2\n3\n', b'1e400,1234567890123456789012345.5,1e-400\n1,2,3\n']
    for i, table in enumerate(tables):
        write('csv', 'table%d' % i, bytes([i & 1]) + table)
    write('channels', 'plain', 'name\ttype\tunits\tstatus\tstatus_description\nFz\tEEG\tuV\tgood\tn/a\n'
                               'Cz\tSEEG\tuV\tbad\tno contact\nEOG\tVEOG\tuV\tn/a\tn/a\n')
    write('channels', 'windows', b'\xef\xbb\xbfstatus\tname\r\nbad\tCz\r\n\r\nbad\ta b\r\nbad\r\n\t\r\n')
    write('events', 'plain', 'onset\tduration\ttrial_type\tvalue\n0.5\t0\tgo\t1\n1.25\tn/a\tn/a\t32\n'
                             '-0.1\t2\tBAD_muscle\tn/a\n')
    write('events', 'windows', b'\xef\xbb\xbfvalue\tonset\r\n7\t3\r\n\r\n\t4e0\r\nx\tsoon\r\n8\r\n')
    write('recording', 'table', b'\x0a' + tables[0])
    write('recording', 'plain_edf', b'\x00' + edf(two, 2, 1))
    for i, description in enumerate(('f4:2', '>i2:3', 'f8:1', '<u1:5', 'i4:2')):
        write('raw', 'type%d' % i, description.encode() + b'\n' + pattern(120))
    header = '''Brain Vision Data Exchange Header File Version 1.0
[Common Infos]
Codepage=UTF-8
DataFile=$b.eeg
MarkerFile=x.vmrk
DataFormat=BINARY
DataOrientation=%s
DataType=TIMEDOMAIN
NumberOfChannels=2
DataPoints=20
SamplingInterval=1000
[Binary Infos]
BinaryFormat=%s
UseBigEndianOrder=%s
DataOffset=0
[Channel Infos]
Ch1=a\\1b,,0.5,uV
Ch2=c,ref,,
'''
    markers = '''Brain Vision Data Exchange Marker File, Version 1.0
[Common Infos]
Codepage=UTF-8
DataFile=x.eeg
[Marker Infos]
Mk1=New Segment,,1,1,0,20161117143152000000
Mk2=Stimulus,S  1,5,1,0
Mk3=New Segment,,11,1,0,20161117143202000000
Mk4=Response,R\\1,15,3,0
'''
    kinds = (('MULTIPLEXED', 'INT_16', 'NO', 2), ('VECTORIZED', 'IEEE_FLOAT_32', 'NO', 4),
             ('MULTIPLEXED', 'UINT_16', 'YES', 2), ('VECTORIZED', 'INT_32', 'YES', 4))
    for i, (orientation, kind, order, width) in enumerate(kinds):
        text = (header % (orientation, kind, order) + '@@@@' + markers + '@@@@').encode()
        write('brainvision', 'kind%d' % i, text + pattern(40 * width))


def make_texts():
    for i, text in enumerate(('2:20:10\n60:160:10', '2:20:10:log\n60:160:10/tied', '4:20:9/2\n60-90,90-120',
                              '4-8,8-13,13-30\n60:160:3/40', '4:4:1\n30:30:1/20')):
        write('bands', 'text%d' % i, text)
    for i, text in enumerate(('gpu', 'native', '0:1', 'name~Radeon', 'vendor=amd,memory>4G', 'all,memory>=2G',
                              'native+0:0', 'gpu+gpu', 'best', 'cpu,units<=8')):
        write('selection', 'text%d' % i, text)
    for i, text in enumerate(('strategy=chunked memory_bytes=64M max_batch=8', 'preset=constrained budget.bytes=1G budget.fraction=0.5',
                              'memory 0.8', 'memory 4G', 'threads 3', 'probe 2.5', 'cache.max_kept_per_class=4 budget.cap=50% checks.is_tracked=1')):
        write('options', 'text%d' % i, text)
    for i, text in enumerate(('rate=512 samples=2048 channels=4 phase=4-8,8-13 amplitude=60-90,90-120 surrogates=200 seed=42',
                              'rate=250 samples=700 phase=2-4,4-8 amplitude=60-90 edge=auto bins=18 hilbert=trimmed',
                              'rate=1000 samples=9000 segments=3 share_shifts=1 min_shift=100 ddof=1 keep_surrogates=1')):
        write('problem', 'text%d' % i, text)
    for i, text in enumerate(('{"channels": "Fz,Cz", "start": 1, "stop": 9.5, "segment": "2:1"}',
                              '{"channels": [0, 3, "ECG"], "quiet": true, "csv": true, "seed": 18446744073709551615}',
                              '{"phase": "4-8", "amplitude": ["60-90", "90-120"], "surrogates": 200, "ddof": "1"}')):
        write('config', 'text%d.json' % i, text)
    listed = b'clpac set 1\0rn\0.out.npz.1-2.tmp\0out.npz\0.out.npz.1-3.old\0listed\0'
    for name, text in (('listed', listed), ('decided', listed + b'decided\0'), ('empty', b'clpac set 1\0listed\0')):
        write('journal', name, text)
    events = '''time_ns,thread,operation,id,bytes,class_bytes,queue,tag,outcome
10,0,allocate,1,1000,1024,0,"a ""b""",miss
20,0,allocate,2,3000,3072,0,spectrum,hit
30,1,release,1,1000,1024,0,,
40,1,allocate,0,99999999999,0,0,big,refused
50,0,release,2,3000,3072,0,,
'''
    write('trace', 'events.csv', events)
    write('trace', 'few_columns.csv', 'bytes,id,operation\r\n5,1,allocate\r\n5,1,release\r\n')
    machine = '''{"format": "clpac devices", "format_version": 1, "devices": [
{"backend": "opencl", "platform": 0, "index": 0, "platform_name": "One", "is_available": true, "kind": "discrete GPU",
 "name": "X", "memory_bytes": 8589934592, "free_bytes": 8000000000, "free_knowledge": "estimated",
 "pci": "0000:01:00.0", "uuid": "000102030405060708090a0b0c0d0e0f", "has_fp64": true, "extensions": "a b"},
{"backend": "native", "platform": -1, "index": -1, "platform_name": "native", "is_available": true}],
"platforms": [{"backend": "native", "index": -1, "n_devices": 1, "status": 0, "name": "native"},
{"backend": "opencl", "index": 0, "n_devices": 1, "status": 0, "name": "One", "trouble": "none"}]}
'''
    write('devices', 'machine.json', machine)
    write('devices', 'empty.json', '{"format": "clpac devices", "format_version": 1, "devices": [], "platforms": []}')
    write('store', 'empty', store([]))
    write('store', 'two', store([('first', b'', b'about', [], b'0123456789'),
                                 ('folder/second', b'x.edf', b'', [(b'left', 0, 4), (b'right', 4, 4)], b'abcdefgh')]))


def store(entries):
    """entries: (key, file, text, arrays as (name, offset, bytes), content).  The target mends the checksums."""
    packed = b'clpac store 1\n\0\0' + struct.pack('<Q', len(entries))
    kind = b'float32'.ljust(16, b'\0') + struct.pack('<4Q', 2, 1, 0, 0)
    for key, file, text, arrays, content in entries:
        rest = kind + key.encode() + file + text
        for name, offset, n in arrays:
            rest += struct.pack('<3Q', len(name), offset, n) + kind + name
        numbers = (len(key), len(file), len(text), len(arrays), len(content), 0, 0)
        packed += struct.pack('<8Q', len(rest) + 64, *numbers) + rest + content + bytes(8)
    return packed


def make_results(program):
    with tempfile.TemporaryDirectory() as folder:
        samples = struct.pack('<512f', *(((i * 37) % 101) / 50 - 1 for i in range(512)))
        with open(folder + '/in.npy', 'wb') as file:
            file.write(npy('<f4', '(512,)', False, samples))
        for name, more in (('plain', []), ('surrogates', ['--surrogates', '3', '--keep-surrogates'])):
            subprocess.run([program, 'run', 'in.npy', '-o', name + '.npz', '--rate', '256', '--phase', '8-12',
                            '--amplitude', '60-90', '--device', 'native', '-q', '--bins', '4']
                           + more, cwd=folder, check=True)
            with open('%s/%s.npz' % (folder, name), 'rb') as file:
                write('result', name, b'\x00' + file.read())
            with zipfile.ZipFile('%s/%s.npz' % (folder, name)) as archive:
                write('result', name + '_packed',
                      b'\x01' + pack([(member, archive.read(member)) for member in archive.namelist()]))


def wave(n, pack_as):
    """A slow wave that a fast one rides on, in integers of up to 15 bits."""
    return b''.join(struct.pack(pack_as, int(9000 * math.sin(i / 5) + 3000 * (1 + math.sin(i / 5)) * math.sin(i * 1.1)))
                    for i in range(n))


def make_calls(program):
    """Whole calls of the program: a byte for the file's name, one for the command line, both counted as in fuzz_program.c."""
    def call(name, kind, line, content):
        write('program', name, bytes([kind, line]) + content)

    each = 192 # samples of a signal in a record of 0.75 s
    lists = [(b'+%g\x14\x14\0+%g\x14a\x14\0+%g\x14b\x14\0' % (i * 0.75, i * 0.75 + 0.15, i * 0.75 + 0.35)) for i in range(2)]
    samples = wave(2 * each, '<h')
    recording = edf([('Fz', each), ('Cz', each)], 2, 0.75, is_plus='EDF+C', annotations=lists)
    for record in range(2):
        for signal in range(2):
            at = len(recording) - (2 - record) * (4 * each + 24) + signal * 2 * each
            recording = recording[:at] + samples[record * 2 * each:(record + 1) * 2 * each] + recording[at + 2 * each:]
    call('info_edf', 0, 0, recording)
    call('run_edf', 0, 2, recording)
    call('erpac_edf', 0, 9, recording)
    call('compare_edf', 0, 10, recording)
    call('pairs_edf', 0, 5, recording)
    call('info_bdf', 1, 1, edf([('Fz', 8), ('Status', 8)], 3, 1, is_bdf=True))
    table = 'time,a\n' + ''.join('%.4f,%.3f\n' % (i / 128, math.sin(i / 4)) for i in range(128))
    call('run_csv', 2, 3, table.encode())
    call('plan_npy', 3, 6, npy('<i2', '(2, 192)', False, samples))
    call('segments_npy', 3, 4, npy('<i2', '(384,)', False, samples))
    call('memory_raw', 6, 7, samples)
    call('replay', 7, 8, b'operation,id,bytes\nallocate,1,4294967296\nallocate,2,5000\nrelease,2,5000\n')
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + '/in.edf', 'wb') as file:
            file.write(recording)
        with open(folder + '/in.npy', 'wb') as file:
            file.write(npy('<i2', '(384,)', False, samples))
        method = ['--phase', '16-24', '--amplitude', '60-100', '--bins', '4', '--device', 'native', '-q']
        for name, words in (('epochs', ['in.edf', '--channels', 'Fz', '--events', 'a,b', '--window', '-0.1:0.2', '--surrogates', '0']),
                            ('whole', ['in.npy', '--rate', '256', '--surrogates', '3'])):
            subprocess.run([program, 'run', *words, '-o', name + '.npz', *method], cwd=folder, check=True)
            with open('%s/%s.npz' % (folder, name), 'rb') as file:
                call(('compare_' if name == 'epochs' else 'group_') + 'npz', 4, 11 if name == 'epochs' else 12, file.read())
    devices = '{"format": "clpac devices", "format_version": 1, "devices": [], "platforms": []}'
    call('devices', 7, 13, devices.encode())


make_mats()
make_hdf5s()
make_recordings()
make_texts()
make_calls(os.path.abspath(sys.argv[1]))
make_results(os.path.abspath(sys.argv[1]))
