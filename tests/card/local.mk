# A layer of OpenCL that plays a card on a device of the CPU, for the tests of devices that have none (card.h).
if HAVE_CARD
check_LTLIBRARIES += %D%/card.la
%C%_card_la_SOURCES = %D%/card.c %D%/card.h
%C%_card_la_CFLAGS = $(AM_CFLAGS) $(OPENCL_CFLAGS)
%C%_card_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
card_layer = %D%/card.la

# The program on a card.
if BUILD_PROGRAM
clpac_test_scripts += %D%/card.test
endif

# What workloads ask a card for, compared with counts.txt.
clpac_tests += %D%/test_counts
%C%_test_counts_SOURCES = %D%/test_counts.c %D%/card.h bench/workload.c bench/workload.h
EXTRA_%C%_test_counts_DEPENDENCIES = %D%/card.la
endif
EXTRA_DIST += %D%/counts.txt %D%/starved.txt
