/* libzip reads archives through callbacks, here from a clpac__source. */
#include "recording/read/npy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "recording/read/deflate.h"

typedef clpac__npz_archive archive;

static zip_int64_t fail(archive *npz, clpac_status st)
{
	npz->st = st;
	zip_error_set(&npz->error, ZIP_ER_READ, npz->failure.native_code);
	return -1;
}

static zip_int64_t do_open(archive *npz, void *data, zip_uint64_t bytes)
{
	(void)data, (void)bytes;
	clpac__source_seek(npz->file, 0);
	return 0;
}

static zip_int64_t do_read(archive *npz, void *data, zip_uint64_t bytes)
{
	size_t n_read = 0;
	const clpac_status st = clpac__source_read_upto(npz->file, data, (size_t)bytes, &n_read, &npz->failure);
	return st == CLPAC_OK ? (zip_int64_t)n_read : fail(npz, st);
}

static zip_int64_t do_seek(archive *npz, void *data, zip_uint64_t bytes)
{
	const zip_int64_t offset =
		zip_source_seek_compute_offset(npz->file->position, npz->file->bytes, data, bytes, &npz->error);
	if (offset < 0)
		return -1;
	clpac__source_seek(npz->file, (uint64_t)offset);
	return 0;
}

static zip_int64_t do_tell(archive *npz, void *data, zip_uint64_t bytes)
{
	(void)data, (void)bytes;
	return (zip_int64_t)npz->file->position;
}

static zip_int64_t do_stat(archive *npz, void *data, zip_uint64_t bytes)
{
	zip_stat_t *facts = ZIP_SOURCE_GET_ARGS(zip_stat_t, data, bytes, &npz->error);
	if (!facts)
		return -1;
	zip_stat_init(facts);
	facts->size = npz->file->bytes;
	facts->valid |= ZIP_STAT_SIZE;
	return sizeof *facts;
}

static zip_int64_t do_tell_error(archive *npz, void *data, zip_uint64_t bytes)
{
	return zip_error_to_data(&npz->error, data, bytes);
}

static zip_int64_t do_nothing(archive *npz, void *data, zip_uint64_t bytes)
{
	(void)npz, (void)data, (void)bytes;
	return 0;
}

static zip_int64_t do_list_commands(archive *npz, void *data, zip_uint64_t bytes);

static const struct {
	zip_source_cmd_t command;
	zip_int64_t (*act)(archive *npz, void *data, zip_uint64_t bytes);
} commands[] = {
	{ZIP_SOURCE_OPEN, do_open}, {ZIP_SOURCE_READ, do_read},	       {ZIP_SOURCE_CLOSE, do_nothing},
	{ZIP_SOURCE_STAT, do_stat}, {ZIP_SOURCE_ERROR, do_tell_error}, {ZIP_SOURCE_FREE, do_nothing},
	{ZIP_SOURCE_SEEK, do_seek}, {ZIP_SOURCE_TELL, do_tell},	       {ZIP_SOURCE_SUPPORTS, do_list_commands},
};

static zip_int64_t do_list_commands(archive *npz, void *data, zip_uint64_t bytes)
{
	(void)npz, (void)data, (void)bytes;
	zip_int64_t list = 0;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		list |= ZIP_SOURCE_MAKE_COMMAND_BITMASK(commands[i].command);
	return list;
}

static zip_int64_t answer(void *user, void *data, zip_uint64_t bytes, zip_source_cmd_t command)
{
	archive *npz = user;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (commands[i].command == command)
			return commands[i].act(npz, data, bytes);
	zip_error_set(&npz->error, ZIP_ER_OPNOTSUPP, 0);
	return -1;
}

void clpac__npz_begin(clpac__npz_archive *npz)
{
	npz->st = CLPAC_OK;
	errno = 0;
}

clpac_status clpac__npz_explain(clpac__npz_archive *npz, zip_error_t *error, const char *path, const char *what,
				clpac_error *err)
{
	/* libzip takes an archive for whose end it has no memory for one without an end; zlib's lack of memory is told
	 * by its number alone (Z_MEM_ERROR is -4 in every version). */
	enum { ZLIB_MEMORY = -4 };
	const bool lacked_memory = errno == ENOMEM;
	const int code = zip_error_code_zip(error), number = zip_error_code_system(error);
	if (npz->st != CLPAC_OK)
		return clpac__fail_native(err, npz->st, npz->failure.native_code, "%s", npz->failure.text);
	if (lacked_memory || code == ZIP_ER_MEMORY || (code == ZIP_ER_ZLIB && number == ZLIB_MEMORY))
		return clpac__fail(err, CLPAC_ERROR_NO_MEMORY, "%s %s: the host has no memory left", path, what);
	return clpac__fail(err, CLPAC_ERROR_FORMAT, "%s %s: %s: it is damaged or cut short", path, what,
			   zip_error_strerror(error));
}

