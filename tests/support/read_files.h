/* Assertions on reading a recording of a file. */
#ifndef CLPAC_TESTS_READ_FILES_H
#define CLPAC_TESTS_READ_FILES_H

#include <stddef.h>

#include <clpac/read.h>
#include <clpac/recording.h>

/* Reads the file and asserts success.  The caller destroys the recording. */
clpac_recording *files_read(const char *path, const clpac_read_options *options);
/* Asserts that reading fails with the status, and that the error is one line that names the file and contains the
 * text. */
void files_refuse(const char *path, const clpac_read_options *options, clpac_status status, const char *text);
/* A sample as double, whatever its type; asserts that it exists. */
double files_sample(const clpac_recording *recording, size_t channel, size_t i);
/* Asserts that a warning contains the text.  Returns the number of warnings. */
size_t files_warned(const clpac_recording *recording, const char *text);

#endif
