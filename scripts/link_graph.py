#!/usr/bin/env python3
"""link_graph.py BUILD [--picture FILE.svg] - which folder and which file of src/ calls which, read from the object files of a
build by nm.  Prints TAP; with --picture draws the folders instead.

The law: folders have no circle, also where their includes are counted; a library includes private headers only of itself,
of base and of what LENDS allows; files call each other both ways only inside one folder, at most five of them, listed in
tests/lint/circles.txt.  $NM reads the objects."""
import collections
import os
import re
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# The private interfaces of libclpac-memory, which it exports for libclpac alone; and analysis, which the program alone uses.
LENDS = {"coupling": {"memory"}, "tool": {"analysis"}}
MOST = 5


def objects_of(build):
    """{source, as memory/pool/ledger: [object, ...]} of every file of src/ that this build compiles."""
    found = collections.defaultdict(list)
    with open(os.path.join(build, "Makefile")) as makefile:
        names = {name for line in makefile.read().replace("\\\n", " ").splitlines() if re.match(r"am_\w+_OBJECTS =|am__objects_\d+ =", line)
                 for name in re.findall(r"\bsrc/\S+\.(?:lo|\$\(OBJEXT\))", line)}
    for name in sorted(names):
        folder, file = os.path.split(re.sub(r"\.(lo|\$\(OBJEXT\))$", "", name))
        source = os.path.join(folder[len("src/"):], re.sub(r"^\w+-", "", file))
        path = os.path.join(build, folder, ".libs" if name.endswith(".lo") else "", file + ".o")
        if os.path.exists(os.path.join(TOP, "src", source + ".c")):
            found[source].append(path)
    return found


def calls_of(objects):
    """{caller: {callee: [symbol, ...]}} of files, and the sources without an object."""
    source_of = {path: source for source, paths in objects.items() for path in paths if os.path.exists(path)}
    missing = sorted(set(objects) - set(source_of.values()))
    said = subprocess.run(os.environ.get("NM", "nm").split() + ["-A"] + sorted(source_of), text=True, check=True, stdout=subprocess.PIPE).stdout
    defined, wanted = {}, collections.defaultdict(set)
    for line in said.splitlines():
        path, _, rest = line.partition(":")
        words = rest.split()
        if words[-2] in "Uw":
            wanted[source_of[path]].add(words[-1])
        elif words[-2].isupper():
            defined[words[-1]] = source_of[path]
    calls = collections.defaultdict(lambda: collections.defaultdict(list))
    for source, symbols in wanted.items():
        for symbol in sorted(symbols):
            if defined.get(symbol, source) != source:
                calls[source][defined[symbol]].append(symbol)
    return calls, missing


def includes_of(sources):
    """{file: {included file, ...}} of private headers, as written in src/."""
    found = collections.defaultdict(set)
    for folder, _, files in os.walk(os.path.join(TOP, "src")):
        for file in files:
            if file.endswith((".c", ".h", ".def")):
                name = os.path.relpath(os.path.join(folder, file), os.path.join(TOP, "src"))
                with open(os.path.join(folder, file)) as text:
                    found[name] = {target for target in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text.read(), re.M)
                                   if os.path.exists(os.path.join(TOP, "src", target))}
    return found


def circles(graph):
    """The sets of nodes, of two or more, that reach each other in {node: targets}; Tarjan's algorithm."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in number:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], number[target])
        if low[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in number:
            visit(node)
    return sorted(found)


def of_folders(calls, includes=None):
    """{folder: {folder, ...}} of calls between files, and of includes where they are given."""
    graph = collections.defaultdict(set)
    for edges in (calls, includes or {}):
        for caller, callees in edges.items():
            for callee in callees:
                if os.path.dirname(caller) != os.path.dirname(callee):
                    graph[os.path.dirname(caller)].add(os.path.dirname(callee))
    return graph


def why(graph, calls, includes):
    """The edges of each circle of folders in words, the thinnest first: those are to be cut."""
    lines = []
    for circle in circles(graph):
        lines.append("circle of folders: " + ", ".join(circle))
        for a in circle:
            for b in sorted(graph[a] & set(circle)):
                said = [f"{f} -> {t} ({s})" for f in calls if os.path.dirname(f) == a
                        for t in calls[f] if os.path.dirname(t) == b for s in calls[f][t]]
                said += [f"{f} includes {t}" for f in includes if os.path.dirname(f) == a for t in includes[f] if os.path.dirname(t) == b]
                lines += [f"    {line}" for line in said[:6]] + ([f"    and {len(said) - 6} more"] if len(said) > 6 else [])
    return lines


def library(path):
    return path.split("/")[0]


def strangers(includes):
    """Includes of another library's private headers."""
    return [f"{file} includes {target}, private to {library(target)}" for file in sorted(includes) for target in sorted(includes[file])
            if library(target) not in {library(file), "base"} | LENDS.get(library(file), set())]


def listed_circles():
    with open(os.path.join(TOP, "tests/lint/circles.txt")) as file:
        return sorted(sorted(line.split(":")[1].split()) for line in file if line.strip() and not line.startswith("#"))


n_verdicts = 0


def verdict(faults, name):
    global n_verdicts
    n_verdicts += 1
    for fault in faults:
        print(f"# {fault}")
    print(f"{'not ok' if faults else 'ok'} {n_verdicts} - {name}")


