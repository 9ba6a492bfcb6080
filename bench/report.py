#!/usr/bin/env python3
"""The pages of measurements.

    report.py machine COMPILER PROGRAM    a JSON line about this machine, in words, for collect.sh
    report.py pages RESULTS DOC           from RESULTS/*.jsonl: DOC/performance.md, a page per subject in DOC/measurements and
                                          DOC/pictures/growth.svg
    report.py page NAME RESULTS DOC       one page of DOC/measurements alone, as pool

RESULTS/remarks.md, written by hand, is what the reader must know of this collection; it stands in the index of the
measurements, and RESULTS/remarks-NAME.md on the page NAME.

A ratio compares two things that one process, or two that took turns, measured in one go.  Targets are judged by the figures
that are there; one without a figure is called not measured.
"""
import glob
import json
import math
import os
import platform
import subprocess
import sys
import textwrap
import time
from statistics import median

sys.dont_write_bytecode = True  # the folder is the source's
import report_pool  # noqa: E402


# --- this machine, in words ---------------------------------------------------------------------------------------------

def first_line(path, default=""):
    try:
        with open(path, encoding="utf-8") as file:
            return file.readline().strip()
    except OSError:
        return default


def cpu_model():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


def caches():
    found = []
    for index in sorted(glob.glob("/sys/devices/system/cpu/cpu0/cache/index*")):
        if first_line(index + "/type") != "Instruction":
            found.append(f"L{first_line(index + '/level')} {first_line(index + '/size').replace('K', ' KiB')}")
    return ", ".join(found)


def output_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0]
    except (OSError, subprocess.CalledProcessError):
        return ""


def describe_machine(compiler, program):
    with open("/proc/meminfo", encoding="utf-8") as file:
        kib = int(file.readline().split()[1])
    with open("/etc/os-release", encoding="utf-8") as file:
        system = dict(line.rstrip().split("=", 1) for line in file if "=" in line).get("PRETTY_NAME", "").strip('"')
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        is_virtual = "hypervisor" in file.read()
    print(json.dumps({
        "bench": "machine", "date": time.strftime("%Y-%m-%d"), "cpu": cpu_model(), "cores": len(os.sched_getaffinity(0)), "caches": caches(), "is_virtual": is_virtual,
        "memory_bytes": kib * 1024, "system": system, "kernel": platform.release().split("-")[0],
        "compiler": output_of(next(word for word in compiler.split() if word != "ccache"), "--version"), "clpac": output_of(program, "--version"),
        "build": output_of("git", "-C", os.path.dirname(os.path.abspath(__file__)), "rev-parse", "--short=8", "HEAD")}))


# --- reading and wording ------------------------------------------------------------------------------------------------

def read_lines(folder):
    lines = []
    for path in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        part = os.path.basename(path)[:-len(".jsonl")]
        with open(path, encoding="utf-8") as file:
            for text in file:
                if text.strip():
                    lines.append(dict(json.loads(text), part=part))
    return lines


def seconds(x):
    if x is None:
        return ""
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if x >= unit:
            return f"{x / unit:.3g} {name}" if x < 1000 else f"{x:.0f} s"
    return f"{x:.2g} s"


def mebibytes(x):
    return f"{x / 2**30:.2f} GiB" if x >= 2**30 else f"{x / 2**20:.0f} MiB"


def number(x):
    """A ratio with as many digits as it deserves."""
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def power(x):
    exponent = math.floor(math.log10(x))
    return f"{x / 10**exponent:.1f}e{exponent}"


def device(line):
    if line["backend"] == "native":
        return f"native ({line['instruction_set']})"
    if "Portable Computing" in line["platform"]:
        return "PoCL " + line.get("driver", "").split("+")[0] if line.get("driver") else "PoCL"
    return line["device"]


def size(line):
    return (f"{line['series']} x {line['samples']:,} at {line['rate_hz']:,.0f} Hz, {line['phase']}x{line['amplitude']}, "
            f"{line['surrogates']:,}").replace(",0", " 0").replace(",", " ").replace("  ", ", ")


ENGINES = {"clfft": "clFFT", "vkfft": "VkFFT", "lanes": "transforms in lanes"}


def peer_name(name):
    return {"tensorpac": "tensorpac", "gpac": "gPAC"}[name]


def table(head, rows):
    if not rows:
        return ["Not measured yet.", ""]
    return (["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] +
            ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""])


# --- the picture of growth ----------------------------------------------------------------------------------------------

GROWN = {"samples": "samples", "phase": "phase bands", "amplitude": "amplitude bands", "surrogates": "surrogates", "series": "series"}


