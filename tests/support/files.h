/* Files made by tests: a folder of their own, bytes put together field by field, and what reading them must give. */
#ifndef CLPAC_TESTS_FILES_H
#define CLPAC_TESTS_FILES_H

#include <stddef.h>
#include <stdint.h>

#include <clpac/io.h>

/* Fixtures of a test case: make the folder, and remove it with everything in it. */
void files_begin(void);
void files_end(void);
/* Path of a file in the folder; valid until the test ends. */
const char *files_path(const char *name);
/* Writes a file there and returns its path. */
const char *files_write(const char *name, const void *bytes, size_t n);
const char *files_write_text(const char *name, const char *text);

/* Bytes that grow; ends the test when memory runs out.  Freed by bytes_free. */
typedef struct bytes {
	unsigned char *data;
	size_t n, capacity;
} bytes;
void bytes_add(bytes *to, const void *data, size_t n);
/* Text filled up with blanks to the width. */
void bytes_add_field(bytes *to, const char *text, size_t width);
/* The lowest n_bytes of a number. */
void bytes_add_number(bytes *to, uint64_t number, size_t n_bytes, int is_big_endian);
void bytes_free(bytes *from);
bytes files_content(const char *path);

/* Reads and asserts that it works.  To be destroyed. */
clpac_recording *files_read(const char *path, const clpac_read_options *options);
/* Asserts that reading fails with the status, and that the error is one line that names the file and has the text in
 * it. */
void files_refuse(const char *path, const clpac_read_options *options, clpac_status status, const char *text);
/* A sample as double, whatever its type; asserts that it is there. */
double files_sample(const clpac_recording *recording, size_t channel, size_t i);
/* Asserts that a warning has the text in it; its count. */
size_t files_warned(const clpac_recording *recording, const char *text);

#endif
