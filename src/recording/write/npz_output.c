/* libzip writes archives through callbacks, here into a clpac__output.  Its own temporary file would be neither known
 * to the signal handler nor synced. */
#include "recording/write/npz_output.h"

#include <clpac/result.h>
#include "recording/write/mat_output.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>

enum { DOS_DATE_1980 = 1 << 5 | 1, MOST_NAME_BYTES = 60 };
/* All arrays of a result, and what write_npz.c puts beside them. */
enum { MOST_MEMBERS = CLPAC_MEASURE_COUNT * CLPAC_ARRAY_COUNT + 16 };

struct clpac__npz_output {
	zip_t *archive; /* NULL: the arrays go into a .mat file */
	clpac__output *output;
	const char *path;
	uint64_t length; /* bytes written, independent of the position */
	clpac_status st; /* the status of the output; libzip only reports that its source failed */
	clpac_error failure;
	size_t n_members;
	unsigned char headers[MOST_MEMBERS]
			     [CLPAC__NPY_HEAD_ROOM]; /* libzip reads them at commit, as it reads the arrays */
	zip_error_t error;			     /* the error that libzip asks a failed source for */
};

static zip_int64_t fail(clpac__npz_output *zip, clpac_status st)
{
	zip->st = st;
	zip_error_set(&zip->error, ZIP_ER_WRITE, zip->failure.native_code);
	return -1;
}

static zip_int64_t do_write(clpac__npz_output *zip, void *data, zip_uint64_t bytes)
{
	clpac_status st = clpac__output_write(zip->output, data, (size_t)bytes, &zip->failure);
	uint64_t end = clpac__output_tell(zip->output);
	zip->length = end > zip->length ? end : zip->length;
	return st == CLPAC_OK ? (zip_int64_t)bytes : fail(zip, st);
}

static zip_int64_t do_seek(clpac__npz_output *zip, void *data, zip_uint64_t bytes)
{
	zip_int64_t offset =
		zip_source_seek_compute_offset(clpac__output_tell(zip->output), zip->length, data, bytes, &zip->error);
	if (offset < 0)
		return -1;
	clpac_status st = clpac__output_seek(zip->output, (uint64_t)offset, &zip->failure);
	return st == CLPAC_OK ? 0 : fail(zip, st);
}

static zip_int64_t do_tell(clpac__npz_output *zip, void *data, zip_uint64_t bytes)
{
	(void)data;
	(void)bytes;
	return (zip_int64_t)clpac__output_tell(zip->output);
}

/* Begin and end of a write are no-ops: the output is open already, and is committed later. */
static zip_int64_t do_nothing(clpac__npz_output *zip, void *data, zip_uint64_t bytes)
{
	(void)zip;
	(void)data;
	(void)bytes;
	return 0;
}

/* Reports that the archive does not exist, so that libzip does not read it. */
static zip_int64_t do_stat(clpac__npz_output *zip, void *data, zip_uint64_t bytes)
{
	(void)data;
	(void)bytes;
	zip_error_set(&zip->error, ZIP_ER_READ, ENOENT);
	return -1;
}

static zip_int64_t do_tell_error(clpac__npz_output *zip, void *data, zip_uint64_t bytes)
{
	return zip_error_to_data(&zip->error, data, bytes);
}

static zip_int64_t refuse(clpac__npz_output *zip, void *data, zip_uint64_t bytes)
{
	(void)data;
	(void)bytes;
	zip_error_set(&zip->error, ZIP_ER_OPNOTSUPP, 0);
	return -1;
}

static zip_int64_t do_list_commands(clpac__npz_output *zip, void *data, zip_uint64_t bytes);

static const struct {
	zip_source_cmd_t command;
	zip_int64_t (*act)(clpac__npz_output *zip, void *data, zip_uint64_t bytes);
} commands[] = {
	/* libzip demands readable and seekable sources, except of an archive that does not exist. */
	{ZIP_SOURCE_OPEN, refuse},
	{ZIP_SOURCE_READ, refuse},
	{ZIP_SOURCE_CLOSE, do_nothing},
	{ZIP_SOURCE_SEEK, refuse},
	{ZIP_SOURCE_TELL, refuse},
	{ZIP_SOURCE_STAT, do_stat},
	{ZIP_SOURCE_ERROR, do_tell_error},
	{ZIP_SOURCE_FREE, do_nothing},
	{ZIP_SOURCE_SUPPORTS, do_list_commands},
	{ZIP_SOURCE_BEGIN_WRITE, do_nothing},
	{ZIP_SOURCE_COMMIT_WRITE, do_nothing},
	{ZIP_SOURCE_ROLLBACK_WRITE, do_nothing},
	{ZIP_SOURCE_WRITE, do_write},
	{ZIP_SOURCE_SEEK_WRITE, do_seek},
	{ZIP_SOURCE_TELL_WRITE, do_tell},
	{ZIP_SOURCE_REMOVE, do_nothing},
};

static zip_int64_t do_list_commands(clpac__npz_output *zip, void *data, zip_uint64_t bytes)
{
	(void)zip;
	(void)data;
	(void)bytes;
	zip_int64_t list = 0;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		list |= ZIP_SOURCE_MAKE_COMMAND_BITMASK(commands[i].command);
	return list;
}

