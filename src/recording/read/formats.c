/* The table of formats, and recognition of a file by it.  Raw samples look like anything, so they are read only when
 * asked for. */
#include "recording/read/samples.h"

#include <string.h>

#include "base/ascii.h"

static bool starts_with(const unsigned char *head, size_t n, const char *magic, size_t length)
{
	return n >= length && memcmp(head, magic, length) == 0;
}

static bool is_npy(const unsigned char *head, size_t n)
{
	return starts_with(head, n, "\x93NUMPY", 6);
}

static bool is_zip(const unsigned char *head, size_t n)
{
	return starts_with(head, n, "PK\3\4", 4) || starts_with(head, n, "PK\5\6", 4);
}

/* EDF starts with "0" and blanks, as a table might; but its 256 bytes are one line. */
static bool is_edf(const unsigned char *head, size_t n)
{
	return starts_with(head, n,
			   "\xff"
			   "BIOSEMI",
			   8) ||
	       (n >= 256 && starts_with(head, n, "0       ", 8) && !memchr(head, '\n', 256));
}

/* Version 5, in either byte order, which the last four bytes of the header tell. */
static bool is_mat(const unsigned char *head, size_t n)
{
	return n >= 128 && starts_with(head, n, "MATLAB 5.0", 10) &&
	       (memcmp(head + 124, "\0\1IM", 4) == 0 || memcmp(head + 124, "\1\0MI", 4) == 0);
}

/* MATLAB's of version 7.3 have a header of their own in front. */
static bool is_hdf5(const unsigned char *head, size_t n)
{
	return starts_with(head, n, "MATLAB 7.3", 10) || starts_with(head, n, "\x89HDF\r\n\x1a\n", 8);
}

static bool is_brainvision(const unsigned char *head, size_t n)
{
	if (starts_with(head, n, "\xef\xbb\xbf", 3)) {
		head += 3;
		n -= 3;
	}
	return starts_with(head, n, "Brain Vision", 12) || starts_with(head, n, "BrainVision", 11);
}

/* Text that has a digit and no control characters other than those of a table. */
static bool is_table(const unsigned char *head, size_t n)
{
	bool has_digit = false;
	for (size_t i = 0; i < n; i++) {
		if (head[i] < ' ' && !strchr("\t\r\n", head[i]))
			return false;
		if (head[i] == 0)
			return false;
		has_digit |= clpac__is_digit(head[i]);
	}
	return has_digit;
}

/* In order of recognition; the format that takes any text comes last. */
static const clpac__format formats[] = {
	{"npy", is_npy, {".npy"}, clpac__read_npy},
	{"npz", is_zip, {".npz"}, clpac__read_npz},
	{"EDF", is_edf, {".edf", ".bdf", ".rec"}, clpac__read_edf},
	{"MAT", is_mat, {0}, clpac__read_mat},
	{"HDF5", is_hdf5, {0}, clpac__read_hdf5},
	{"BrainVision", is_brainvision, {".vhdr", ".ahdr", ".vmrk", ".eeg"}, clpac__read_brainvision},
	{"CSV", NULL, {".csv", ".tsv", ".txt"}, clpac__read_csv},
	{"CSV", is_table, {0}, clpac__read_csv},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const clpac__format *clpac__format_find(const unsigned char *head, size_t n, const char *path, bool *is_by_content)
{
	const clpac__format *by_name = NULL, *table = &formats[FORMAT_COUNT - 1];
	*is_by_content = true;
	for (const clpac__format *format = formats; format < table; format++) {
		if (format->is_content && format->is_content(head, n))
			return format;
		for (size_t i = 0; i < sizeof format->endings / sizeof *format->endings && format->endings[i]; i++)
			if (!by_name && clpac__ends_with(path, format->endings[i]))
				by_name = format;
	}
	*is_by_content = table->is_content(head, n);
	return by_name ? by_name : *is_by_content ? table : NULL;
}
