"""The page about the memory pool, from the JSON lines of bench/pool.  Used by report.py."""
import math

NAMES = {"S1": "same size", "S2": "large", "S3": "transformer step", "S4": "pressure", "S5": "variable sizes", "S6": "many live",
         "S7": "fragmentation", "S8": "queues", "S9": "threads", "S10": "book-keeping", "S11": "warm-up", "S12": "tracker, store",
         "S13": "a miss, nanoseconds", "S14": "loads of others", "S15": "host memory"}

# Why a target is not met, by (id, level, how the baseline begins, backend): what was tried, and what the limit is.
_MALLOC = "raw is malloc here, which caches released memory itself and counts nothing"
_SEGMENTS = ("free space lies between blocks in use: of the 10923 requests one heap of the whole budget with best fit, which moves nothing, refuses 375, "
             "and 327 without size classes; an allocator that moves all blocks at every request would refuse 181 with these classes. "
             "CLPAC_BLOCKS_WHOLE refuses nothing that fits, and is then about as fast as bins16; no segment size from 2 to 64 MiB gives both")
_SIXTEEN = ("bins16 has blocks of their own, which the driver keeps together by virtual memory, and classes of half the waste: with our classes 0.983 "
            "would be the most, with none lost to gaps; besides, " + _SEGMENTS)
_COPIES = "a request that would be refused first copies up to twice its bytes, here by the processor; that is for who prefers it to a refusal"
_DRIFT = ("each size comes for 100 operations only, and an eighth of the budget is less than 2.6 times what the load asks for: a fifth of the requests "
          "merge parts and cut new ones, 0.75 us each")
_RESERVE = ("cached parts merge before segments grow, and merging earlier costs speed: with a 32nd, a 16th and a 5th of the segments cached before "
            "that, uniform sizes had 1.19, 1.25 and 1.29 at 0.91, 0.92 and 1.00 times raw's speed, drifting ones 1.36, 1.36 and 1.48 at 0.21, 0.26 and 0.33")
_CACHES = ("the processor's caches: handles and lists of 10^5 buffers fill 20 MB; bins16, without a lock or a count, slows down by a factor of "
           "9 to 11 on the same trace")
_BROADCAST = ("PoCL tells every pending command of every event that passes (62 % of the time is spent there), and each released block takes "
              "an event")
_CORES = "each queue's thread needs a core to itself"
_PAIR = "a pair takes about 35 ns in each thread, however many there are, and raw 75; four times as fast would be 19"
_STORE = "the ratio is 1.6 in a bench of the store alone, one thread; two locked instructions of an acquire could still be saved"
_TRACKER = "with 1024 live buffers of every size, the records no longer lie in the first-level cache; in a small set the tracker costs 9 to 14 ns a pair"
_FILL = "filling the bytes is what takes the time here: bins16, without a lock or a count, takes as long"
_RECORD = "each buffer has a record of its own, with its counts, queue and name; small ones can be pieces of one buffer, of 58 bytes each"
WHY = {(id, level, baseline, backend): why for backend in ("native", "opencl") for id, level, baseline, why in (
    ("S2", "L2", "raw", _FILL),
    ("S4", "L1", "success / that of bins16", _SIXTEEN),
    ("S4", "L1", "refused that fit", _SEGMENTS),
    ("S4", "L1", "bins16", _COPIES),
    ("S5", "L0", "raw", _DRIFT),
    ("S5", "L0", "reserved / requested", _RESERVE),
    ("S6", "L0", "ours", _CACHES),
    ("S7", "L1", "refused (", _SEGMENTS),
    ("S7", "L1", "reserved / peak requested", "the cap is 1.2 times the peak, and it was filled to the last class"),
    ("S8", "L2", "finish before free", _BROADCAST),
    ("S9", "L0", "raw", _PAIR),
    ("S12", "L0", "mutex", _STORE),
    ("S12", "L0", "the same without tracker", _TRACKER),
    ("S15", "L0", "bytes of the heap", _RECORD),
)}
WHY.update({("S1", "L0", "raw", "native"): _MALLOC, ("S9", "L0", "raw", "native"): _MALLOC, ("S9", "L1", "raw", "native"): _MALLOC, ("S5", "L0", "raw", "native"): _MALLOC})


def number(x):
    if x is None:
        return ""
    return f"{x:.0f}" if abs(x) >= 100 or x == int(x) else f"{x:.1f}" if abs(x) >= 10 else f"{x:.2f}"


def nanoseconds(x):
    if x is None:
        return ""
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if x >= unit:
            return f"{x / unit:.3g} {name}"
    return f"{x:.0f} ns"


def why_not(line):
    if line["id"] == "S8" and "out-of-order" not in line["what"]:
        return _CORES
    for (id, level, baseline, backend), why in WHY.items():
        if (id, level, backend) == (line["id"], line["level"], line["backend"]) and line["baseline"].startswith(baseline):
            return why
    return ""


def place(line):
    if line["backend"] == "native":
        return "native"
    return "PoCL" if "Portable Computing" in line["platform"] else line["device"]


def order(line):
    return int(line["id"][1:]) if line["id"][1:].isdigit() else 99


