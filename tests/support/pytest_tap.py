"""A plugin of pytest that prints TAP, as the other tests do: `pytest -p pytest_tap -p no:terminal`.

Each test is one line, with the reason of a skip; what a failed one says stands before its line.
"""

import sys

n_lines = 0


def tell(is_good, name, report=None, skipped=None):
    global n_lines
    n_lines += 1
    out = sys.__stdout__
    for line in str(report.longrepr).splitlines() if report else ():
        print("#", line, file=out)
    directive = f" # SKIP {skipped}" if skipped else ""
    print(f"{'ok' if is_good else 'not ok'} {n_lines} - {name.replace('#', '')}{directive}", file=out, flush=True)


def reason_of(report):
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    return str(told).removeprefix("Skipped: ").splitlines()[0]


def pytest_runtest_logreport(report):
    if report.passed and report.when != "call":
        return  # before and after the test
    if report.skipped:
        why = getattr(report, "wasxfail", None)
        tell(True, report.nodeid, skipped=why if why is not None else reason_of(report))
    else:
        tell(report.passed, report.nodeid, None if report.passed else report)


def pytest_collectreport(report):
    if report.failed:
        tell(False, report.nodeid, report)
    elif report.skipped:
        tell(True, report.nodeid, skipped=reason_of(report))


def pytest_sessionfinish():
    print(f"1..{n_lines}", file=sys.__stdout__, flush=True)
