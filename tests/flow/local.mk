# Tests from a file to a result: the library as a whole, and the program.
# A test is one line: clpac_tests += %D%/test_topic        clpac_test_scripts += %D%/topic.test
clpac_test_scripts += %D%/bench_peers.test
if !SANITIZERS
clpac_test_scripts += %D%/calls.test
endif
EXTRA_DIST += %D%/branches.c %D%/branches.sh %D%/calls.sh
# An interpreter that is not built with a sanitizer, and packages from the index, which one build fetches.
if !SANITIZERS
if BUILD_PROGRAM
clpac_test_scripts += %D%/python_package.test
clpac_test_scripts += %D%/bids_validator.test
clpac_test_scripts += %D%/tensorpac.test
clpac_test_scripts += %D%/readers.test
clpac_test_scripts += %D%/remaining.test
endif
endif
clpac_test_scripts += %D%/examples.test
clpac_test_scripts += %D%/libraries.test
clpac_test_scripts += %D%/quickstart.test
clpac_test_scripts += %D%/readme.test
clpac_test_scripts += %D%/tutorial.test

# Files of results; needs libclpac-io.
if BUILD_PROGRAM
clpac_tests += %D%/test_analysis
clpac_tests += %D%/test_analysis_text %D%/test_analysis_calls %D%/test_analysis_borrowed
clpac_long_tests += %D%/test_analysis_options
clpac_tests += %D%/test_file_settings
clpac_tests += %D%/test_interruptions
clpac_long_tests += %D%/test_output_sets
clpac_long_tests += %D%/test_tool_calls
clpac_tests += %D%/test_tool_channels
clpac_long_tests += %D%/test_tool_failures
clpac_tests += %D%/test_tool_growth
clpac_tests += %D%/test_write_csv
clpac_tests += %D%/test_write_files
clpac_tests += %D%/test_write_json
clpac_tests += %D%/test_write_npy
clpac_tests += %D%/test_write_npz
endif
some_analysis = %D%/some_analysis.c %D%/some_analysis.h
%C%_test_analysis_calls_SOURCES = %D%/test_analysis_calls.c $(some_analysis)
%C%_test_analysis_borrowed_SOURCES = %D%/test_analysis_borrowed.c $(some_analysis)
%C%_test_analysis_text_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_analysis_calls_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_analysis_borrowed_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_analysis_options_LDADD = libclpac-tool-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_analysis_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_write_json_LDADD = $(LDADD) $(JANSSON_LIBS)
# The wrappers make system calls take long.
%C%_test_write_files_LDFLAGS = -Wl,--wrap=unlinkat -Wl,--wrap=openat -Wl,--wrap=openat64
# The wrappers interrupt system calls and make them fail.
%C%_test_output_sets_LDFLAGS = -Wl,--wrap=write -Wl,--wrap=fsync -Wl,--wrap=ftruncate -Wl,--wrap=ftruncate64 \
	-Wl,--wrap=renameat -Wl,--wrap=linkat -Wl,--wrap=unlinkat -Wl,--wrap=openat -Wl,--wrap=openat64 -Wl,--wrap=nanosleep
%C%_test_output_sets_CPPFLAGS = $(AM_CPPFLAGS) $(LIBZIP_CFLAGS)
%C%_test_output_sets_LDADD = libclpac-tool-core.la $(LDADD) $(JANSSON_LIBS) $(LIBZIP_LIBS)
%C%_test_tool_calls_SOURCES = %D%/test_tool_calls.c %D%/failing_calls.c %D%/failing_calls.h %D%/ways.c %D%/ways.h
%C%_test_tool_calls_LDADD = libclpac-tool-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_tool_channels_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_tool_failures_SOURCES = %D%/test_tool_failures.c %D%/ways.c %D%/ways.h
%C%_test_tool_failures_LDADD = libclpac-tool-core.la $(LDADD) $(JANSSON_LIBS)

