"""Sphinx makes the site of the project's pages by this (scripts/site.sh).  A page of Markdown is read as it stands."""
project = "clpac"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "README"
myst_heading_anchors = 6
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "sidebar_width": "240px", "show_powered_by": False}
html_show_sphinx = html_show_copyright = False
html_copy_source = html_show_sourcelink = False
# A page that no list of pages names is found by its links.
suppress_warnings = ["toc.not_included", "misc.highlighting_failure"]
