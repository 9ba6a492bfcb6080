# One line per file: libclpac_io_core_la_SOURCES += %D%/file.c %D%/file.h
if HAVE_CAIRO
libclpac_io_core_la_SOURCES += %D%/plot.c
libclpac_io_core_la_SOURCES += %D%/plot_axes.c
libclpac_io_core_la_SOURCES += %D%/plot_cells.c
libclpac_io_core_la_SOURCES += %D%/plot_channels.c
libclpac_io_core_la_SOURCES += %D%/plot_compared.c
libclpac_io_core_la_SOURCES += %D%/plot_dots.c
libclpac_io_core_la_SOURCES += %D%/plot_histogram.c
libclpac_io_core_la_SOURCES += %D%/plot_map.c
libclpac_io_core_la_SOURCES += %D%/plot_polar.c
libclpac_io_core_la_SOURCES += %D%/plot_page.c
libclpac_io_core_la_SOURCES += %D%/plot_parts.h
libclpac_io_core_la_SOURCES += %D%/plot_time.c
libclpac_io_core_la_SOURCES += %D%/plot_text.c
else
libclpac_io_core_la_SOURCES += %D%/plot_missing.c
endif
