#!/usr/bin/env python3
"""vendors.py TOOLS KERNEL_TEXT [--write PAGE | TARGET BINS] - compiles clpac's kernels, as the library hands them to drivers, with the
compilers of three makers of GPUs and as SPIR-V, and reads what each kernel needs of a GPU: registers, and memory of its own
for each work-item (a stack frame, scratch, private memory, spilled registers), which no hot kernel may have
(src/coupling/stages/stages.def).  KERNEL_TEXT is the program tests/contract/kernel_text.

One line of TAP for each target and number of bins.  TOOLS is the folder in which check-vendors.sh unpacked the compilers; a
missing one is skipped.  TOOLS/needs remembers what was read of each compilation, by its text, its options, its compiler and
this script: only what has changed is compiled again.  For the second and third number of bins only those kernels are
compiled that see it.  With --write the registers and the occupancy of hot kernels become the table in PAGE; with a target
and a number of bins nothing else is compiled.
"""
import concurrent.futures
import glob
import hashlib
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import typing

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
BINS = 18, 36, 128
NVIDIA = "sm_70", "sm_80", "sm_90"
AMD = "gfx906", "gfx90a", "gfx1030", "gfx1100"
INTEL = "tgllp", "dg2"
TARGETS = NVIDIA + AMD + INTEL
HOT = "SAMPLE", "SHIFT", "CROSSING"
# Debian's device libraries name no gfx1100; its neighbour's differ in nothing that the kernels call.
NEIGHBOURS = {"gfx1100": "1036"}
# Debian's library for NVIDIA has no such function; its get_global_id adds no offset either.
NO_OFFSET = "size_t __attribute__((overloadable)) get_global_offset(uint d) { return 0; }\n"
FLAGS = ["-x", "cl", "-w", "-O3", "-Xclang", "-finclude-default-header"]

# A kernel whose array has a running index, and one with more values alive than any GPU has registers.
PLANTED = """
__kernel void planted_stack(__global uint *x, const uint n)
{
	uint sums[512];
	x += get_global_id(0) * n;
	for (uint i = 0; i < 512; i++)
		sums[i] = 0;
	for (uint i = 0; i < n; i++)
		sums[x[i] & 511] += i;
	for (uint i = 0; i < 512; i++)
		x[i] = sums[i];
}
#define ONE(i) uint v##i = x[i * n];
#define TURN(i) v##i = v##i * n + (v##i >> 3) * x[i + round];
#define OUT(i) x[i * n] = v##i ^ v0;
#define EACH_10(f, i) f(i##0) f(i##1) f(i##2) f(i##3) f(i##4) f(i##5) f(i##6) f(i##7) f(i##8) f(i##9)
#define EACH_100(f, i) EACH_10(f, i##0) EACH_10(f, i##1) EACH_10(f, i##2) EACH_10(f, i##3) EACH_10(f, i##4) \\
	EACH_10(f, i##5) EACH_10(f, i##6) EACH_10(f, i##7) EACH_10(f, i##8) EACH_10(f, i##9)
#define EACH(f) f(0) EACH_100(f, 1) EACH_100(f, 2) EACH_100(f, 3) EACH_100(f, 4) EACH_100(f, 5) EACH_100(f, 6)
__kernel void planted_spill(__global uint *x, const uint n)
{
	x += get_global_id(0);
	EACH(ONE)
	for (uint round = 0; round < n; round++) {
		EACH(TURN)
	}
	EACH(OUT)
}
"""


class Missing(Exception):
    """A compiler that is not here."""


class Failed(Exception):
    """A compiler that refused the kernels."""


class Need(typing.NamedTuple):
    """What a kernel needs of a GPU: registers, bytes of memory for each item, spilled registers or bytes of them, and what
    the maker calls occupancy."""
    registers: int
    memory: int
    spilled: int
    occupancy: str

    def in_words(self):
        return f"{self.memory} bytes of memory for each item, {self.spilled} spilled"


