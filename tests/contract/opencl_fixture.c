/* A queue of an OpenCL device, with a cache folder of its own. */
#include "opencl_fixture.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char folder[256];
clpac__opencl_queue *queue;
clpac_options options;
clpac_error err;
unsigned n_logged[3];
char logged[1024];

static atomic_uint n_wrong_lines;

/* Drivers call it from threads of their own: a bad line is recorded, and asserted when the queue is closed. */
static void log_line(void *user, clpac_log_level level, const char *text)
{
	n_wrong_lines += user != folder || strchr(text, '\n') != NULL;
	n_logged[level]++;
	if (level == CLPAC_LOG_WARNING)
		snprintf(logged, sizeof logged, "%s", text);
}

void open_queue(int i)
{
	clpac__queue *opened = NULL;
	OK(targets_get((size_t)i)->backend->open(&targets_get((size_t)i)->device, &options, &opened, &err));
	queue = clpac__opencl_of(opened);
}

void close_queue(void)
{
	if (queue)
		queue->base.operations->close(&queue->base);
	queue = NULL;
	ck_assert_uint_eq(n_wrong_lines, 0);
}

void set_up_folder(void)
{
	const char *base = getenv("CLPAC_TEST_BUILDDIR");
	snprintf(folder, sizeof folder, "%s/clpac-cache-XXXXXX", base ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	options = (clpac_options){.log = log_line, .log_user = folder};
	snprintf(options.cache, sizeof options.cache, "%s/a/b", folder);
	memset(n_logged, 0, sizeof n_logged);
	*logged = 0;
	n_wrong_lines = 0;
}

void share_cache(int i)
{
	snprintf(options.cache, sizeof options.cache, "%s", targets_get((size_t)i)->options.cache);
}

static void remove_tree(const char *path)
{
	DIR *open = opendir(path);
	for (struct dirent *entry; open && (entry = readdir(open));) {
		char inner[1024];
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
		if (unlink(inner) != 0)
			remove_tree(inner);
	}
	if (open)
		closedir(open);
	rmdir(path);
}

void tear_down_folder(void)
{
	close_queue();
	remove_tree(folder);
}