def is_met(line):
    return line["found"] <= line["wanted"] if line["is_at_most"] else line["found"] >= line["wanted"]


def rows_of_targets(lines):
    rows = []
    for line in lines:
        if line["wanted"] is None or line["found"] is None:
            continue
        verdict = "met" if is_met(line) else "**not met**"
        why = "" if is_met(line) else why_not(line)
        control = line["control"]
        if control is not None and abs(control - 1) > 0.05:
            why = (why + "; " if why else "") + "the machine was disturbed"
        rows.append([f"{line['id']} {NAMES.get(line['id'], '')}, {line['what']}", place(line), line["level"], line["setting"], line["baseline"],
                     ("at most " if line["is_at_most"] else "") + number(line["wanted"]), number(line["found"]),
                     f"{number(line['low'])}-{number(line['high'])}" if line["low"] is not None and line["found"] == line["ratio"] else "",
                     number(control), verdict, why])
    return rows


def rows_of_ratios(lines):
    """A row for each trace, a column for each baseline; the other columns are of ours against raw."""
    found = {}
    for line in lines:
        if line["ratio"] is not None:
            found.setdefault((order(line), line["what"], line["level"], line["setting"], place(line)), {})[line["baseline"]] = line
    rows = []
    columns = ("raw", "bins16", "mutex", "pow2", "best-fit")
    for (_, what, level, setting, where), against in found.items():
        known = [against[name] for name in columns if name in against]
        if not known:
            continue
        first = known[0]
        host = against.get("malloc") or against.get("mmap")
        rows.append([f"{first['id']} {what}", where, level, setting] +
                    [number(against[name]["ratio"]) if name in against else "" for name in columns] +
                    [number(host["ratio"]) if host else "", nanoseconds(first["ours_ns"]),
                     " / ".join(nanoseconds(first[name]) for name in ("p50", "p99", "max")) if first["p50"] is not None else "",
                     first["driver_calls"], "" if first["hit_rate"] is None else f"{100 * first['hit_rate']:.1f} %"])
    return rows


def means_of_large(lines):
    """S2's geometric means where its sizes were measured one by one."""
    made = []
    groups = {}
    for line in lines:
        if line["id"] == "S2":
            groups.setdefault((line["baseline"], line["setting"], place(line)), {})[line["what"]] = line
    sizes = [f"{2**k} MiB" for k in range(1, 9)]
    for (baseline, setting, _), found in groups.items():
        for what, names, wanted in (("geometric mean", sizes, 3.92 if setting == "mmap" else None),
                                    ("geometric mean from 32 MiB", sizes[4:], None if setting == "mmap" else 6)):
            if what in found or any(name not in found for name in names):
                continue
            of = [found[name] for name in names]
            ratio = math.exp(sum(math.log(line["ratio"]) for line in of) / len(of))
            made.append(dict(of[0], what=what, ratio=ratio, found=ratio, wanted=wanted if baseline == "raw" else None, low=min(line["low"] for line in of),
                             high=max(line["high"] for line in of), control=max((line["control"] for line in of), key=lambda c: abs(c - 1)),
                             p50=None, ours_ns=None, driver_calls=sum(line["driver_calls"] for line in of), hit_rate=None))
    return made


def section(lines, table):
    lines = [line for line in lines if line["bench"] == "pool"]
    lines = sorted(lines + means_of_large(lines), key=order)
    text = ["Measured by `bench/pool`; the comment at its head says what each figure is. Ratio = the baseline's time / ours, both on the same trace, in turns "
            "A B A B, at least 11 times; *low-high* are the lowest and highest; *control* = A / A.", "",
            "**No ratio means anything without its level and its setting:**", "",
            "- *Level*: how far the buffer is used. L0: not at all. L1: until a lazy driver must have its memory (PoCL: its first bytes are "
            "written; native: a byte of every page), which a pool does once, when it makes a block. L2: every byte is written in every use.",
            "- *Setting*: of malloc, from which PoCL takes its memory: glibc's default, or mmap "
            "(`GLIBC_TUNABLES=glibc.malloc.mmap_threshold=131072`), which is nearer to the driver of a GPU.",
            "- *Baselines*, none of which has statistics or an order between queues: *raw*, the driver's create and release (native: malloc); "
            "*bins16*, last in, first out, with 16 bins to an octave, as PyOpenCL's pool describes itself; *mutex*, the same behind a mutex, for any "
            "thread; *pow2*, bins16 with one bin to an octave; "
            "*best-fit*, an address-ordered list over one large buffer; *host*, malloc (native: mmap).", ""]
    text += ["## Targets", ""] + table(["scenario", "on", "level", "setting", "against", "wanted", "found", "low-high", "control", "verdict", "why not"],
                                     rows_of_targets(lines))
    text += ["## All ratios", "", "A call is an allocation or a release; *p50 / p99 / max* are of our allocations.", ""]
    return text + table(["scenario", "on", "level", "setting", "raw", "bins16", "mutex", "pow2", "best-fit", "host", "our call", "p50 / p99 / max", "driver calls", "hits"],
                        rows_of_ratios(lines))
