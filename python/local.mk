# The Python package, which setuptools builds (scripts/python-package.sh, scripts/wheel.sh), and its tests and pages.
EXTRA_DIST += %D%/src %D%/tests %D%/docs %D%/build_clpac.py %D%/interrupt.c %D%/interrupt.h %D%/setup.py %D%/pyproject.toml %D%/mypy.ini %D%/MANIFEST.in %D%/README.md %D%/requirements.txt

# What Python writes beside sources is no source.
dist-hook:
	find $(distdir)/%D% \( -name __pycache__ -o -name '*.egg-info' -o -name .pytest_cache \) -prune -exec rm -rf {} +
