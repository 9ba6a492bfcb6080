# One line per bench program, built by `make bench` and not by `make`: clpac_benches += %D%/question
# The source is %D%/question.c.  Benches link the convenience library, as the tests do.
clpac_benches =
clpac_benches += %D%/pool

EXTRA_PROGRAMS += $(clpac_benches)
CLEANFILES += $(clpac_benches)
bench: $(clpac_benches)
.PHONY: bench
clpac_benches += %D%/surrogates
clpac_benches += %D%/fft
