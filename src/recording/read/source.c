/* Files as sources of bytes. */
#include "recording/read/samples.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"

/* Bytes of one call, so that a cancelled call ends between two; a disk reads them in some 50 ms. */
enum { MOST_AT_ONCE = 4 << 20 };

/* The descriptor's own position stays where it is: a forked process shares it. */
static clpac_status read_file(clpac__source *source, void *to, size_t n, size_t *n_read, clpac_error *err)
{
	ssize_t some;
	do
		some = pread(source->descriptor, to, n, (off_t)source->position);
	while (some < 0 && errno == EINTR);
	if (some < 0)
		RETURN_SYSTEM_ERROR("reading %s at byte %llu of %llu", source->path,
				    (unsigned long long)source->position, (unsigned long long)source->bytes);
	*n_read = (size_t)some;
	return CLPAC_OK;
}

/* Names the folders that are recordings of other formats, written with a slash at the end or without. */
static clpac_status refuse_folder(const char *path, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *name;
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (!(name = clpac__strndup(path, n)))
		FAIL_NO_MEMORY(n + 1);
	TRY(clpac__foreign_refuse(NULL, 0, name, true, err));
done:
	clpac__free(name);
	return st;
}

clpac_status clpac__source_open(const char *path, clpac__source *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	struct stat facts;
	/* Without O_NONBLOCK, opening a pipe would wait for a writer. */
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (descriptor < 0)
		FAIL_SYSTEM("cannot open %s, check its name, folder and permissions", path);
	if (fstat(descriptor, &facts) != 0)
		FAIL_SYSTEM("cannot examine %s", path);
	if (S_ISDIR(facts.st_mode)) {
		TRY(refuse_folder(path, err));
		st = clpac__fail_system(err, EISDIR, "%s is a folder, name a file in it", path);
		goto done;
	}
	if (!S_ISREG(facts.st_mode)) {
		st = clpac__fail_native(err, CLPAC_ERROR_IO, ESPIPE,
					"%s is not a regular file, copy its content to one", path);
		goto done;
	}
	*out = (clpac__source){
		.path = path,
		.bytes = (uint64_t)facts.st_size,
		.read_some = read_file,
		.descriptor = descriptor,
	};
	descriptor = -1;
done:
	if (descriptor >= 0)
		close(descriptor);
	return st;
}

clpac_status clpac__source_share(const clpac__source *source, const char *path, clpac__source *out, clpac_error *err)
{
	int descriptor = fcntl(source->descriptor, F_DUPFD_CLOEXEC, 0);
	if (descriptor < 0)
		RETURN_SYSTEM_ERROR("cannot keep %s open", path);
	*out = *source;
	out->path = path;
	out->descriptor = descriptor;
	out->n_read = 0;
	return CLPAC_OK;
}

void clpac__source_close(clpac__source *source)
{
	if (source->read_some == read_file)
		close(source->descriptor);
	*source = (clpac__source){0};
}

clpac_status clpac__source_read_upto(clpac__source *source, void *to, size_t n, size_t *n_read, clpac_error *err)
{
	size_t so_far = 0, some = 1;
	while (so_far < n && some > 0) {
		const size_t left = n - so_far;
		RETURN_IF_ERROR(clpac_cancel_check(err));
		RETURN_IF_ERROR(source->read_some(source, (char *)to + so_far,
						  left < MOST_AT_ONCE ? left : MOST_AT_ONCE, &some, err));
		so_far += some;
		source->position += some;
		source->n_read += some;
	}
	*n_read = so_far;
	return CLPAC_OK;
}

clpac_status clpac__source_read(clpac__source *source, void *to, size_t n, clpac_error *err)
{
	uint64_t start = source->position;
	size_t n_read = 0;
	RETURN_IF_ERROR(clpac__source_read_upto(source, to, n, &n_read, err));
	if (n_read < n)
		RETURN_ERROR(CLPAC_ERROR_FORMAT,
			     "%s ends at byte %llu, where %zu bytes from byte %llu on are needed: it is cut short",
			     source->path, (unsigned long long)source->position, n, (unsigned long long)start);
	return CLPAC_OK;
}

void clpac__source_seek(clpac__source *source, uint64_t position)
{
	source->position = position;
}

clpac_status clpac__source_check_text(const clpac__source *source, const char *text, size_t n, clpac_error *err)
{
	const char *zero = n ? memchr(text, 0, n) : NULL;
	if (zero)
		RETURN_ERROR(CLPAC_ERROR_FORMAT, "%s has a zero byte at byte %llu: it is no text, or is damaged",
			     source->path, (unsigned long long)(source->position - n + (uint64_t)(zero - text)));
	return CLPAC_OK;
}

clpac_status clpac__source_read_text(const char *path, char **text, size_t *length, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__source source = {0};
	char *made = NULL, head[4096];
	TRY(clpac__source_open(path, &source, err));
	TRY(clpac__source_read_upto(&source, head, sizeof head, length, err));
	TRY(clpac__source_check_text(&source, head, *length, err));
	clpac__source_seek(&source, 0);
	if (source.bytes >= SIZE_MAX || !(made = clpac__alloc((size_t)source.bytes + 1)))
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for its %llu bytes", path,
		     (unsigned long long)source.bytes);
	*length = 0;
	for (size_t some = 1; some; *length += some) {
		TRY(clpac__source_read_upto(&source, made + *length,
					    clpac__smaller((size_t)source.bytes - *length, MOST_AT_ONCE), &some, err));
		TRY(clpac__source_check_text(&source, made + *length, some, err));
	}
	made[*length] = 0;
	*text = made, made = NULL;
done:
	clpac__free(made);
	clpac__source_close(&source);
	return st;
}