def growth_of(lines):
    """{(device, what): [(n, seconds)]}: which of the sizes differs is what grew; the common size belongs to every line."""
    grown = [line for line in lines if line["part"] == "growth"]
    base = {"samples": 2048, "phase": 10, "amplitude": 10, "surrogates": 200, "series": 4}
    found = {}
    for line in grown:
        differ = [what for what in GROWN if line[what] != base[what]]
        for what in differ if len(differ) == 1 else GROWN if not differ else ():
            points = found.setdefault((device(line), what), {})
            points[line[what]] = min(line["min"], points.get(line[what], math.inf))
    return {key: sorted(points.items()) for key, points in found.items() if len(points) > 2}


def slope(points):
    """Least squares in logarithms over the upper decade."""
    points = [(math.log(n), math.log(s)) for n, s in points if n * 10.5 >= points[-1][0]]
    if len(points) < 2:
        return float("nan")
    x, y = (sum(values) / len(points) for values in zip(*points))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def draw_growth(found, path):
    width, height, left, bottom = 230, 230, 50, 36
    names = sorted({name for name, _ in found})
    colours = dict(zip(names, ("#31688e", "#d95f02", "#35b779", "#440154")))
    all_seconds = [s for points in found.values() for _, s in points]
    low, high = math.floor(math.log10(min(all_seconds))), math.ceil(math.log10(max(all_seconds)))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{len(GROWN) * width + 10}" height="{height + 24}" '
           'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>']
    for column, what in enumerate(GROWN):
        curves = {name: points for (name, grew), points in found.items() if grew == what}
        if not curves:
            continue
        counts = [n for points in curves.values() for n, _ in points]
        first, last = math.log10(min(counts)), math.log10(max(counts))

        def place(n, s, column=column, first=first, last=last):
            return (column * width + left + (math.log10(n) - first) / (last - first) * (width - left - 14),
                    height - bottom - (math.log10(s) - low) / (high - low) * (height - bottom - 12))

        for decade in range(low, high + 1):
            x, y = place(min(counts), 10.0**decade)
            out.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{x + width - left - 14:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            out.append(f'<text x="{x - 4:.1f}" y="{y + 4:.1f}" text-anchor="end">{seconds(10.0**decade)}</text>')
        for n in sorted(set(counts)):
            x, y = place(n, 10.0**low)
            if n in (min(counts), max(counts)) or n == sorted(set(counts))[len(set(counts)) // 2]:
                out.append(f'<text x="{x:.1f}" y="{y + 15:.1f}" text-anchor="middle">{n}</text>')
        x, y = place(10 ** ((first + last) / 2), 10.0**low)
        out.append(f'<text x="{x:.1f}" y="{y + 30:.1f}" text-anchor="middle" font-weight="bold">{GROWN[what]}</text>')
        for name, points in curves.items():
            where = " ".join("{:.1f},{:.1f}".format(*place(n, s)) for n, s in points)
            out.append(f'<polyline points="{where}" fill="none" stroke="{colours[name]}" stroke-width="2"/>')
            out += ['<circle cx="{:.1f}" cy="{:.1f}" r="2.5" fill="{}"/>'.format(*place(n, s), colours[name]) for n, s in points]
    for i, name in enumerate(names):
        out.append(f'<rect x="{left + i * 160}" y="{height + 8}" width="10" height="10" fill="{colours[name]}"/>')
        out.append(f'<text x="{left + 14 + i * 160}" y="{height + 17}">{name}</text>')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out + ["</svg>"]) + "\n")


# --- the pages of measurements ------------------------------------------------------------------------------------------

def collected(lines):
    """When, and from which build: the first line of a page."""
    machine = next((line for line in lines if line["bench"] == "machine" and "date" in line), None)
    if not machine:
        return []
    build = f", build {machine['build']}" if machine.get("build") else ""
    return [f"Collected on {machine['date']} with {machine['clpac']}{build}.", ""]


def machine_of(lines):
    machine = next((line for line in lines if line["bench"] == "machine"), None)
    if not machine:
        return []
    date = "".join(f" {line}" for line in collected(lines)[:1])
    return [f"- **Machine.** {machine['cpu']}, {machine['cores']} cores{', virtual' if machine['is_virtual'] else ''}, "
            f"{machine['caches']}, {machine['memory_bytes'] / 2**30:.0f} GiB; {machine['system']}, Linux {machine['kernel']}; "
            f"{machine['compiler']}.{date}"]


def load_of(lines):
    loads = [line["load"] for line in lines if "load" in line]
    if not loads:
        return []
    text = (f"- **Load.** The load average while measuring was {min(loads):.1f} to {max(loads):.1f} (median {median(loads):.1f}), "
            "our own programs included, each of which would give about 2.")
    if max(loads) > 3:
        text += (" So **the machine was shared** with other work for part of the time: absolute times are too long, the best of several "
                 "runs (*best*) is nearer the truth than the median, and only ratios of programs that took turns mean much; where both "
                 "are given, ratios of processor time are the least disturbed.")
    return [text]