# Drawings of results; all but the refusal by a build without cairo need cairo.
if BUILD_PROGRAM
clpac_tests += %D%/test_plot
if HAVE_CAIRO
drawn_maps = %D%/drawn_maps.c %D%/drawn_maps.h
clpac_tests += %D%/test_plot_axes
clpac_tests += %D%/test_plot_colours
clpac_tests += %D%/test_plot_histogram
clpac_tests += %D%/test_plot_marks
clpac_tests += %D%/test_plot_panels
clpac_tests += %D%/test_plot_channels
clpac_tests += %D%/test_plot_text
endif
endif
%C%_test_plot_SOURCES = %D%/test_plot.c $(drawn_maps)
%C%_test_plot_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS)
%C%_test_plot_LDADD = $(LDADD) $(CAIRO_LIBS)
%C%_test_plot_axes_SOURCES = %D%/test_plot_axes.c $(drawn_maps)
%C%_test_plot_axes_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS)
%C%_test_plot_axes_LDADD = $(LDADD) $(CAIRO_LIBS)
%C%_test_plot_colours_SOURCES = %D%/test_plot_colours.c $(drawn_maps)
%C%_test_plot_colours_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS)
%C%_test_plot_colours_LDADD = $(LDADD) $(CAIRO_LIBS)
%C%_test_plot_histogram_SOURCES = %D%/test_plot_histogram.c $(drawn_maps)
%C%_test_plot_histogram_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS)
%C%_test_plot_histogram_LDADD = $(LDADD) $(CAIRO_LIBS)
%C%_test_plot_marks_SOURCES = %D%/test_plot_marks.c $(drawn_maps)
%C%_test_plot_marks_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS)
%C%_test_plot_marks_LDADD = $(LDADD) $(CAIRO_LIBS)
%C%_test_plot_channels_SOURCES = %D%/test_plot_channels.c $(drawn_maps)
%C%_test_plot_channels_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS)
%C%_test_plot_channels_LDADD = $(LDADD) $(CAIRO_LIBS)
%C%_test_plot_panels_SOURCES = %D%/test_plot_panels.c $(drawn_maps)
%C%_test_plot_panels_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS)
%C%_test_plot_panels_LDADD = $(LDADD) $(CAIRO_LIBS)
%C%_test_plot_text_SOURCES = %D%/test_plot_text.c $(drawn_maps)
%C%_test_plot_text_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS)
%C%_test_plot_text_LDADD = $(LDADD) $(CAIRO_LIBS)