clpac_status clpac__npz_open(clpac__source *file, clpac__npz_archive *npz, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	zip_source_t *source = NULL;
	zip_error_t error;
	*npz = (clpac__npz_archive){.file = file};
	zip_error_init(&error);
	zip_error_init(&npz->error);
	clpac__npz_begin(npz);
	if (!(source = zip_source_function_create(answer, npz, &error)) ||
	    !(npz->zip = zip_open_from_source(source, ZIP_RDONLY, &error))) {
		st = clpac__npz_explain(npz, &error, file->path, "cannot be read as .npz", err);
		zip_source_free(source);
		clpac__npz_close(npz);
	}
	zip_error_fini(&error);
	return st;
}

void clpac__npz_close(clpac__npz_archive *npz)
{
	if (npz->zip)
		zip_discard(npz->zip);
	if (npz->file)
		zip_error_fini(&npz->error);
	*npz = (clpac__npz_archive){0};
}

/* --- Members ---------------------------------------------------------------------------------- */

/* numpy.savez stores members, numpy.savez_compressed deflates them.  A claimed size is checked against the bytes in the
 * archive before anything is allocated. */

static clpac_status read_member(clpac__source *source, void *to, size_t n, size_t *n_read, clpac_error *err)
{
	clpac__npz_member *member = source->member;
	clpac__npz_begin(member->archive);
	zip_int64_t some = zip_fread(member->file, to, n);
	if (some < 0) {
		char what[96];
		snprintf(what, sizeof what, "cannot be unpacked at byte %llu of %llu",
			 (unsigned long long)source->position, (unsigned long long)source->bytes);
		RETURN_IF_ERROR(
			clpac__npz_explain(member->archive, zip_file_get_error(member->file), source->path, what, err));
	}
	*n_read = (size_t)some;
	return CLPAC_OK;
}

static clpac_status check_size(const zip_stat_t *facts, const char *path, uint64_t archive_bytes, clpac_error *err)
{
	const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
	if ((facts->valid & needed) != needed)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s: the archive does not tell the array's size: it is damaged", path);
	if (facts->comp_method != ZIP_CM_STORE && facts->comp_method != ZIP_CM_DEFLATE)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s is compressed by zip method %d: numpy.savez and savez_compressed use 0 and 8", path,
			     (int)facts->comp_method);
	uint64_t most = facts->comp_method == ZIP_CM_STORE ? 1 : CLPAC__MOST_DEFLATED;
	if (facts->comp_size > archive_bytes || facts->size / most > facts->comp_size)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s claims %llu bytes, packed into %llu of an archive of %llu: it is damaged or cut short",
			     path, (unsigned long long)facts->size, (unsigned long long)facts->comp_size,
			     (unsigned long long)archive_bytes);
	return CLPAC_OK;
}

clpac_status clpac__npz_member_open(clpac__npz_archive *archive, zip_uint64_t i, clpac__npz_member *out,
				    clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__npz_member made = {.archive = archive};
	zip_stat_t facts;
	const char *archive_path = archive->file->path;
	clpac__npz_begin(archive);
	const char *name = zip_get_name(archive->zip, i, ZIP_FL_ENC_GUESS);
	if (!name)
		TRY(clpac__npz_explain(archive, zip_get_error(archive->zip), archive_path,
				       "has an array without a name", err));
	size_t path_bytes = strlen(archive_path) + strlen(name) + 2;
	if (!(made.path = clpac__alloc(path_bytes)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for %zu bytes", archive_path, path_bytes);
	strcpy(made.path, archive_path);
	strcat(strcat(made.path, ":"), name);
	clpac__npz_begin(archive);
	if (zip_stat_index(archive->zip, i, 0, &facts) != 0)
		TRY(clpac__npz_explain(archive, zip_get_error(archive->zip), made.path, "has no entry", err));
	TRY(check_size(&facts, made.path, archive->file->bytes, err));
	clpac__npz_begin(archive);
	if (!(made.file = zip_fopen_index(archive->zip, i, 0)))
		TRY(clpac__npz_explain(archive, zip_get_error(archive->zip), made.path, "cannot be opened", err));
	made.source = (clpac__source){
		.path = made.path,
		.bytes = facts.size,
		.read_some = read_member,
		.member = out,
	};
	*out = made;
	made = (clpac__npz_member){0};
done:
	clpac__npz_member_close(&made);
	return st;
}

clpac_status clpac__npz_member_finish(clpac__npz_member *member, clpac_error *err)
{
	unsigned char beyond[512];
	size_t n_beyond;
	do
		RETURN_IF_ERROR(clpac__source_read_upto(&member->source, beyond, sizeof beyond, &n_beyond, err));
	while (n_beyond);
	return CLPAC_OK;
}

void clpac__npz_member_close(clpac__npz_member *member)
{
	if (member->file)
		zip_fclose(member->file);
	clpac__free(member->path);
	*member = (clpac__npz_member){0};
}
