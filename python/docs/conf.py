"""Settings of Sphinx; scripts/docs.sh builds these pages."""

import os
import pathlib
import re
import zipfile

import clpac

project = "clpac in Python"
copyright = "the authors of clpac"
version = release = clpac.__version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_gallery.gen_gallery"]
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's parameters say more
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

# A theme that comes with Sphinx and asks for no font from elsewhere.
html_theme = "alabaster"
html_theme_options = {
    "description": "Phase-amplitude coupling, on any OpenCL device and on plain CPUs",
    "fixed_sidebar": True,
    "page_width": "1140px",
    "body_max_width": "none",
    "code_font_size": "0.8em",
    "sidebar_width": "250px",
    "font_family": "sans-serif",
    "head_font_family": "sans-serif",
    "code_font_family": "monospace",
}
html_sidebars = {"**": ["about.html", "searchfield.html", "navigation.html"]}
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
templates_path = []
exclude_patterns = ["examples"]
nitpicky = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,  # a page that would fetch scripts from elsewhere
    "min_reported_time": float("inf"),  # two builds of the pages are the same
    "matplotlib_animations": False,
    "image_scrapers": ("matplotlib",),
    "thumbnail_size": (400, 280),
    "plot_gallery": os.environ.get("CLPAC_PLOT_GALLERY", "True"),
}

# The sentence of a result names the time of its computation, and the device.
COMPUTED = re.compile(r" in [0-9.e+-]+ (ms|s|min|h) on [^<>\n]+(?=[<>])")


def take_builder_out(app):
    """Two builds of the pages are the same: what examples print keeps no time of a computation and no folder of the builder's, and
    archives no times of their files."""
    for path in pathlib.Path(app.srcdir, "gallery").iterdir():
        if path.suffix == ".rst":
            text = path.read_text().replace(f"{app.srcdir}/examples/", "")
            path.write_text(COMPUTED.sub(r" in ... \1 on ...", text))
        elif path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                parts = {name: archive.read(name) for name in archive.namelist()}
            with zipfile.ZipFile(path, "w") as archive:
                for name, content in parts.items():
                    archive.writestr(zipfile.ZipInfo(name), content)


def setup(app):
    app.connect("builder-inited", take_builder_out, priority=900)  # behind the gallery's own