EXTRA_DIST += %D%/bids.sh %D%/tool.sh
clpac_test_scripts += %D%/tool_bands.test
clpac_test_scripts += %D%/tool_cache.test
clpac_test_scripts += %D%/tool_cautions.test
clpac_test_scripts += %D%/tool_channels.test
clpac_test_scripts += %D%/tool_bids.test
clpac_test_scripts += %D%/tool_claims.test
clpac_test_scripts += %D%/tool_clean.test
clpac_test_scripts += %D%/tool_stack.test
clpac_test_scripts += %D%/tool_completion.test
clpac_test_scripts += %D%/tool_config.test
clpac_test_scripts += %D%/tool_corrections.test
clpac_test_scripts += %D%/tool_columns.test
clpac_test_scripts += %D%/tool_compare.test
clpac_test_scripts += %D%/tool_ended.test
clpac_test_scripts += %D%/tool_erpac.test
clpac_test_scripts += %D%/tool_events.test
clpac_test_scripts += %D%/tool_event_tables.test
clpac_test_scripts += %D%/tool_spans.test
clpac_test_scripts += %D%/tool_examples.test
clpac_test_scripts += %D%/tool_extremes.test
clpac_test_scripts += %D%/tool_group.test
clpac_test_scripts += %D%/tool_measures.test
clpac_test_scripts += %D%/tool_defaults.test
clpac_test_scripts += %D%/tool_devices.test
clpac_test_scripts += %D%/tool_fft.test
clpac_test_scripts += %D%/tool_files.test
clpac_test_scripts += %D%/tool_room.test
clpac_test_scripts += %D%/tool_shards.test
clpac_test_scripts += %D%/tool_shared.test
clpac_test_scripts += %D%/tool_sliding.test
clpac_test_scripts += %D%/tool_pairs.test
clpac_test_scripts += %D%/tool_flat.test
clpac_test_scripts += %D%/tool_stretches.test
clpac_test_scripts += %D%/tool_study.test
clpac_test_scripts += %D%/tool_first_run.test
clpac_test_scripts += %D%/tool_input.test
clpac_test_scripts += %D%/tool_limits.test
clpac_test_scripts += %D%/tool_memory.test
clpac_test_scripts += %D%/tool_nulls.test
clpac_test_scripts += %D%/python_fork.test
EXTRA_DIST += %D%/python_fork.py
EXTRA_DIST += %D%/readers.py
EXTRA_DIST += %D%/remaining.py
EXTRA_DIST += %D%/mat.py
EXTRA_DIST += %D%/report.py
clpac_test_scripts += %D%/tool_output.test
clpac_test_scripts += %D%/tool_parts.test
clpac_test_scripts += %D%/tool_doctor.test
clpac_test_scripts += %D%/tool_drivers.test
clpac_test_scripts += %D%/tool_plan.test
clpac_test_scripts += %D%/tool_probe.test
clpac_test_scripts += %D%/tool_provenance.test
clpac_test_scripts += %D%/tool_reading.test
clpac_test_scripts += %D%/tool_recordings.test
clpac_test_scripts += %D%/tool_mat.test
clpac_test_scripts += %D%/tool_report.test
clpac_test_scripts += %D%/tool_several.test
clpac_test_scripts += %D%/tool_synth.test
clpac_test_scripts += %D%/tool_table.test
clpac_test_scripts += %D%/tool_threads.test
clpac_test_scripts += %D%/tool_races.test
clpac_test_scripts += %D%/tool_usage.test

# FFT engines in whole plans.
clpac_tests += %D%/test_fft_engines

# Reading of recordings; needs libclpac-io.
if BUILD_PROGRAM
clpac_tests += %D%/test_io_failures
clpac_tests += %D%/test_read_brainvision
clpac_tests += %D%/test_read_channels_table
clpac_tests += %D%/test_read_events_table
clpac_tests += %D%/test_read_csv
clpac_tests += %D%/test_read_damaged
clpac_tests += %D%/test_read_edf
clpac_tests += %D%/test_read_files
clpac_tests += %D%/test_read_growth
clpac_tests += %D%/test_read_mat
clpac_tests += %D%/test_read_hdf5
clpac_tests += %D%/test_read_npy
clpac_tests += %D%/test_read_npz
clpac_tests += %D%/test_read_part
clpac_tests += %D%/test_read_raw
clpac_tests += %D%/test_read_shared
clpac_tests += %D%/test_resample
clpac_tests += %D%/test_store_recording
endif
mat_bytes = %D%/mat_bytes.c %D%/mat_bytes.h
%C%_test_read_mat_SOURCES = %D%/test_read_mat.c $(mat_bytes)
hdf5_bytes = %D%/hdf5_bytes.c %D%/hdf5_bytes.h
%C%_test_read_hdf5_SOURCES = %D%/test_read_hdf5.c $(hdf5_bytes)
%C%_test_read_hdf5_LDADD = $(LDADD) -lz
%C%_test_read_part_SOURCES = %D%/test_read_part.c $(mat_bytes) $(hdf5_bytes)
%C%_test_read_part_LDADD = $(LDADD) -lz
# The wrappers watch the size of every allocation.
%C%_test_read_damaged_SOURCES = %D%/test_read_damaged.c $(mat_bytes) $(hdf5_bytes)
%C%_test_read_damaged_LDFLAGS = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc
%C%_test_read_damaged_CPPFLAGS = $(AM_CPPFLAGS) $(LIBZIP_CFLAGS)
%C%_test_read_damaged_LDADD = $(LDADD) $(LIBZIP_LIBS) -lz
# The wrappers add up what is allocated.
growth = %D%/growth.c %D%/growth.h
growth_wrappers = -Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=realloc -Wl,--wrap=free
%C%_test_read_growth_SOURCES = %D%/test_read_growth.c $(growth) $(mat_bytes) $(hdf5_bytes)
%C%_test_tool_growth_SOURCES = %D%/test_tool_growth.c $(growth)
%C%_test_tool_growth_LDADD = libclpac-analysis-core.la $(LDADD) $(JANSSON_LIBS)
%C%_test_read_growth_LDFLAGS = $(growth_wrappers)
%C%_test_tool_growth_LDFLAGS = $(growth_wrappers)
%C%_test_read_growth_CPPFLAGS = $(AM_CPPFLAGS) $(LIBZIP_CFLAGS)
%C%_test_read_growth_LDADD = $(LDADD) $(LIBZIP_LIBS) -lz
%C%_test_io_failures_LDADD = $(LDADD) $(JANSSON_LIBS)
%C%_test_read_npz_CPPFLAGS = $(AM_CPPFLAGS) $(LIBZIP_CFLAGS)
%C%_test_read_npz_LDADD = $(LDADD) $(LIBZIP_LIBS)
%C%_test_read_shared_LDADD = $(LDADD) $(JANSSON_LIBS)