def index(lines):
    return machine_of(lines) + load_of(lines) + [
        "- **Timed** is the way from samples in host memory to the result in host memory, on a plan that exists, after one run that is "
        "not counted (exceptions: [workloads](workloads.md) and [memory](memory.md)). Transfers are included, set-up is not: making a "
        "plan is a column of its own. Times are medians unless the page says otherwise. All native figures use both cores (2 threads) "
        "and the transforms in lanes.",
        "- **Ratios** are of times measured in turns in one run, ours before and after each of the other's. *low-high* are the smallest "
        "and largest of the pairs."]


def how_to_repeat():
    return ["## How to repeat it", "",
            "    make bench                                        # in a build folder",
            "    bench/peers/setup.sh /somewhere/peers             # the other programs, from the Python package index, some 6 GB",
            "    BENCH_PYTHON=/somewhere/peers/bin/python bench/collect.sh BUILD RESULTS",
            "    bench/report.sh RESULTS", "",
            "`bench/run --list` names the workloads. Each size of a workload can be changed, as in",
            "`bench/run --device gpu --series 64 --samples 4096 small`."]


def scaled(line):
    """What of the workload the peer computed before its time was scaled up; empty where that was all."""
    done = []
    if line["surrogates_done"] < line["surrogates"]:
        done.append(f"{line['surrogates_done']} of {line['surrogates']} surrogates")
    if line["series_done"] < line["series"]:
        done.append(f"{line['series_done']} of {line['series']} series")
    return ", ".join(done)


def ratios(lines):
    """Of the workloads beside other programs; those of every shift have a page of their own."""
    return [line for line in lines if line["bench"] == "ratio" and line["part"] == "compare"]


def peers(lines):
    rows = []
    versions = {}
    turns = ratios(lines)
    for line in turns:
        versions.update(line["versions"])
        rows.append([line["name"], device(line), peer_name(line["peer"]), seconds(line["peer_s"]), seconds(line["clpac_s"]),
                     f"**{number(line['ratio'])}**", f"{number(line['low'])}-{number(line['high'])}", number(line["best_ratio"]),
                     number(line["peer_s"] / (line["clpac_s"] + line["plan_s"])), scaled(line) or "all"])
    threads = {line["threads"] for line in turns}
    text = ["Ratio = the other program's time / ours. *best* compares the best runs. *with plan* adds the making of our plan, as if it were "
            "used once. *it did*: a slow program was given less, and its time was scaled up: t(0) + (t(k) - t(0)) K/k for surrogates, in "
            "proportion for series.", ""]
    text += table(["workload", "ours on", "other program", "its time", "ours", "ratio", "low-high", "best", "with plan", "it did"], rows)
    if versions:
        named = ", ".join(f"{name} {version}" for name, version in versions.items() if name != "device")
        text += [f"Versions: {named}; the other programs ran on {', '.join(map(str, sorted(threads)))} threads of the CPU. The package index has "
                 "gPAC (gpu-pac) up to 0.3.4.", "",
                 "All programs had the same samples, bands, 18 bins and number of surrogates, and computed this:", "",
                 "- **tensorpac**: `Pac(idpac=(2, 2, 4))`, the index of Tort et al. with surrogates by exchanging the two blocks of amplitude "
                 "at a random cut, which is a circular shift; `n_jobs=-1`, float64. One channel and phase band at a time it gives our "
                 "`--hilbert trimmed` index to 2e-6; with several in one call it divides the sums by counts pooled over all channels and "
                 "phase bands, so that its maps differ from those.",
                 "- **gPAC**: `PAC(...)` with explicit bands, `compile_mode=False`, float32. It assigns phases to bins softly and filters in its "
                 "own way, so that its indices are other numbers.",
                 "- Both use one shift per surrogate for all series, clpac one per series.", ""]
    return text


