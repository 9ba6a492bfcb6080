/* .npz: a zip of .npy files.  One array is read: the one asked for, the only one, or "data". */
#include <string.h>

#include "base/error.h"
#include "io/read/formats.h"
#include "io/read/npz_member.h"
#include "io/read/read_npy.h"

enum { NAMES_SIZE = 300 };

/* The name of an array, "name.npy" without its ending; NULL for other members. */
static const char *array_name(zip_t *archive, zip_uint64_t i, size_t *length)
{
	const char *name = zip_get_name(archive, i, ZIP_FL_ENC_GUESS);
	size_t n = name ? strlen(name) : 0;
	if (n <= 4 || strcmp(name + n - 4, ".npy") != 0)
		return NULL;
	*length = n - 4;
	return name;
}

static bool is_name(const char *wanted, const char *name, size_t length)
{
	return strlen(wanted) == length && memcmp(wanted, name, length) == 0;
}

/* The names of the arrays for an error message, as many as fit. */
static void list_arrays(zip_t *archive, char names[NAMES_SIZE])
{
	size_t made = 0, length;
	names[0] = 0;
	for (zip_uint64_t i = 0; i < (zip_uint64_t)zip_get_num_entries(archive, 0); i++) {
		const char *name = array_name(archive, i, &length);
		if (!name)
			continue;
		if (made + length + 8 > NAMES_SIZE) {
			strcpy(names + made, ", ...");
			return;
		}
		if (made) {
			memcpy(names + made, ", ", 2);
			made += 2;
		}
		for (size_t k = 0; k < length; k++)
			names[made++] = (unsigned char)name[k] < ' ' ? '?' : name[k];
		names[made] = 0;
	}
}

static clpac_status choose(zip_t *archive, const char *path, const char *wanted, zip_uint64_t *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char names[NAMES_SIZE];
	size_t n_arrays = 0, length;
	bool is_found = false;
	for (zip_uint64_t i = 0; i < (zip_uint64_t)zip_get_num_entries(archive, 0); i++) {
		const char *name = array_name(archive, i, &length);
		if (!name)
			continue;
		n_arrays++;
		if (is_name(wanted ? wanted : "data", name, length) || (!wanted && n_arrays == 1)) {
			is_found = wanted || is_name("data", name, length);
			*out = i;
			if (is_found)
				break;
		}
	}
	list_arrays(archive, names);
	if (n_arrays == 0)
		FAIL(CLPAC_ERROR_FORMAT, "%s holds no array (no member's name ends in .npy)", path);
	if (wanted && !is_found)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s holds no array \"%s\": it has %s", path, wanted, names);
	if (!wanted && !is_found && n_arrays > 1)
		FAIL(CLPAC_ERROR_ARGUMENT, "%s holds %zu arrays and none is called data: name one of %s", path,
		     n_arrays, names);
done:
	return st;
}

clpac_status clpac__read_npz(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	clpac__npz_member member = {0};
	clpac__npz_archive archive = {0};
	zip_uint64_t chosen = 0;
	TRY(clpac__npz_open(source, &archive, err));
	TRY(choose(archive.zip, source->path, options->array, &chosen, err));
	TRY(clpac__npz_member_open(&archive, chosen, &member, err));
	TRY(clpac_recording_create("npz", &made, err));
	TRY(clpac__npy_samples_read(&member.source, made, err));
	TRY(clpac__npz_member_finish(&member, err));
	*out = made;
	made = NULL;
done:
	clpac_recording_destroy(made);
	clpac__npz_member_close(&member);
	clpac__npz_close(&archive);
	return st;
}
