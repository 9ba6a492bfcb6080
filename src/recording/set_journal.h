/* The journal of a set of outputs: a hidden file beside them, .NAME.clpac-set, there while they are put in place.  It
 * lists every temporary file and its name, so that the set of a program that was killed in the middle can be completed.
 * Its lock keeps two writers of one set apart. */
#ifndef CLPAC_RECORDING_SET_JOURNAL_H
#define CLPAC_RECORDING_SET_JOURNAL_H

#include <stdbool.h>

#include "base/error.h"
#include "recording/placement.h"

enum { CLPAC__MOST_IN_SET = 32 };

typedef struct clpac__set_journal clpac__set_journal;

/* Creates and locks the journal of the set whose main file has this name in the folder.  What a dead writer left in it
 * is completed, or taken back, first.  Another writer is waited for, at most 10 s.
 * Errors: CLPAC_ERROR_IO (native_code is errno; EBUSY: another writer), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__set_journal_open(int folder, const char *name, clpac__set_journal **out, clpac_error *err);

/* Writes down what will be done; until clpac__set_journal_decide nothing of it counts. */
clpac_status clpac__set_journal_list(clpac__set_journal *journal, const clpac__placement *placements, size_t n,
				     clpac_error *err);
/* From here on the set will be completed, by whoever comes. */
clpac_status clpac__set_journal_decide(clpac__set_journal *journal, clpac_error *err);

/* Removes the journal; with keep, leaves it for whoever comes.  NULL is fine. */
void clpac__set_journal_close(clpac__set_journal *journal, bool keep);

/* Completes what a dead writer left of this set, if anything.
 * @param waits waits for a living writer to end, at most 10 s; otherwise that is EBUSY.
 * Errors as above. */
clpac_status clpac__set_journal_settle(int folder, const char *name, bool waits, clpac_error *err);

/* Unfinished outputs that killed processes left in a folder. */

/* Completes the sets of dead writers, and removes temporary files of dead writers of a file of this name.  Files whose
 * writer lives keep their lock and stay.  What cannot be done is left for the next time. */
void clpac__leftovers_collect(int folder, const char *name);

/* Completes the set whose first file is this one, if a dead writer left it.
 * @param waits for a living writer that is putting it in place; otherwise that is CLPAC_ERROR_IO with EBUSY.
 * Errors: CLPAC_ERROR_IO, CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__leftovers_settle(const char *path, bool waits, clpac_error *err);

#endif