def surrogate_stage(lines):
    rows = []
    for line in lines:
        if line["bench"] == "surrogates":
            rows.append([f"{line['phase']}x{line['amplitude']}, {line['surrogates']}, {line['samples']} at {line['rate_hz']:g} Hz", device(line),
                         seconds(line["edge_lists_s"]), seconds(line["edge_lists_min"]), seconds(line["edge_lists_cpu_s"]),
                         f"**{number(line['ratio'])}**", f"{number(line['low'])}-{number(line['high'])}", number(line["best_ratio"]),
                         number(line["cpu_ratio"]), number(line["textbook_cpu_ratio"]) if "textbook_cpu_ratio" in line else "", power(line["best_per_s"]), number(line["loads_of_plain_read"])])
    return ["One series; the kernel on edge lists against the direct sum of the same build, in turns (`bench/surrogates`).", "",
            "- Ratio = direct sum / edge lists; *CPU* is the same in processor time.",
            "- *textbook* compares the definition, written down in plain C sample by sample, with edge lists: one thread, aligned arrays "
            "(unaligned it takes twice as long).",
            "- *rate* is samples x pairs x surrogates a second, of the best run.",
            "- *of plain read* compares bytes of prefix sums loaded per second of processor time with `memchr` over a buffer of that size in "
            "one thread.", ""] + table(
                ["bands, surrogates, samples", "on", "median", "best", "CPU time", "ratio", "low-high", "best", "CPU", "textbook", "rate", "of plain read"], rows)


def transforms(lines):
    """{backend: (engine, stage's seconds, the engine's own for the same transforms)}, best runs, of `default`."""
    found = {}
    for backend in ("native", "opencl"):
        runs = [line for line in lines if line["part"] == "fft" and line["bench"] == "run" and line["backend"] == backend]
        if not runs:
            continue
        alone = {line["direction"]: line["best_s"] / line["rows"] for line in lines
                 if line["bench"] == "fft" and (line["engine"], line["length"]) == (runs[0]["engine"], runs[0]["fft_length"])}
        if len(alone) == 2:
            bands = runs[0]["phase"] + runs[0]["amplitude"]
            found[backend] = (runs[0]["engine"], min(line["stages"]["filter and Hilbert"] for line in runs),
                              runs[0]["series"] * (alone["forward"] + bands * alone["inverse"]))
    return found


def transform_part(lines):
    rows = [["native" if backend == "native" else "PoCL", engine, seconds(stage), seconds(alone), f"**{number(stage / alone)}**"]
            for backend, (engine, stage, alone) in transforms(lines).items()]
    return ["The stage in `default` (extension, forward transform, selection of bands, inverse transforms) against its transforms alone "
            "(`bench/fft`: the engine on as many rows of the same length). The figures are best runs of two programs, one after the other.", ""] + table(
                ["on", "engine", "stage", "transforms alone", "ratio"], rows)


def workloads(lines):
    rows = []
    for line in lines:
        if line["bench"] == "run" and line["part"] in ("workloads", "large"):
            total = sum(line["stages"].values()) or 1
            most = sorted(line["stages"].items(), key=lambda item: -item[1])[:3]
            rows.append([line["name"], size(line), device(line), line["strategy"], seconds(line["seconds"]), seconds(line["min"]), line["repetitions"],
                         power(line["surrogates"] * line["series"] * line["samples"] * line["phase"] * line["amplitude"] / line["min"])
                         if line["surrogates"] else "", seconds(line["plan_s"]),
                         ", ".join(f"{name} {100 * s / total:.0f} %" for name, s in most), mebibytes(line["peak_bytes"])])
    return ["Measured by `bench/run`. `fast-sampled` to `long` are two runs each, with no uncounted run before them.", "",
            "- *size* is series x samples at rate, bands, surrogates.",
            "- *rate* is samples x pairs x surrogates a second, of the best run, end to end.",
            "- *device memory* is the highest that the pool held.", ""] + table(
                ["workload", "size", "on", "strategy", "median", "best", "runs", "rate", "plan", "where the time goes", "device memory"], rows)


def every_shift_of(lines):
    """{workload: [seconds of the best run of each round]}, and the line of its ratio to tensorpac."""
    rounds = {}
    for line in lines:
        if line["bench"] == "run" and line["part"] == "every_shift":
            rounds.setdefault(line["name"], []).append(line["min"])
    rounds = {name: times[-len(rounds["default-all"]):] for name, times in rounds.items()} if "default-all" in rounds else {}
    turns = [line for line in lines if line["bench"] == "ratio" and line["part"] == "every_shift"]
    return rounds, turns[-1] if turns else None


def every_shift(lines):
    rounds, turns = every_shift_of(lines)
    rows = []
    for name, times in rounds.items():
        ratios = sorted(own / other for own, other in zip(times, rounds["default"]))
        rows.append([f"`{name}`", seconds(min(times)), number(min(times) / min(rounds["default"])), number(median(ratios)),
                     f"{number(ratios[0])}-{number(ratios[-1])}", {"default-all": "at most 6", "default-glm": "at most 1"}.get(name, "")])
    text = ["The native device on both cores, the workloads in turns, each three runs a round. `default` has 200 shifts of mi; "
            "`default-all` has all 2047 of mi, `default-glm` and `default-gcmi` all 2047 of these measures.", ""] + table(
                ["workload", "best", "best to best of `default`", "median of the rounds", "low-high", "wanted"], rows)
    if turns:
        text += ["tensorpac with its 200 surrogates on the samples of `default`, beside `default-all`, in turns:", ""] + table(
            ["tensorpac", "all shifts", "median of the pairs", "low-high", "best to best", "wanted"],
            [[seconds(turns["peer_s"]), seconds(turns["clpac_s"]), number(turns["ratio"]), f"{number(turns['low'])}-{number(turns['high'])}",
              number(turns["best_ratio"]), "75"]])
    return text


