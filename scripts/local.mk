# Installed with libclpac-memory: what reads its snapshots.
dist_bin_SCRIPTS += %D%/clpac-snapshot
# Installed with the program: its command bids, as an executable.
dist_bin_SCRIPTS += %D%/clpac-bids
EXTRA_DIST += %D%/gallery.sh
EXTRA_DIST += %D%/abi.py %D%/declarations.py %D%/check.sh %D%/check-skips.sh %D%/skips.txt %D%/check-device.sh %D%/check-limits.sh %D%/check-devices.sh %D%/check-vendors.sh %D%/check-python.sh %D%/check-cluster.sh %D%/check-container.sh %D%/check-report.sh %D%/tap.sh %D%/python-venv.sh %D%/python-package.sh %D%/docs.sh %D%/site.sh %D%/check_pages.py %D%/static-libraries.sh %D%/wheel.sh %D%/vendors.py %D%/device-page.sh %D%/device-bundle.sh %D%/check-bundle.sh %D%/bundle/run.sh %D%/oclgrind-verdict.sh %D%/common.sh %D%/fuzz.sh %D%/mutate.py %D%/mutate_build.py %D%/mutate.sh %D%/link_graph.py %D%/quickstart.sh %D%/small_png.py
EXTRA_DIST += %D%/release.sh %D%/messages.sh
EXTRA_DIST += %D%/check-ports.sh %D%/check-debian.sh