class Compilers:
    def __init__(self, tools):
        self.tools = tools
        self.root = os.path.join(tools, "root")
        self.libraries = os.path.join(self.root, "usr/lib/x86_64-linux-gnu")
        self.environment = dict(os.environ, LD_LIBRARY_PATH=self.libraries)

    def find(self, *paths):
        for path in paths:
            for found in glob.glob(os.path.join(self.tools, path)) + glob.glob(path if path[0] == "/" else ""):
                return found
        raise Missing(f"{os.path.basename(paths[0])} is not in {self.tools}")

    def run(self, *command):
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise Failed("\n".join(done.stdout.splitlines()[:12]))
        return done.stdout

    def identity(self):
        """All compilers, as they lie here: their packages, and those that the system may have in their place."""
        files = glob.glob(os.path.join(self.tools, "packages", "*")) + glob.glob("/usr/lib/llvm-1[49]/bin/clang*")
        return [(path, facts.st_size, facts.st_mtime_ns) for path in sorted(files) for facts in [os.stat(path)]]

    def preprocess(self, source, options):
        return self.run(self.clang(), "-E", "-P", "-x", "cl", "-target", "spir64", *options, source)

    def clang(self):
        return self.find("root/usr/lib/llvm-19/bin/clang-19", "/usr/lib/llvm-19/bin/clang-19")

    def nvidia(self, source, options, folder):
        """The kernels' needs on each of NVIDIA's targets, by one assembly text."""
        ptxas = self.find("nvidia/nvidia/cuda_nvcc/bin/ptxas")
        library = self.find("root/usr/lib/clc/nvptx64--nvidiacl.bc")
        text, whole = os.path.join(folder, "kernels.ptx"), os.path.join(folder, "kernels.cl")
        with open(source) as file, open(whole, "w") as other:
            other.write(NO_OFFSET + file.read())
        self.run(self.clang(), *FLAGS, *options, "-target", "nvptx64-nvidia-nvcl", "-march=sm_70", "-Xclang", "-target-feature",
                 "-Xclang", "+ptx70", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", library, "-mllvm",
                 "-inline-threshold=1000000", "-S", whole, "-o", text)
        with open(text) as file:
            inexact = re.findall(r"\b(?:fma|mad)\.(?:rn\.)?f32|\b(?:div|rcp|sqrt)\.(?:full|approx)[a-z.]*f32", file.read())
        if inexact:
            raise Failed(f"{len(inexact)} operations are fused or rounded in the compiler's own way, the first {inexact[0]}")
        needs = {}
        for target in NVIDIA:
            log = self.run(ptxas, "-v", f"-arch={target}", text, "-o", os.path.join(folder, "kernels.cubin"))
            needs[target] = needs_of_ptxas(log)
        return needs

    def amd(self, source, options, folder, target):
        bitcode = os.path.dirname(self.find("root/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ockl.bc"))
        number = NEIGHBOURS.get(target, target[3:])
        wave = "on" if target.startswith("gfx9") else "off"
        parts = ["opencl", "ockl", "ocml", "oclc_daz_opt_off", "oclc_unsafe_math_off", "oclc_finite_only_off",
                 "oclc_correctly_rounded_sqrt_off", f"oclc_wavefrontsize64_{wave}", f"oclc_isa_version_{number}",
                 "oclc_abi_version_500"]
        linked = [word for part in parts for word in
                  ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", os.path.join(bitcode, part + ".bc"))]
        text = os.path.join(folder, "kernels.s")
        self.run(self.clang(), *FLAGS, *options, "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-nogpulib",
                 "-mcode-object-version=5", *linked, "-mllvm", "-amdgpu-early-inline-all", "-S", source, "-o", text)
        with open(text) as file:
            return {target: needs_of_amd(file.read())}

    def intel(self, source, options, folder, target):
        ocloc = self.find("root/usr/bin/ocloc")
        self.run(ocloc, "compile", "-file", source, "-device", target, "-options", " ".join(options), "-internal_options",
                 "-cl-intel-allow-zebin", "-out_dir", folder, "-output", target)
        binary, = glob.glob(os.path.join(folder, target + "_*.bin"))
        with open(binary, "rb") as file:
            return {target: needs_of_intel(section(file.read(), b".ze_info").decode())}

    def spirv(self, source, options, folder):
        clang = shutil.which("clang-14") or shutil.which("/usr/lib/llvm-14/bin/clang")
        if not clang:
            raise Missing("clang-14 is missing")
        bitcode, module = os.path.join(folder, "kernels.bc"), os.path.join(folder, "kernels.spv")
        flags = ["-O0" if word == "-O3" else word for word in FLAGS]
        self.run(clang, *flags, *options, "-target", "spir64", "-emit-llvm", "-c", source, "-o", bitcode)
        self.run(self.find("root/usr/bin/llvm-spirv-14"), bitcode, "-o", module, "--spirv-max-version=1.2")
        self.run(self.find("root/usr/bin/spirv-val"), "--target-env", "opencl1.2", module)
        return {"SPIR-V": {}}


def needs_of_ptxas(log):
    needs, kernel = {}, None
    for line in log.splitlines():
        if found := re.search(r"Function properties for (\w+)", line):
            kernel = found[1]
        elif found := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            frame, stores, loads = map(int, found.groups())
        elif (found := re.search(r"Used (\d+) registers", line)) and kernel:
            registers = int(found[1])
            # A warp takes registers by 256, a multiprocessor has 65536 of them and room for 64 warps.
            warps = min(64, 65536 // (math.ceil(registers / 8) * 256) // 4 * 4)
            needs[kernel] = Need(registers, frame, stores + loads, f"{warps}")
    return needs


def needs_of_amd(text):
    needs, occupancy = {}, {}
    kernel = None
    for begun, waves in re.findall(r"^\t\.amdhsa_kernel (\w+)|^; Occupancy: (\d+)", text, re.M):
        kernel = begun or kernel
        occupancy[kernel] = waves
    for entry in re.split(r"^  - \.ag?pr_count:|^  - \.args:", text, flags=re.M)[1:]:
        facts = dict(re.findall(r"^    \.(\w+): +(\S+)", entry, re.M))
        if "name" in facts:
            needs[facts["name"]] = Need(int(facts["vgpr_count"]), int(facts["private_segment_fixed_size"]),
                                        int(facts["vgpr_spill_count"]), occupancy.get(facts["name"], "?"))
    return needs


def section(binary, wanted):
    """A section of Intel's binary, which objcopy leaves empty."""
    start, = struct.unpack_from("<Q", binary, 0x28)
    size, count, names = struct.unpack_from("<HHH", binary, 0x3A)

    def header(i):
        return struct.unpack_from("<IIQQQQIIQQ", binary, start + i * size)

    for i in range(count):
        at = header(names)[4] + header(i)[0]
        if binary[at:binary.index(b"\0", at)] == wanted:
            return binary[header(i)[4]:header(i)[4] + header(i)[5]]
    raise Failed(f"no section {wanted.decode()}")


def needs_of_intel(text):
    needs = {}
    for entry in re.split(r"^  - name: +", text.split("\nkernels:", 1)[-1], flags=re.M)[1:]:
        if "execution_env:" not in entry:
            continue
        kernel = entry.split(None, 1)[0].strip("'\"")
        facts = dict(re.findall(r"^ +(grf_count|simd_size|spill_size): +(\d+)", entry, re.M))
        buffers = re.findall(r"^ +size: +(\d+)", entry.split("per_thread_memory_buffers:")[1], re.M) \
            if "per_thread_memory_buffers:" in entry else []
        lanes = int(facts["simd_size"])
        needs[kernel] = Need(int(facts["grf_count"]), sum(map(int, buffers)), int(facts.get("spill_size", 0)), f"{lanes}")
    return needs


def passes():
    """How often each kernel works, by its row."""
    with open(os.path.join(TOP, "src/coupling/stages/stages.def")) as file:
        return dict(re.findall(r"^STAGE\((\w+), \w+, (SAMPLE|SHIFT|CROSSING|ONCE|NATIVE|CPU),", file.read(), re.M))


def faults(needs, rows):
    """What is wrong with the needs of a program's kernels."""
    found = []
    for kernel, need in sorted(needs.items()):
        if kernel not in rows:
            found.append(f"{kernel} has no row in src/coupling/stages/stages.def")
        elif rows[kernel] in HOT and (need.memory or need.spilled):
            found.append(f"{kernel}: {need.in_words()}")
    return found + [f"{kernel} is in src/coupling/stages/stages.def and not in the program" for kernel in sorted(set(rows) - set(needs))]


def functions(text):
    """The functions of a preprocessed program, {name: text}, and all else."""
    found, rest, start, depth = {}, "", 0, 0
    for mark in re.finditer(r'"(?:[^"\\]|\\.)*"|[{};]', text):
        depth += (mark[0] == "{") - (mark[0] == "}")
        if depth == 0 and mark[0] in "};":
            piece, start = text[start:mark.end()], mark.end()
            head = re.search(r"(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*\{", piece)
            if head:
                found[head[1]] = piece
            else:
                rest += piece
    return found, rest


def kernels_alike(one, other):
    """The kernels that two preprocessed texts of a program have alike, with all that they call."""
    (one, one_rest), (other, other_rest) = functions(one), functions(other)
    if one_rest != other_rest or set(one) != set(other):
        return set()
    changed = {name for name in one if one[name] != other[name]}
    calls = {name: set(re.findall(r"\w+", text)) - {name} for name, text in one.items()}
    while more := {name for name in one if name not in changed and calls[name] & changed}:
        changed |= more
    return {name for name in one if "__kernel" in one[name].split("(")[0] and name not in changed}


def without_kernels(text, names):
    return re.sub(r"^__kernel void (\w+)\(.*?^\}\n", lambda kernel: "" if kernel[1] in names else kernel[0], text, flags=re.M | re.S)


def write_without_alike(compilers, source, usual, options, shorter):
    """Writes the source without the kernels that these options leave as the usual ones make them."""
    with open(source) as file:
        text = file.read()
    try:
        alike = kernels_alike(compilers.preprocess(source, usual), compilers.preprocess(source, options))
    except (Missing, Failed):
        alike = set()
    with open(shorter, "w") as file:
        file.write(without_kernels(text, alike))


class Memory:
    """Needs that were read before, a file for each compilation.  What failed is tried again."""

    def __init__(self, compilers):
        self.folder = os.path.join(compilers.tools, "needs")
        os.makedirs(self.folder, exist_ok=True)
        with open(__file__) as script:
            self.key = hashlib.sha256(repr((script.read(), compilers.identity())).encode())

    def needs(self, what, work):
        """Those that work() returns, {target: {kernel: Need}}, from now on or from before."""
        key = self.key.copy()
        key.update(repr(what).encode())
        path = os.path.join(self.folder, key.hexdigest())
        try:
            with open(path) as file:
                return {target: {kernel: Need(*need) for kernel, need in kernels.items()}
                        for target, kernels in json.load(file).items()}
        except (OSError, ValueError):
            needs = work()
        with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False) as file:
            json.dump(needs, file)
        os.replace(file.name, path)
        return needs


def jobs(compilers, memory, source, options):
    """The compilations of a source, each with the targets that it serves."""
    with open(source) as file:
        text = file.read()

    def once(targets, work, *more):
        def compile_it():
            with tempfile.TemporaryDirectory() as folder:
                return work(source, options, folder, *more)

        return targets, lambda: memory.needs((targets, options, text), compile_it)

    yield once(NVIDIA, compilers.nvidia)
    for target in AMD:
        yield once((target,), compilers.amd, target)
    for target in INTEL:
        yield once((target,), compilers.intel, target)
    yield once(("SPIR-V",), compilers.spirv)


class Report:
    def __init__(self):
        self.n, self.skipped, self.failed = 0, 0, 0

    def say(self, is_good, what, reasons=()):
        self.n += 1
        self.failed += not is_good
        print(f"{'ok' if is_good else 'not ok'} {self.n} - {what}")
        for reason in reasons:
            print(f"# {reason}")

    def skip(self, what, reason):
        self.n += 1
        self.skipped += 1
        print(f"ok {self.n} - {what} # SKIP {reason}")


def outcome(future):
    try:
        return future.result(), None
    except (Missing, Failed) as trouble:
        return None, trouble


def table(needs, rows):
    """Registers and occupancy of the hot kernels, 18 bins and 128."""
    def cell(target, kernel):
        few, many = (needs.get((bins, target), {}).get(kernel) for bins in (18, 128))
        if not few or not many:
            return "-"
        same = (few.registers, few.occupancy) == (many.registers, many.occupancy)
        of_one = [f"{need.registers} ({need.occupancy})" if target not in INTEL else f"SIMD{need.occupancy}" for need in (few, many)]
        return of_one[0] if same else " / ".join(of_one)

    lines = ["| kernel | for each | " + " | ".join(TARGETS) + " |", "|---" * (len(TARGETS) + 2) + "|"]
    for kernel, per in rows.items():
        if per in HOT:
            lines.append(f"| {kernel} | {per.lower()} | " + " | ".join(cell(target, kernel) for target in TARGETS) + " |")
    return "\n".join(lines) + "\n"


def write_page(page, needs, rows):
    with open(page) as file:
        text = file.read()
    begin, end = "<!-- registers begin -->\n", "<!-- registers end -->\n"
    before, rest = text.split(begin)
    with open(page, "w") as file:
        file.write(before + begin + table(needs, rows) + end + rest.split(end)[1])


def main():
    compilers, program = Compilers(sys.argv[1]), sys.argv[2]
    page = sys.argv[4] if sys.argv[3:4] == ["--write"] else None
    only = (sys.argv[3], int(sys.argv[4])) if len(sys.argv) == 5 and not page else None
    rows, report, memory, needs = passes(), Report(), Memory(compilers), {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        source, planted = os.path.join(folder, "kernels.cl"), os.path.join(folder, "planted.cl")
        with open(source, "w") as file:
            file.write(subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout)
        with open(planted, "w") as file:
            file.write(PLANTED)
        begun = []
        for targets, work in jobs(compilers, memory, planted, ["-cl-std=CL1.2"]):
            if not only or only[0] in targets:
                begun.append((None, targets, pool.submit(work)))
        for bins in BINS:
            options = subprocess.run([program, "1", str(bins)], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
            shorter = source
            if bins == BINS[0]:
                usual = options
            elif not only:
                shorter = os.path.join(folder, f"kernels{bins}.cl")
                write_without_alike(compilers, source, usual, options, shorter)
            for targets, work in jobs(compilers, memory, shorter, options):
                if not only or (only[0] in targets and only[1] == bins):
                    begun.append((bins, targets, pool.submit(work)))
        for bins, targets, future in begun:
            found, trouble = outcome(future)
            for target in targets:
                what = f"{target}, {bins} bins" if bins else f"{target}: planted faults are found"
                if isinstance(trouble, Missing):
                    report.skip(what, trouble)
                elif trouble:
                    report.say(False, what, [f"does not compile: {line}" for line in str(trouble).splitlines()])
                elif not bins:
                    wrong = " ".join(faults(found[target], {"planted_stack": "SAMPLE"}))
                    caught = target == "SPIR-V" or ("planted_stack:" in wrong and "planted_spill has no row" in wrong and
                                                    faults({"planted_spill": found[target]["planted_spill"]},
                                                           {"planted_spill": "SHIFT"}))
                    report.say(bool(caught), what)
                else:
                    # Kernels that the number of bins does not change were compiled for the first of them alone.
                    whole = {} if only else needs.get((BINS[0], target), {})
                    needs[bins, target] = {**whole, **found[target]}
                    wrong = faults(needs[bins, target], rows) if target != "SPIR-V" else []
                    report.say(not wrong, what, wrong)
    if page:
        write_page(page, needs, rows)
    print(f"1..{report.n}")
    print(f"{report.n - report.failed - report.skipped} passed, {report.failed} failed, {report.skipped} skipped")
    sys.exit(report.failed > 0)


main()