def several(lines):
    rows = []
    for line in lines:
        if line["bench"] == "several":
            rows.append([line["name"], line["series"], line["cores"],
                         ", ".join(f"{'native' if one['platform'] == 'native' else 'PoCL'} {seconds(one['alone_s'])}" for one in line["devices"]),
                         seconds(line["seconds"]), f"**{number(line['speed_up'])}**", f"{number(line['low'])}-{number(line['high'])}",
                         ", ".join(str(one["series"]) for one in line["devices"])])
    return ["Measured by `bench/several`: each device alone and all together, in turns. The speed-up is over the faster device alone. With a core "
            "each, two devices that do not hinder each other would add up their speeds; on the same cores they slow each other down.", ""] + table(
                ["workload", "series", "cores", "alone", "together", "speed-up", "low-high", "series each"], rows)


def memory(lines):
    rows = []
    for line in lines:
        if line["part"] == "recording" or line["bench"] == "run" and line["name"] == "long":
            if line["bench"] == "run":
                rows.append([line["name"], "`bench/run`, " + device(line), mebibytes(line["samples_bytes"]), mebibytes(line["budget_bytes"]),
                             mebibytes(line["estimate_bytes"]), mebibytes(line["peak_bytes"]),
                             f"**{mebibytes(line['resident_peak_bytes'])}**", seconds(line["min"]), line["strategy"]])
            else:
                rows.append([line["name"], "`clpac run` on a .npy file", "", "", "", "", f"**{mebibytes(line['resident_peak_bytes'])}**",
                             seconds(line["cold_s"]) + " (start to end)", ""])
    return ["One run each, with none before it. `recording` is ten minutes of 64 channels at 1 kHz, 20x20 bands, 200 surrogates; `long` is one "
            "channel ([workloads](workloads.md)).", "",
            "- *resident* is the most that the process ever held (VmHWM), samples and libraries included.",
            "- *budget* is the most that the pool could take.", ""] + table(
                ["workload", "by", "samples", "budget", "estimate", "pool's peak", "resident", "time", "strategy"], rows)


def starts(lines):
    rows = [[line["device"]["platform"] if line["device"] else line["selection"], seconds(line["cold_s"]), seconds(line["warm_s"]),
             seconds(line["warm_min"]), seconds(line["true_s"]), mebibytes(line["resident_peak_bytes"])]
            for line in lines if line["bench"] == "start" and line["part"] == "start"]
    return ["`clpac run` on `small` with 200 surrogates, from exec to exit, files written.", "",
            "- *cold*: with an empty cache folder, as at the very first run, which compiles the kernels, those of the transforms included.",
            "- *warm*: every later run.",
            "- */bin/true* is the cost of a process here.", ""] + table(
                ["on", "cold", "warm", "best warm", "/bin/true", "resident"], rows)


def growth(lines):
    found = growth_of(lines)
    text = ["`small` (4 x 2048 samples, 10x10 bands, 200 surrogates) with one size varied, best of five runs. *exponent* is that of time "
            "against the size over the upper decade.", ""]
    if not found:
        return text + ["Not measured yet.", ""]
    rows = [[GROWN[what], name, " ".join(f"{n}: {seconds(s)}," for n, s in points).rstrip(","), f"{slope(points):.2f}"]
            for what in GROWN for (name, grew), points in sorted(found.items()) if grew == what]
    return text + ["![Time against samples, bands, surrogates and series](../pictures/growth.svg)", ""] + table(["grows", "on", "time", "exponent"], rows)


STAGE = ("probably the second-level cache: the edge lists load at more than half the speed of a plain read "
         "(*of plain read* in [the surrogate stage](surrogates.md))")


def judge(found, wanted, is_at_least=True):
    if found is None:
        return "not measured"
    return "met" if (found >= wanted if is_at_least else found <= wanted) else "**not met**"


