/* What processes that share a folder tell each other: which recordings were begun and which are done, so that nobody
 * asks the file system about each recording of another.  It is a hidden file in the folder of results, .clpac.news, of
 * one line for each event, to which all append.
 *
 * A line is a hash of the event, the recording, its result and the request, and so says nothing to processes that were
 * asked for something else; one that two writers garble, as NFS lets them, says nothing to anyone.  Only what is told
 * after a process has begun counts for it: that a recording is done was then found by another process, for the same
 * request, meanwhile.  A recording that was begun is asked about later, since its owner may be gone.  Lines that are
 * lost, or a file that cannot be written, cost time alone: who knows nothing asks. */
#ifndef CLPAC_TOOL_NEWS_H
#define CLPAC_TOOL_NEWS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "analysis/inputs.h"
#include "tool/tool.h"

typedef enum tool_event { TOOL_BEGUN = 0, TOOL_DONE, TOOL_N_EVENTS } tool_event;

/* The hash of an event, as 128 bits. */
typedef struct tool_news_line {
	uint64_t hash[2];
	size_t of; /* the recording */
	tool_event event;
} tool_news_line;

typedef struct tool_news {
	char *path;		 /* owned; NULL: nobody is told and nothing is known */
	tool_news_line *each;	 /* owned: of all recordings and events */
	tool_news_line **sorted; /* owned: by hash */
	bool *is_known;		 /* owned: of each of them */
	size_t n;
	dev_t device;
	ino_t number;  /* of the file as it was last read */
	off_t read;    /* bytes of it that were, or that were there before this process had begun */
	size_t n_told; /* own lines behind them */
} tool_news;

/* Begins to listen.  @param[out] out zeroed; to be closed in any case.  It keeps no pointer.
 * Errors: CLPAC_ERROR_NO_MEMORY, and those of reading a table of pairs. */
clpac_status tool_news_open(const tool_call *call, const clpac__inputs *inputs, tool_news *out, clpac_error *err);
void tool_news_close(tool_news *news);

/* Reads what was told since.  @return whether another process has told something of these recordings. */
bool tool_news_read(tool_news *news);
bool tool_news_knows(const tool_news *news, size_t recording, tool_event event);
void tool_news_tell(tool_news *news, size_t recording, tool_event event);
/* Takes it that this was told. */
void tool_news_note(tool_news *news, size_t recording, tool_event event);
/* Removes the file: all is done. */
void tool_news_remove(tool_news *news);

#endif
