# One line per file: libclpac_io_core_la_SOURCES += %D%/file.c %D%/file.h
# Uses the public headers of libclpac only.  Where cairo is missing: if HAVE_CAIRO ... endif.
libclpac_io_core_la_SOURCES += %D%/brainvision_header.c %D%/brainvision_header.h
libclpac_io_core_la_SOURCES += %D%/brainvision_markers.c %D%/brainvision_markers.h
libclpac_io_core_la_SOURCES += %D%/checksum.c
libclpac_io_core_la_SOURCES += %D%/devices.h
libclpac_io_core_la_SOURCES += %D%/devices_json.c
libclpac_io_core_la_SOURCES += %D%/devices_read.c
libclpac_io_core_la_SOURCES += %D%/edf_annotations.c %D%/edf_annotations.h
libclpac_io_core_la_SOURCES += %D%/edf_header.c %D%/edf_header.h
libclpac_io_core_la_SOURCES += %D%/formats.c %D%/formats.h
libclpac_io_core_la_SOURCES += %D%/ini.c %D%/ini.h
libclpac_io_core_la_SOURCES += %D%/json_text.c %D%/json_text.h
libclpac_io_core_la_SOURCES += %D%/lines.c %D%/lines.h
libclpac_io_core_la_SOURCES += %D%/live_files.c %D%/live_files.h
libclpac_io_core_la_SOURCES += %D%/npy_head.c %D%/npy_head.h
libclpac_io_core_la_SOURCES += %D%/npy_head_write.c %D%/npy_head_write.h
libclpac_io_core_la_SOURCES += %D%/npy_write.c
libclpac_io_core_la_SOURCES += %D%/npz_member.c %D%/npz_member.h
libclpac_io_core_la_SOURCES += %D%/npz_output.c %D%/npz_output.h
libclpac_io_core_la_SOURCES += %D%/output.c %D%/output.h
libclpac_io_core_la_SOURCES += %D%/read.c
libclpac_io_core_la_SOURCES += %D%/read_brainvision.c
libclpac_io_core_la_SOURCES += %D%/read_csv.c
libclpac_io_core_la_SOURCES += %D%/read_edf.c
libclpac_io_core_la_SOURCES += %D%/read_npy.c %D%/read_npy.h
libclpac_io_core_la_SOURCES += %D%/read_npz.c
libclpac_io_core_la_SOURCES += %D%/read_raw.c
libclpac_io_core_la_SOURCES += %D%/recording_text.c %D%/recording_text.h
libclpac_io_core_la_SOURCES += %D%/result_csv.c
libclpac_io_core_la_SOURCES += %D%/result_json.c
libclpac_io_core_la_SOURCES += %D%/result_npz.c
libclpac_io_core_la_SOURCES += %D%/result_npz_read.c
libclpac_io_core_la_SOURCES += %D%/samples.c %D%/samples.h
libclpac_io_core_la_SOURCES += %D%/source.c %D%/source.h
libclpac_io_core_la_SOURCES += %D%/store_recording.c
libclpac_io_core_la_SOURCES += %D%/file_text.c %D%/file_text.h

if HAVE_CAIRO
libclpac_io_core_la_SOURCES += %D%/plot.c
libclpac_io_core_la_SOURCES += %D%/plot_axes.c %D%/plot_axes.h
libclpac_io_core_la_SOURCES += %D%/plot_cells.c
libclpac_io_core_la_SOURCES += %D%/plot_colours.c %D%/plot_colours.h
libclpac_io_core_la_SOURCES += %D%/plot_histogram.c
libclpac_io_core_la_SOURCES += %D%/plot_map.c
libclpac_io_core_la_SOURCES += %D%/plot_page.c %D%/plot_page.h
libclpac_io_core_la_SOURCES += %D%/plot_panels.c %D%/plot_panels.h
libclpac_io_core_la_SOURCES += %D%/plot_text.c %D%/plot_text.h
else
libclpac_io_core_la_SOURCES += %D%/plot_missing.c
endif