def rows_of_targets(lines):
    """[target, on, wanted, found, verdict, why it is not met]."""
    def ratio(name, peer, backend):
        found = [line for line in ratios(lines) if (line["name"], line["peer"], line["backend"]) == (name, peer, backend)]
        return min(found[-1]["ratio"], found[-1]["best_ratio"]) if found else None

    def stage(backend, key):
        found = [line for line in lines if line["bench"] == "surrogates" and line["backend"] == backend and line["phase"] == 50 and line["samples"] == 2048]
        return found[-1].get(key) if found else None

    def warm(backend):
        found = [line for line in lines if line["bench"] == "start" and line["part"] == "start" and line["device"] and line["device"]["backend"] == backend]
        return found[-1]["warm_s"] if found else None

    def rate(name, backend):
        """The best of the collection: for `default`, which a busy moment can slow down, that is the strictest measure."""
        return max((line["surrogates"] * line_work(line) / line["min"] for line in lines
                    if line["bench"] == "run" and line["name"] == name and line["backend"] == backend), default=None)

    def slower(name, peer, backend):
        """What a workload spends on its transforms against native, and what it takes by itself against in turns with a peer."""
        took = {line["backend"]: line for line in lines if line["bench"] == "run" and line["part"] == "workloads" and line["name"] == name}
        turns = [line for line in ratios(lines) if (line["name"], line["peer"], line["backend"]) == (name, peer, backend)]
        if backend not in took or "native" not in took or not turns:
            return "not known"
        said = (f"in turns with {peer_name(peer)} our run takes {seconds(turns[-1]['clpac_s'])}, by itself "
                f"{seconds(took[backend]['seconds'])} (best {seconds(took[backend]['min'])})")
        if backend != "native":
            mine, native = (took[key]["stages"]["filter and Hilbert"] for key in (backend, "native"))
            engine = took[backend]["engine"]
            said += (f"; {ENGINES.get(engine, engine)} on a CPU: {100 * mine / sum(took[backend]['stages'].values()):.0f} % of the time is filter "
                     f"and Hilbert, which take {mine / native:.0f} times as long as in lanes on native")
        return said

    def line_work(line):
        return line["series"] * line["samples"] * line["phase"] * line["amplitude"]

    rows = []

    def add(what, on, found, wanted, text, is_at_least=True, why=""):
        verdict = judge(found, wanted, is_at_least)
        rows.append([what, on, ("" if is_at_least else "at most ") + text(wanted), text(found) if found is not None else "", verdict, why if verdict == "**not met**" else ""])

    for backend, on in (("native", "native"), ("opencl", "PoCL")):
        for name, peer, wanted in (("default", "tensorpac", 500), ("default", "gpac", 1000), ("small", "tensorpac", 200),
                                   ("small", "gpac", 2000), ("small-0", "tensorpac", 20), ("small-0", "gpac", 20)):
            add(f"`{name}` against {peer_name(peer)}", on, ratio(name, peer, backend), wanted, number, why=slower(name, peer, backend))
        add("surrogate stage against our own direct sum, processor time, first target", on, stage(backend, "cpu_ratio"), 6, number,
            why=STAGE)
        add("surrogate stage against our own direct sum, processor time, final target", on, stage(backend, "cpu_ratio"), 8, number, why=STAGE)
        add("loads of the surrogate stage against a plain read", on, stage(backend, "loads_of_plain_read"), 0.5, number)
        part = transforms(lines).get(backend)
        add("filter and Hilbert against its transforms alone", on, part[1] / part[2] if part else None, 1.3, number, is_at_least=False,
            why="probably the passes beside the transforms, over arrays of complex numbers larger than a cache: writing the selected bands, reading them back")
        wide, default = rate("wide", backend), rate("default", backend)
        add("rate of `wide` against the best of `default`", on, wide / default if wide and default else None, 0.5, number,
            why="probably that its prefix sums do not fit the second-level cache")
        add("warm start on `small`", on, warm(backend), 0.15 if backend == "native" else 0.5, seconds, is_at_least=False,
            why="the machine was busy" if backend == "native" else "kernels and clFFT are read from the cache and handed to the driver one by one")
    resident = [line["resident_peak_bytes"] for line in lines if line["part"] == "recording" and line["name"] == "recording"]
    add("recording of 64 channels, resident", "all", max(resident) if resident else None, 1.5 * 2**30, mebibytes, is_at_least=False)
    capped = [line for line in lines if line["bench"] == "run" and line["name"] in ("long", "recording")]
    add("pool's peak against its budget, `long` and `recording`", "all",
        max((line["peak_bytes"] / line["budget_bytes"] for line in capped), default=None), 1, number, is_at_least=False,
        why="probably that a plan is held against the budget by the bytes it asks for, and the pool counts the size classes these are rounded up to")
    growing = [points for (name, what), points in growth_of(lines).items() if what == "samples"]
    add("exponent of time against samples", "all", max(map(slope, growing)) if growing else None, 1.1, number, is_at_least=False,
        why="probably that prefix sums leave one cache after the other as the series grows")
    return rows


