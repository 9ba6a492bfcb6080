#!/usr/bin/env python3
"""report.py PAGE.html RESULT.npz... - reads a page of `clpac report` and the results that it is about, and tells what is wrong
with it in a line each: markup that is not balanced, names that are given twice or lead nowhere, addresses of other places,
drawings without a title, and numbers that are not those of the files."""
import html.parser
import json
import math
import re
import struct
import sys
import zipfile

VOID = {"meta", "br", "img", "link"}
wrong = []


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.uses, self.labels, self.data, self.text = [], [], [], [], [], []
        self.headings, self.n_svg, self.n_details, self.rows = [], 0, 0, []

    def handle_starttag(self, tag, attributes):
        self.handle_startendtag(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "td":
            self.rows[-1].append("")
        if tag == "tr":
            self.rows.append([])

    def handle_startendtag(self, tag, attributes):
        a = dict(attributes)
        if len(a) != len(attributes):
            wrong.append(f"an attribute of <{tag}> is given twice")
        if "id" in a:
            self.ids.append(a["id"])
        if tag == "svg":
            self.n_svg += 1
            if a.get("role") != "img" or len(a.get("aria-labelledby", "").split()) != 2:
                wrong.append("an <svg> has no title and description")
        self.n_details += tag == "details"
        self.labels += a.get("aria-labelledby", "").split()
        if tag == "use":
            self.uses.append(a["href"][1:])
        for name, value in attributes:
            if name in ("src", "href", "action", "data") and not value.startswith("#"):
                wrong.append(f"{name}={value} leads out of the page")
            if name.startswith("on"):
                wrong.append(f"<{tag}> has {name}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            wrong.append(f"</{tag}> ends what was not begun")

    def handle_data(self, data):
        if self.open[-1:] == ["script"] and data.lstrip().startswith("{"):
            self.data.append(json.loads(data))
        elif self.open[-1:] in (["h1"], ["h2"]):
            self.headings.append(data)
        elif "td" in self.open and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data
        if self.open[-1:] not in (["script"], ["style"]):
            self.text.append(data)


def array(archive, name):
    """The values of a float32 array, flat."""
    with archive.open(name + ".npy") as file:
        content = file.read()
    start = 10 + struct.unpack("<H", content[8:10])[0]
    return struct.unpack(f"<{(len(content) - start) // 4}f", content[start:])


def is_same(written, unit, value):
    if written == "-":
        return math.isnan(value)
    return abs(float(written) * unit - value) <= 0.0051 * abs(value)


def compare(data, path):
    """Each cell of the one result with one segment."""
    n_compared = 0
    with zipfile.ZipFile(path) as archive:
        held = {name[:-4] for name in archive.namelist()}
        words = {"MI": "mi", "z": "z", "p_max": "p_max", "remaining": "remaining", "effect": "effect", "t": "t",
                 "mean of surrogates": "surrogate_mean", "their deviation": "surrogate_std"}
        n_cells = len(data["phase"]) * len(data["amplitude"])
        for k, word in enumerate(data["words"]):
            values = array(archive, words[word])
            for one in data["maps"]:
                channel = int(re.search(r"c(\d+)$", one["id"]).group(1))
                shown = one["values"][k].split(" ")
                if len(shown) != n_cells:
                    wrong.append(f"{word}: {len(shown)} cells in place of {n_cells}")
                for cell, written in enumerate(shown):
                    n_compared += 1
                    if not is_same(written, data["units"][k], values[channel * n_cells + cell]):
                        wrong.append(f"{word} of channel {channel}, cell {cell}: {written}")
        for word, name in words.items():
            if name in held and name != "mi" and word not in data["words"]:
                wrong.append(f"{name} is not on the page")
    return n_compared


page = Page()
with open(sys.argv[1], encoding="utf-8") as file:
    source = file.read()
page.feed(source)
page.close()
if page.open:
    wrong.append("not ended: " + " ".join(page.open))
wrong += [f"the name {name} is given twice" for name in set(page.ids) if page.ids.count(name) > 1]
wrong += [f"nothing has the name {name}" for name in page.labels + page.uses if name not in page.ids]
if re.search(r"(https?:)?//[a-z]|url\(", re.sub(r"<h2>.*?</h2>|<pre>.*?</pre>|<td>.*?</td>", "", source)):
    wrong.append("an address of another place")
if len(page.data) != len(sys.argv) - 2:
    wrong.append(f"{len(page.data)} results in place of {len(sys.argv) - 2}")
n = sum(compare(data, path) for data, path in zip(page.data, sys.argv[2:]))
if not n or not page.n_svg or not page.n_details:
    wrong.append("there is nothing on it")
print("\n".join(wrong[:20]) if wrong else f"{n} numbers, {page.n_svg} drawings, headings: {', '.join(page.headings)}")
sys.exit(bool(wrong))
