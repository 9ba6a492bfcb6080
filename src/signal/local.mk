# One line per file: libclpac_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_core_la_SOURCES += %D%/bands.c %D%/bands.h
libclpac_core_la_SOURCES += %D%/filter.c %D%/filter.h
libclpac_core_la_SOURCES += %D%/modulation_index.c %D%/modulation_index.h
libclpac_core_la_SOURCES += %D%/phase_bins.c %D%/phase_bins.h
libclpac_core_la_SOURCES += %D%/quadrature.c %D%/quadrature.h
libclpac_core_la_SOURCES += %D%/shifts.c %D%/shifts.h
libclpac_core_la_SOURCES += %D%/statistics.c %D%/statistics.h