def targets(lines):
    return ["Against other programs the lower of two ratios counts: that of the pairs and that of the best runs "
            "([other programs](other-programs.md)).", ""] + table(
                ["target", "on", "wanted", "found", "verdict", "why not"], rows_of_targets(lines)) + [
        "Reasons called probable were concluded from the figures and not tried.", "",
        "[An H100](cards.md#an-h100) was measured apart: 175x gPAC on the same card for `default`, 47x for `small`; 100x wanted. [Every shift](every-shift.md) has targets of its own.", ""]


# --- the page of headlines ----------------------------------------------------------------------------------------------

WORKLOADS = ("default", "small", "small-0")


def headlines(lines):
    found = sorted((line for line in ratios(lines) if line["name"] in WORKLOADS),
                   key=lambda line: (line["peer"] != "tensorpac", WORKLOADS.index(line["name"]), line["backend"] != "native"))
    rows = [[f"`{line['name']}`", peer_name(line["peer"]), "native" if line["backend"] == "native" else device(line), seconds(line["peer_s"]),
             seconds(line["clpac_s"]), f"**{number(line['ratio'])}**", number(line["best_ratio"]),
             f"scaled up from {scaled(line)}" if scaled(line) else "measured in full"] for line in found]
    return table(["workload", "other program", "clpac on", "its time", "clpac's", "ratio", "best runs", "its time was"], rows)


def front(lines):
    text = ["# Performance", "", "For whoever asks whether clpac is fast enough, and beside what.", "",
            "How fast clpac is beside two other programs on one machine without a GPU, and which targets it misses. "
            "[measurements](measurements/README.md) has every figure, how it was taken, and how to repeat it.", ""]
    text += machine_of(lines) + load_of(lines)
    text += ["- **Timed** is the way from samples in host memory to the result in host memory on an existing plan, on both cores, transfers "
             "included. The programs took turns in one run; ratios are medians of the pairs.",
             "- **Workloads.** `default`: 16 series of 2048 samples, 30x30 bands, 200 surrogates. `small`: 4 such series, 10x10 bands, 200 "
             "surrogates. `small-0`: the same without surrogates.",
             "- **Other programs.** tensorpac computes the same index. gPAC assigns phases to bins softly and filters in its own way, so that "
             "its indices are other numbers ([all of it](measurements/other-programs.md), which has its times where the table below lacks them).", ""]
    text += headlines(lines)
    text += ["## Not met, and why", ""]
    missed = {}
    for what, on, wanted, found, verdict, why in rows_of_targets(lines):
        if verdict == "**not met**":
            missed.setdefault((what, wanted, why), []).append(found if on == "all" else f"{found} on {on}")
    for (what, wanted, why), found in missed.items():
        text.append(f"- {what[0].upper() + what[1:]}: {', '.join(found)}; {wanted} wanted. {why[0].upper() + why[1:]}.".replace("](", "](measurements/"))
    pool = report_pool.rows_of_targets([line for line in lines if line["bench"] == "pool"])
    if pool:
        n_missed = sum(row[9] == "**not met**" for row in pool)
        text.append(f"- The memory pool misses {n_missed} of its {len(pool)} targets; [the pool](measurements/pool.md) says which, and why.")
    else:
        text.append("- [The memory pool](measurements/pool.md) was measured apart.")
    return text + ["", "Reasons called probable were concluded from the figures and not tried. [Targets](measurements/targets.md) has those that "
                   "are met too. [Cards](measurements/cards.md) and [Python](measurements/python.md) were measured apart. [Every shift](measurements/every-shift.md) has targets of its own.", "",
                   "## Growth", "",
                   "One size of `small` varied, best of five runs ([the figures](measurements/growth.md)).", "",
                   "![Time against samples, bands, surrogates and series](pictures/growth.svg)", ""]


# --- writing ------------------------------------------------------------------------------------------------------------

PAGES = (  # name, title, subject in the index, text, the parts of collect.sh it is made of
    ("targets", "Targets", "every target with its figure, and why some are missed", targets, ("workloads",)),
    ("other-programs", "Against other programs", "tensorpac and gPAC on the same samples", peers, ("compare",)),
    ("surrogates", "The surrogate stage alone", "edge lists against the direct sum", surrogate_stage, ("surrogates",)),
    ("transforms", "Filter and Hilbert transform", "the stage against its Fourier transforms alone", transform_part, ("fft",)),
    ("workloads", "Workloads", "time, rate and memory of each workload, and where the time goes", workloads, ("workloads", "large")),
    ("every-shift", "Every shift", "the whole null beside 200 surrogates, and beside tensorpac", every_shift, ("every_shift",)),
    ("several-devices", "Several devices in one run", "each device alone and all together", several, ("several",)),
    ("memory", "Memory of a run", "estimate, pool and process", memory, ("recording",)),
    ("pool", "The memory pool", "against the driver, other pools and malloc", lambda lines: report_pool.section(lines, table), ("pool",)),
    ("start", "Starting the program", "the first run and every later one", starts, ("start",)),
    ("growth", "Growth", "time against samples, bands, surrogates and series", growth, ("growth",)),
)


