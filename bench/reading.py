#!/usr/bin/env python3
"""What reading a long recording takes: resident memory, bytes read, processor time and time of the program.

    bench/reading.py [--minutes 10] [--layout edf|i2|f4] [--channels LIST] [--options="--hold BYTES"] PROGRAM...

Writes a made recording of 64 channels at 2 kHz into the folder for temporary files, as EDF, or as BrainVision with the
channels of a sample side by side (multiplexed) and samples of int16 or float32, and lets each PROGRAM compute all channels,
and channel 0 alone.  Bytes are those of all read calls of the process (rchar of /proc/PID/io): recording,
checksum and the program's own libraries.  The resident peak and the processor time are those of getrusage.  Memory and bytes do not
depend on the load of the machine, processor time hardly; times do.  Needs numpy.
"""
import argparse
import os
import sys
import tempfile
import time

import numpy as np

N_CHANNELS, RATE = 64, 2000


def write_edf(path, minutes):
    seconds = minutes * 60
    field = lambda text, n: str(text).encode().ljust(n)
    head = field(0, 8) + field("X X X X", 80) + field("Startdate X X X X", 80) + field("01.01.20", 8) + field(
        "00.00.00", 8) + field(256 * (N_CHANNELS + 1), 8) + field("", 44) + field(seconds, 8) + field(1, 8) + field(
            N_CHANNELS, 4)
    for texts, n in (([f"EEG C{c}" for c in range(N_CHANNELS)], 16), ([""] * N_CHANNELS, 80), (["uV"] * N_CHANNELS, 8),
                     (["-3276.8"] * N_CHANNELS, 8), (["3276.7"] * N_CHANNELS, 8), (["-32768"] * N_CHANNELS, 8),
                     (["32767"] * N_CHANNELS, 8), ([""] * N_CHANNELS, 80), ([RATE] * N_CHANNELS, 8),
                     ([""] * N_CHANNELS, 32)):
        head += b"".join(field(text, n) for text in texts)
    draw = np.random.default_rng(42)
    with open(path, "wb") as file:
        file.write(head)
        t = np.arange(RATE) / RATE
        for second in range(seconds):
            wave = np.sin(2 * np.pi * 6.3 * (t + second))
            fast = (1 + wave) * np.sin(2 * np.pi * 80 * (t + second))
            noise = draw.standard_normal((N_CHANNELS, RATE))
            file.write((300 * wave + 60 * fast + 200 * noise).astype("<i2").tobytes())


def write_multiplexed(stem, minutes, kind):
    with open(stem + ".vhdr", "w") as file:
        file.write("Brain Vision Data Exchange Header File Version 1.0\n[Common Infos]\n"
                   f"DataFile={os.path.basename(stem)}.eeg\nDataFormat=BINARY\nDataOrientation=MULTIPLEXED\n"
                   f"NumberOfChannels={N_CHANNELS}\nSamplingInterval={1000000 // RATE}\n[Binary Infos]\n"
                   f"BinaryFormat={'INT_16' if kind == 'i2' else 'IEEE_FLOAT_32'}\n[Channel Infos]\n")
        for c in range(N_CHANNELS):
            file.write(f"Ch{c + 1}=C{c},,{'0.1' if kind == 'i2' else '1'},uV\n")
    draw = np.random.default_rng(42)
    t = np.arange(RATE) / RATE
    with open(stem + ".eeg", "wb") as file:
        for second in range(minutes * 60):
            wave = np.sin(2 * np.pi * 6.3 * (t + second))
            fast = (1 + wave) * np.sin(2 * np.pi * 80 * (t + second))
            noise = draw.standard_normal((N_CHANNELS, RATE))
            file.write((300 * wave + 60 * fast + 200 * noise).T.astype("<" + kind).tobytes())


def measure(command):
    """Exit code, seconds, processor seconds, resident peak in MiB, bytes read in MiB."""
    begin = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.execvp(command[0], command)
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    seconds = time.monotonic() - begin
    with open(f"/proc/{pid}/io") as file:
        read = int(dict(line.split(": ") for line in file.read().splitlines())["rchar"])
    _, status, usage = os.wait4(pid, 0)
    processor = usage.ru_utime + usage.ru_stime
    return os.waitstatus_to_exitcode(status), seconds, processor, usage.ru_maxrss / 1024, read / 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=int, default=10)
    parser.add_argument("--layout", choices=("edf", "i2", "f4"), default="edf")
    parser.add_argument("--channels", action="append", help="of the runs: 0 and * by default")
    parser.add_argument("--options", default="", help="of every run, as '--hold 64M'")
    parser.add_argument("programs", nargs="+", metavar="PROGRAM")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        recording = samples = os.path.join(folder, "long.edf")
        if given.layout == "edf":
            write_edf(recording, given.minutes)
        else:
            recording, samples = os.path.join(folder, "long.vhdr"), os.path.join(folder, "long.eeg")
            write_multiplexed(os.path.join(folder, "long"), given.minutes, given.layout)
        print(f"{N_CHANNELS} channels, {given.minutes} min, {RATE} Hz, {given.layout}: {os.path.getsize(samples) / 2**20:.0f} MiB; "
              f"load {os.getloadavg()[0]:.1f}")
        method = ["--phase", "4-8,8-13", "--amplitude", "60-90,90-140", "--surrogates", "20", "--device", "native"]
        for program in given.programs:
            for channels in given.channels or ("0", "*"):
                out = os.path.join(folder, "out.npz")
                command = [program, "run", recording, *method, "--channels", channels, "-o", out, "--force", "--quiet"]
                code, seconds, processor, peak, read = measure(command + given.options.split())
                print(f"{program} --channels {channels}: exit {code}, {seconds:.1f} s, {processor:.1f} processor seconds, "
                      f"resident peak {peak:.0f} MiB, read {read:.0f} MiB; load {os.getloadavg()[0]:.1f}", flush=True)
                if code:
                    sys.exit(1)


if __name__ == "__main__":
    main()