# Lists of devices, recorded and replayed; needs libclpac-io.
if BUILD_PROGRAM
clpac_tests += %D%/test_devices_file
clpac_tests += %D%/test_machines
clpac_tests += %D%/test_machine_limits
%C%_test_machine_limits_SOURCES = %D%/test_machine_limits.c $(places)
endif
%C%_test_devices_file_LDADD = $(LDADD) $(JANSSON_LIBS)

# Snapshots of pools, written and read; needs libclpac-io.
if BUILD_PROGRAM
endif

# Plans and their results, against maps and values of other programs.
comodulogram_laws = %D%/comodulogram_laws.c %D%/comodulogram_laws.h $(places)
clpac_long_tests += %D%/test_comodulogram_native %D%/test_comodulogram_opencl
%C%_test_comodulogram_native_SOURCES = %D%/test_comodulogram_native.c $(comodulogram_laws)
%C%_test_comodulogram_opencl_SOURCES = %D%/test_comodulogram_opencl.c $(comodulogram_laws) $(compiled_once)
%C%_test_comodulogram_opencl_LDFLAGS = $(replaces_opencl)
clpac_tests += %D%/test_plan_failures %D%/test_published
plan_fixture = %D%/plan_fixture.c %D%/plan_fixture.h $(places)
clpac_tests += %D%/test_plan %D%/test_plan_report %D%/test_plan_samples %D%/test_plan_warnings
%C%_test_plan_SOURCES = %D%/test_plan.c $(plan_fixture)
%C%_test_plan_report_SOURCES = %D%/test_plan_report.c $(plan_fixture)
%C%_test_plan_samples_SOURCES = %D%/test_plan_samples.c $(plan_fixture)
%C%_test_plan_warnings_SOURCES = %D%/test_plan_warnings.c $(plan_fixture)
several_laws = %D%/several_laws.c %D%/several_laws.h $(places)
clpac_tests += %D%/test_several_native %D%/test_several_opencl
%C%_test_several_native_SOURCES = %D%/test_several_native.c $(several_laws)
%C%_test_several_opencl_SOURCES = %D%/test_several_opencl.c $(several_laws)
%C%_test_plan_failures_SOURCES = %D%/test_plan_failures.c $(places)
%C%_test_published_SOURCES = %D%/test_published.c $(places)
clpac_tests += %D%/test_cautions
clpac_tests += %D%/test_peak
%C%_test_peak_SOURCES = %D%/test_peak.c $(places)
clpac_tests += %D%/test_tied
%C%_test_tied_SOURCES = %D%/test_tied.c $(places)
