from setuptools import setup

setup(cffi_modules=["build_clpac.py:ffi"])
