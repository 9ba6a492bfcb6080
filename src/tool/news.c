#include "tool/news.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "analysis/checkpoints/request.h"
#include "base/folder.h"
#include "base/hash.h"
#include "base/memory.h"

enum { DIGITS = 32, LINE = DIGITS + 1, MOST_AT_ONCE = 1024 * LINE };

/* --- Lines --------------------------------------------------------------------------------------- */

static int by_hash(const void *a, const void *b)
{
	const tool_news_line *x = *(tool_news_line *const *)a, *y = *(tool_news_line *const *)b;
	const int first = (x->hash[0] > y->hash[0]) - (x->hash[0] < y->hash[0]);
	return first ? first : (x->hash[1] > y->hash[1]) - (x->hash[1] < y->hash[1]);
}

/* Adds a text, with the zero at its end. */
static void add(uint64_t hash[2], const char *text)
{
	text = text ? text : "";
	for (int i = 0; i < 2; i++)
		hash[i] = clpac__hash(hash[i], text, strlen(text) + 1);
}

/* The hash of what all lines share: request, wanted files, and the folder that paths begin in. */
static clpac_status hash_request(const tool_call *call, uint64_t hash[2], clpac_error *err)
{
	const clpac__analysis_settings *v = &call->values.analysis;
	char *request = NULL, here[4096];
	if (!getcwd(here, sizeof here))
		*here = 0;
	const clpac_status st = clpac__request_text(v, &request, err);
	const char *const texts[] = {call->request,
				     request,
				     v->shard,
				     call->values.csv ? "csv" : "",
				     call->values.mat ? "mat" : "",
				     call->values.report ? "report" : "",
				     call->values.plot,
				     here};
	hash[0] = CLPAC__HASH_START;
	hash[1] = ~CLPAC__HASH_START;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		add(hash, texts[i]);
	clpac__free(request);
	return st;
}

clpac_status tool_news_open(const tool_call *call, const clpac__inputs *inputs, tool_news *out, clpac_error *err)
{
	uint64_t shared[2];
	struct stat facts;
	RETURN_IF_ERROR(hash_request(call, shared, err));
	out->n = TOOL_N_EVENTS * inputs->n;
	RETURN_IF_ERROR(NEW_ARRAY(out->each, out->n));
	RETURN_IF_ERROR(NEW_ARRAY(out->sorted, out->n));
	RETURN_IF_ERROR(NEW_ARRAY(out->is_known, out->n));
	for (size_t i = 0; i < out->n; i++) {
		const clpac__input_file *file = &inputs->each[i / TOOL_N_EVENTS];
		out->each[i] = (tool_news_line){{shared[0], shared[1]}, i / TOOL_N_EVENTS, i % TOOL_N_EVENTS};
		add(out->each[i].hash, file->path);
		add(out->each[i].hash, file->output);
		add(out->each[i].hash, out->each[i].event == TOOL_DONE ? "done" : "begun");
		out->is_known[i] = false;
		out->sorted[i] = &out->each[i];
	}
	qsort(out->sorted, out->n, sizeof *out->sorted, by_hash);
	RETURN_IF_ERROR(clpac__path_join(inputs->folder, ".clpac.news", &out->path, err));
	if (stat(out->path, &facts) == 0) {
		out->device = facts.st_dev;
		out->number = facts.st_ino;
		out->read = facts.st_size;
	}
	return CLPAC_OK;
}

void tool_news_close(tool_news *news)
{
	FREE_ALL(news->path, news->each, news->sorted, news->is_known);
	*news = (tool_news){0};
}

/* --- Reading ------------------------------------------------------------------------------------- */

/* Takes one line; true: it is of these recordings. */
static bool take_line(tool_news *news, const char *text, size_t length)
{
	tool_news_line read = {0};
	const tool_news_line *key = &read;
	char half[DIGITS / 2 + 1] = "", *end = half;
	if (length != DIGITS)
		return false;
	for (int i = 0; i < 2; i++) {
		memcpy(half, text + i * DIGITS / 2, DIGITS / 2);
		read.hash[i] = strtoull(half, &end, 16);
		if (end != half + DIGITS / 2)
			return false;
	}
	tool_news_line *const *found = bsearch(&key, news->sorted, news->n, sizeof *news->sorted, by_hash);
	if (found)
		news->is_known[*found - news->each] = true;
	return found != NULL;
}

/* Takes the lines that have an end. @return their bytes. */
static size_t take_lines(tool_news *news, const char *text, size_t n, size_t *n_found)
{
	size_t taken = 0;
	for (const char *end; (end = memchr(text + taken, '\n', n - taken));) {
		const size_t length = (size_t)(end - text) - taken;
		*n_found += take_line(news, text + taken, length);
		taken += length + 1;
	}
	return taken;
}

/* Opens the file; -1: there is none. */
static int open_news(const tool_news *news, int flags, struct stat *facts)
{
	const int file = news->path ? open(news->path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666) : -1;
	if (file < 0 || (fstat(file, facts) == 0 && S_ISREG(facts->st_mode)))
		return file;
	close(file);
	return -1;
}

bool tool_news_read(tool_news *news)
{
	struct stat facts;
	char text[MOST_AT_ONCE];
	size_t n_found = 0;
	const int file = open_news(news, O_RDONLY, &facts);
	if (file < 0)
		return false;
	/* One that was removed and made again since holds nothing from before. */
	if (facts.st_dev != news->device || facts.st_ino != news->number || facts.st_size < news->read)
		news->read = 0;
	news->device = facts.st_dev;
	news->number = facts.st_ino;
	for (ssize_t n; (n = pread(file, text, sizeof text, news->read)) > 0;) {
		const size_t taken = take_lines(news, text, (size_t)n, &n_found);
		/* A text without an end is being written; where it fills all, it is none of ours. */
		if (!taken && n < (ssize_t)sizeof text)
			break;
		news->read += taken ? (off_t)taken : n;
	}
	close(file);
	const bool is_any = n_found > news->n_told;
	news->n_told = 0;
	return is_any;
}

bool tool_news_knows(const tool_news *news, size_t recording, tool_event event)
{
	return news->is_known && news->is_known[TOOL_N_EVENTS * recording + event];
}

void tool_news_note(tool_news *news, size_t recording, tool_event event)
{
	if (news->is_known)
		news->is_known[TOOL_N_EVENTS * recording + event] = true;
}

/* --- Telling ------------------------------------------------------------------------------------- */

void tool_news_tell(tool_news *news, size_t recording, tool_event event)
{
	struct stat facts;
	char text[LINE + 1];
	if (!news->path)
		return;
	const size_t i = TOOL_N_EVENTS * recording + event;
	tool_news_note(news, recording, event);
	const int file = open_news(news, O_WRONLY | O_APPEND | O_CREAT, &facts);
	if (file < 0)
		return;
	snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64 "\n", news->each[i].hash[0], news->each[i].hash[1]);
	/* Where it fails, others were not told, and ask. */
	news->n_told += write(file, text, LINE) == LINE;
	close(file);
}

void tool_news_remove(tool_news *news)
{
	if (news->path)
		unlink(news->path);
}