static zip_int64_t answer(void *user, void *data, zip_uint64_t bytes, zip_source_cmd_t command)
{
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (commands[i].command == command)
			return commands[i].act(user, data, bytes);
	return refuse(user, data, bytes);
}

/* The output's own error where the output failed; libzip's otherwise. */
static clpac_status explain(clpac__npz_output *zip, zip_error_t *error, clpac_error *err)
{
	if (zip->st != CLPAC_OK) {
		if (err)
			*err = zip->failure;
		return zip->st;
	}
	/* libzip forgets some failures of memory, and no others. */
	const int code = zip_error_code_zip(error);
	if (code == ZIP_ER_MEMORY || code == ZIP_ER_OK)
		return clpac__fail(err, CLPAC_ERROR_NO_MEMORY, "writing %s: the host has no memory left", zip->path);
	return clpac__fail_native(err, CLPAC_ERROR_IO, zip_error_code_system(error), "writing %s: %s", zip->path,
				  zip_error_strerror(error));
}

clpac_status clpac__npz_output_open(const char *path, const clpac__output_way *way, clpac__array_format format,
				    clpac__npz_output **out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	zip_source_t *source = NULL;
	zip_error_t error;
	zip_error_init(&error);
	clpac__npz_output *made = clpac__alloc_zero(sizeof *made);
	if (!made)
		FAIL(CLPAC_ERROR_NO_MEMORY, "writing %s: the host has no memory left for %zu bytes", path,
		     sizeof *made);
	made->path = path;
	zip_error_init(&made->error);
	TRY(clpac__output_open_way(path, way, &made->output, err));
	if (format == CLPAC__ARRAYS_MAT) {
		TRY(clpac__mat_output_begin(made->output, err));
		*out = made, made = NULL;
		goto done;
	}
	if (!(source = zip_source_function_create(answer, made, &error)) ||
	    !(made->archive = zip_open_from_source(source, ZIP_CREATE, &error))) {
		st = explain(made, &error, err);
		goto done;
	}
	source = NULL; /* owned by the archive now */
	*out = made, made = NULL;
done:
	zip_source_free(source);
	zip_error_fini(&error);
	clpac__npz_output_discard(made);
	return st;
}

/* Takes the source, which is NULL where memory ran out. */
static clpac_status add_member(clpac__npz_output *zip, const char *file_name, zip_source_t *source, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	zip_int64_t index = source ? zip_file_add(zip->archive, file_name, source, ZIP_FL_ENC_UTF_8) : -1;
	if (index >= 0)
		source = NULL; /* the archive's now */
	if (index < 0 || zip_set_file_compression(zip->archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0 ||
	    zip_file_set_dostime(zip->archive, (zip_uint64_t)index, 0, DOS_DATE_1980, 0) != 0)
		st = explain(zip, zip_get_error(zip->archive), err);
	zip_source_free(source);
	return st;
}

clpac_status clpac__npz_output_add(clpac__npz_output *zip, const clpac__npz_array *array, clpac_error *err)
{
	char file_name[MOST_NAME_BYTES + 5];
	if (!zip->archive)
		return clpac__mat_output_add(zip->output, zip->path, array, err);
	if (zip->n_members == MOST_MEMBERS)
		RETURN_ERROR(CLPAC_ERROR_INTERNAL,
			     "writing %s: array %s is one more than the %d an archive is made for", zip->path,
			     array->name, MOST_MEMBERS);
	unsigned char *header = zip->headers[zip->n_members++];
	size_t data_bytes = array->item_bytes;
	for (size_t i = 0; i < array->n_dimensions; i++)
		data_bytes *= array->dimensions[i];
	zip_buffer_fragment_t fragments[2] = {
		{.data = header,
		 .length = clpac__npy_head_build(header, array->type, array->dimensions, array->n_dimensions)},
		{.data = (zip_uint8_t *)array->data, .length = data_bytes},
	};
	snprintf(file_name, sizeof file_name, "%.*s.npy", MOST_NAME_BYTES, array->name);
	return add_member(zip, file_name, zip_source_buffer_fragment(zip->archive, fragments, 2, 0), err);
}

clpac_status clpac__npz_output_add_text(clpac__npz_output *zip, const char *name, const char *text, clpac_error *err)
{
	if (!zip->archive)
		return clpac__mat_output_add_text(zip->output, zip->path, name, text, err);
	return add_member(zip, name, zip_source_buffer(zip->archive, text, strlen(text), 0), err);
}

clpac_status clpac__npz_output_commit(clpac__npz_output *zip, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	if (zip->archive && zip_close(zip->archive) != 0) {
		st = explain(zip, zip_get_error(zip->archive), err);
		return st;
	}
	zip->archive = NULL;
	RETURN_IF_ERROR(clpac__output_commit(zip->output, err));
	return st;
}

void clpac__npz_output_discard(clpac__npz_output *zip)
{
	if (!zip)
		return;
	if (zip->archive)
		zip_discard(zip->archive);
	clpac__output_discard(zip->output);
	zip_error_fini(&zip->error);
	clpac__free(zip);
}