def judge(build):
    objects = objects_of(build)
    calls, missing = calls_of(objects)
    includes = includes_of(objects)
    verdict(missing if len(objects) > 100 else ["the Makefile names hardly any object of src/"], "every file of src/ is compiled")
    verdict([] if circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == [["a", "b", "c"]] else ["a made-up circle is not found"],
            "a circle is found where there is one")
    verdict(why(of_folders(calls), calls, {}), "folders call each other in no circle")
    verdict(why(of_folders(calls, includes), calls, includes), "nor with their includes")
    verdict(strangers(includes), "a library includes no private header of another")
    there = circles(calls)
    faults = [f"{', '.join(c)}: files of several folders call each other" for c in there if len({os.path.dirname(f) for f in c}) > 1]
    faults += [f"{len(c)} files call each other: {', '.join(c)}" for c in there if len(c) > MOST]
    verdict(faults, f"files call each other both ways only in one folder, {MOST} at most")
    listed = listed_circles()
    faults = [f"not listed: {' '.join(c)}" for c in there if c not in listed] + [f"listed, and no circle: {' '.join(c)}" for c in listed if c not in there]
    verdict(faults, "those are listed in tests/lint/circles.txt, each with its reason")
    print(f"1..{n_verdicts}")


def floors(graph, nodes):
    """{folder: floor}, each above all that it needs; the folders of a circle share one."""
    group = {node: tuple([node]) for node in nodes}
    for circle in circles(graph):
        for node in circle:
            group[node] = tuple(circle)
    known = {}

    def floor(which):
        if which not in known:
            below = {group[t] for node in which for t in graph.get(node, ())} - {which}
            known[which] = 1 + max((floor(b) for b in below), default=-1)
        return known[which]

    return {node: floor(group[node]) for node in nodes}, {node for node in nodes if len(group[node]) > 1}


def direct(graph, inside):
    """The edges that no longer way replaces; in a circle all of them."""
    def reach(node, without):
        seen, todo = set(), [t for t in graph.get(node, ()) if t != without]
        while todo:
            at = todo.pop()
            if at not in seen:
                seen.add(at)
                todo += graph.get(at, ())
        return seen
    return sorted((a, b) for a in graph for b in graph[a] if (a in inside and b in inside) or b not in reach(a, b))


COLOURS = {"base": "#6b7280", "memory": "#2563eb", "coupling": "#b45309", "recording": "#047857", "analysis": "#7c3aed", "tool": "#be123c"}
WIDTH, HEIGHT, GAP, RISE = 150, 40, 18, 78


def picture(build, path):
    calls, _ = calls_of(objects_of(build))
    files = sorted(set(calls) | {t for c in calls.values() for t in c})
    nodes = sorted({os.path.dirname(f) for f in files})
    graph = of_folders(calls)
    where, inside = floors(graph, nodes)
    rows = collections.defaultdict(list)
    order = list(COLOURS)
    for node in sorted(nodes, key=lambda n: (order.index(library(n)) if library(n) in order else len(order), n)):
        rows[where[node]].append(node)
    width = max(len(r) for r in rows.values()) * (WIDTH + GAP) + GAP
    height = (max(rows) + 1) * RISE + 30
    place = {}
    for floor, row in rows.items():
        left = (width - len(row) * (WIDTH + GAP) + GAP) / 2
        for i, node in enumerate(row):
            place[node] = (left + i * (WIDTH + GAP), height - 30 - (floor + 1) * RISE + RISE - HEIGHT)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width:.0f}" height="{height}" fill="#ffffff"/>',
           '<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
           '<path d="M0 0L8 4L0 8z" fill="context-stroke"/></marker></defs>']
    for a, b in direct(graph, inside):
        red = a in inside and b in inside and where[a] == where[b]
        (xa, ya), (xb, yb) = place[a], place[b]
        if red:
            y = ya + HEIGHT
            lift = 12 + 10 * (abs(xa - xb) // (WIDTH + GAP))
            out.append(f'<path d="M{xa + WIDTH / 2:.0f} {y}C{xa + WIDTH / 2:.0f} {y + lift} {xb + WIDTH / 2:.0f} {y + lift} {xb + WIDTH / 2:.0f} {y}" '
                       'fill="none" stroke="#dc2626" stroke-width="1.3" marker-end="url(#a)"/>')
        else:
            out.append(f'<path d="M{xa + WIDTH / 2:.0f} {ya + HEIGHT}L{xb + WIDTH / 2:.0f} {yb}" stroke="#9ca3af" stroke-width="1" marker-end="url(#a)"/>')
    for node, (x, y) in place.items():
        colour = COLOURS.get(library(node), "#374151")
        n = sum(os.path.dirname(f) == node for f in files)
        edge = "#dc2626" if node in inside else colour
        out.append(f'<rect x="{x:.0f}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="4" fill="#f9fafb" stroke="{edge}" stroke-width="{2.5 if node in inside else 1.5}"/>'
                   f'<text x="{x + WIDTH / 2:.0f}" y="{y + 17}" text-anchor="middle" fill="{colour}" font-weight="bold">{node}</text>'
                   f'<text x="{x + WIDTH / 2:.0f}" y="{y + 32}" text-anchor="middle" fill="#4b5563" font-size="11">{n} file{"s" if n > 1 else ""}</text>')
    n_red = len(circles(graph))
    out.append(f'<text x="{GAP}" y="{height - 10}" fill="#4b5563">Folders of src/, by link: an arrow points to what a folder calls; ways over others are left out. '
               f'Circles of folders: {n_red}; of files: {len(circles(calls))}.</text></svg>')
    with open(path, "w") as file:
        file.write("\n".join(out) + "\n")


def main():
    if len(sys.argv) == 2:
        judge(sys.argv[1])
    elif len(sys.argv) == 4 and sys.argv[2] == "--picture":
        picture(sys.argv[1], sys.argv[3])
    else:
        sys.exit("usage: link_graph.py BUILD [--picture FILE.svg]")


if __name__ == "__main__":
    main()