# Pages that other programs write, for the index: name, title, subject.
OTHERS = (
    ("calibration", "Calibration", "how often coupling is found in noise, and where it is; made by `bench/calibration.py`"),
    ("excess", "Excess", "how far the excess of an index is from the true one, and how often its interval holds that; made by `bench/excess.py`"),
    ("spreads", "Spreads", "what p_max finds, by what divides a cell; made by `bench/spreads.py`"),
    ("python", "Python", "a call in Python beside the same in C, and beside tensorpac and pactools; made by `bench/python.py`"),
    ("cautions", "Cautions", "which cells cautions mark, with coupling and without; made by `bench/cautions.py`"),
    ("reading", "Reading", "memory and bytes of long recordings; made by `bench/reading.py`"),
    ("transactions", "Memory transactions on GPUs", "modelled from real edge lists; made by `bench/transactions`"),
    ("registers", "Registers on GPUs", "what compilers of three makers give the kernels; made by `scripts/check-vendors.sh`"),
    ("cards", "Cards", "workloads, launches, starts and tests on an H100 and an H200, and gPAC beside them; made by the device bundle"),
)


def wrapped(lines):
    """Prose in lines of 100 columns; tables, code, pictures and headings as they are."""
    out = []
    for line in lines:
        if line.startswith(("|", " ", "#", "!")) or len(line) <= 100:
            out.append(line)
        else:
            out += textwrap.wrap(line, 100, subsequent_indent="  " if line.startswith("- ") else "", break_long_words=False,
                                 break_on_hyphens=False)
    return out


def write(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write("\n".join(wrapped(lines)).rstrip("\n") + "\n")
    os.replace(path + ".part", path)


def remarks_of(results, name):
    path = os.path.join(results, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return file.read().rstrip().split("\n")


def write_page(name, lines, results, doc):
    """A page that is wholly without figures in RESULTS is not touched: it keeps those it has, with their date."""
    title, text, parts = next((title, text, parts) for named, title, _, text, parts in PAGES if named == name)
    if not any(line["part"] in parts for line in lines):
        print(f"{name}: nothing of {', '.join(parts)} was collected; the page stays as it is")
        return
    remarks = remarks_of(results, f"remarks-{name}.md")
    write(os.path.join(doc, "measurements", name + ".md"), [f"# {title}", ""] + collected(lines) + text(lines) + (["## Remarks", ""] + remarks if remarks else []))


def write_pages(results, doc):
    lines = read_lines(results)
    for name, *_ in PAGES:
        write_page(name, lines, results, doc)
    found = growth_of(lines)
    if found:
        draw_growth(found, os.path.join(doc, "pictures", "growth.svg"))
    remarks = remarks_of(results, "remarks.md")
    rows = [[f"[{title}]({name}.md)", subject] for name, title, subject, *_ in PAGES + OTHERS]
    unnamed = {os.path.basename(path)[:-len(".md")] for path in glob.glob(os.path.join(doc, "measurements", "*.md"))} - {
        "README", *(name for name, *_ in PAGES + OTHERS)}
    if unnamed:
        sys.exit(f"report.py: OTHERS lacks {', '.join(sorted(unnamed))} of {doc}/measurements")
    write(os.path.join(doc, "measurements", "README.md"),
          ["# Measurements", "", "For whoever asks how a figure was taken, and how to take it again. Written by `bench/report.sh` from the JSON lines of `bench/collect.sh`; [performance](../performance.md) is the one-page summary.", ""] +
          index(lines) + [""] + table(["page", "subject"], rows) +
          (["## About this collection", ""] + remarks + [""] if remarks else []) + how_to_repeat())
    write(os.path.join(doc, "performance.md"), front(lines))


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "machine":
        describe_machine(*sys.argv[2:])
    elif len(sys.argv) == 5 and sys.argv[1] == "page" and any(sys.argv[2] == page[0] for page in PAGES):
        write_page(sys.argv[2], read_lines(sys.argv[3]), *sys.argv[3:])
    elif len(sys.argv) == 4 and sys.argv[1] == "pages":
        write_pages(*sys.argv[2:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
