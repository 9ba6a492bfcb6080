/* Files made by tests: a folder for each test, bytes put together field by field. */
#ifndef CLPAC_TESTS_FILES_H
#define CLPAC_TESTS_FILES_H

#include <stddef.h>
#include <stdint.h>

/* Fixtures of a test case: the first makes the folder, the second removes it with everything in it. */
void files_begin(void);
void files_end(void);
/* Path of a file in the folder; valid until the test ends. */
const char *files_path(const char *name);
/* Writes a file into the folder and returns its path. */
const char *files_write(const char *name, const void *bytes, size_t n);
const char *files_write_text(const char *name, const char *text);

/* A growing array of bytes; ends the test when memory runs out.  Freed by bytes_free. */
typedef struct bytes {
	unsigned char *data;
	size_t n, capacity;
} bytes;
void bytes_add(bytes *to, const void *data, size_t n);
/* Appends the text, padded with blanks to the width. */
void bytes_add_field(bytes *to, const char *text, size_t width);
/* Appends the lowest n_bytes of a number. */
void bytes_add_number(bytes *to, uint64_t number, size_t n_bytes, int is_big_endian);
void bytes_free(bytes *from);
bytes files_content(const char *path);

#endif
