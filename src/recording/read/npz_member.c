/* numpy.savez stores members, numpy.savez_compressed deflates them.  DEFLATE compresses to no less than 1/1032, so
 * that a claimed size can be checked against the bytes in the archive before anything is allocated. */
#include "recording/read/npz_member.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum { MOST_DEFLATED = 1032 };

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
	uint64_t most = facts->comp_method == ZIP_CM_STORE ? 1 : MOST_DEFLATED;
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
