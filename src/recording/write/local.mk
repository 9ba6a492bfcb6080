# One line per file: libclpac_io_core_la_SOURCES += %D%/file.c %D%/file.h
libclpac_io_core_la_SOURCES += %D%/mat_output.c %D%/mat_output.h
libclpac_io_core_la_SOURCES += %D%/npz_output.c %D%/npz_output.h
libclpac_io_core_la_SOURCES += %D%/write_csv.c
libclpac_io_core_la_SOURCES += %D%/write_devices.c
libclpac_io_core_la_SOURCES += %D%/write_json.c
libclpac_io_core_la_SOURCES += %D%/write_npy.c
libclpac_io_core_la_SOURCES += %D%/write_npz.c
