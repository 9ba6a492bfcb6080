#!/usr/bin/env python3
"""check_pages.py FOLDER - follows every link between built pages, to the anchor, and names what a page fetches from elsewhere.

Links to other sites are not followed: they are named by their number.  Ends with 1 where something is wrong.
"""
import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urlsplit

FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}
LINKS = {("a", "href"), *FETCHED}


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.fetched = set(), [], []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            if (tag, name) in LINKS and value:
                is_page_of_itself = tag == "link" and ("rel", "canonical") in attributes
                (self.fetched if (tag, name) in FETCHED and not is_page_of_itself else self.links).append(value)


def files_of(folder, *endings):
    for where, _, names in os.walk(folder):
        yield from (os.path.join(where, name) for name in sorted(names) if name.endswith(endings))


def faults_of(folder):
    """Sentences about what is wrong, and the number of links that were followed and of those that lead elsewhere."""
    pages = {os.path.realpath(path): Page(path) for path in files_of(folder, ".html")}
    faults, followed, elsewhere = [], 0, 0
    for path, page in pages.items():
        here = os.path.relpath(path, folder)
        for link in page.links + page.fetched:
            if urlsplit(link).scheme or link.startswith("//"):
                elsewhere += 1
                if link in page.fetched and not link.startswith("data:"):
                    faults.append(f"{here} fetches {link}")
                continue
            followed += 1
            where, anchor = urldefrag(link)
            where = unquote(urlsplit(where).path)
            target = os.path.realpath(os.path.join(os.path.dirname(path), where)) if where else path
            if not os.path.exists(target):
                faults.append(f"{here}: {link} is not there")
            elif anchor and target in pages and unquote(anchor) not in pages[target].anchors:
                faults.append(f"{here}: {link} has no such anchor")
    for path in files_of(folder, ".css"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "@import" in text or "url(http" in text or "url(//" in text:
            faults.append(f"{os.path.relpath(path, folder)} fetches something from elsewhere")
    if not pages or not followed:
        faults.append("there are no pages")
    return faults, len(pages), followed, elsewhere


faults, n_pages, followed, elsewhere = faults_of(sys.argv[1])
print("\n".join(faults + [f"{n_pages} pages, {followed} links followed, {elsewhere} to other sites"]))
sys.exit(bool(faults))
