# Numbers that the tests compare with; vectors.h reads them.  make_vectors.py made them, no test runs it.
EXTRA_DIST += %D%/make_vectors.py
EXTRA_DIST += %D%/analytic.json
EXTRA_DIST += %D%/bands.json
EXTRA_DIST += %D%/bandwidth.json
EXTRA_DIST += %D%/closed_form.json
EXTRA_DIST += %D%/comodulogram_ecog.json
EXTRA_DIST += %D%/comodulogram_short.json
EXTRA_DIST += %D%/filters.json
EXTRA_DIST += %D%/problems.json
EXTRA_DIST += %D%/published.json
