# One line per file: libclpac_io_core_la_SOURCES += %D%/file.c %D%/file.h
if HAVE_CAIRO
libclpac_io_core_la_SOURCES += %D%/plot.c
libclpac_io_core_la_SOURCES += %D%/plot_axes.c %D%/plot_axes.h
libclpac_io_core_la_SOURCES += %D%/plot_cells.c %D%/plot_cells.h
libclpac_io_core_la_SOURCES += %D%/plot_colours.c %D%/plot_colours.h
libclpac_io_core_la_SOURCES += %D%/plot_compared.c %D%/plot_compared.h
libclpac_io_core_la_SOURCES += %D%/plot_histogram.c %D%/plot_histogram.h
libclpac_io_core_la_SOURCES += %D%/plot_map.c %D%/plot_map.h
libclpac_io_core_la_SOURCES += %D%/plot_polar.c %D%/plot_polar.h
libclpac_io_core_la_SOURCES += %D%/plot_page.c %D%/plot_page.h
libclpac_io_core_la_SOURCES += %D%/plot_arrows.c %D%/plot_arrows.h
libclpac_io_core_la_SOURCES += %D%/plot_panels.c %D%/plot_panels.h
libclpac_io_core_la_SOURCES += %D%/plot_threshold.c %D%/plot_threshold.h
libclpac_io_core_la_SOURCES += %D%/plot_time.c %D%/plot_time.h
libclpac_io_core_la_SOURCES += %D%/plot_text.c %D%/plot_text.h
else
libclpac_io_core_la_SOURCES += %D%/plot_missing.c
endif
