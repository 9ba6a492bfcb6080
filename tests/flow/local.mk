# From a file to a result: the library as a whole, and the program.
# One line each: clpac_tests += %D%/test_topic        clpac_test_scripts += %D%/topic.test
clpac_test_scripts += %D%/examples.test
clpac_test_scripts += %D%/readme.test

# What the program's results are written to; needs libclpac-io.
if BUILD_PROGRAM
clpac_tests += %D%/test_plot
clpac_tests += %D%/test_write_csv
clpac_tests += %D%/test_write_files
clpac_tests += %D%/test_write_json
clpac_tests += %D%/test_write_npy
clpac_tests += %D%/test_write_npz
endif
%C%_test_plot_CPPFLAGS = $(AM_CPPFLAGS) $(CAIRO_CFLAGS)
%C%_test_plot_LDADD = $(LDADD) $(CAIRO_LIBS)
%C%_test_write_json_LDADD = $(LDADD) $(JANSSON_LIBS)
EXTRA_DIST += %D%/tool.sh
clpac_test_scripts += %D%/tool_config.test
clpac_test_scripts += %D%/tool_input.test
clpac_test_scripts += %D%/tool_output.test
clpac_test_scripts += %D%/tool_parts.test
clpac_test_scripts += %D%/tool_recordings.test
clpac_test_scripts += %D%/tool_synth.test
clpac_test_scripts += %D%/tool_usage.test
