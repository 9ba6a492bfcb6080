/* A claim: the recording that this process is computing, told to others on a common folder by a hidden file beside the
 * result, .OUT.claim, so that any number of processes share a study without a scheduler.
 *
 * Its owner holds a lock on it and touches it every 30 s.  It is taken over when its owner is gone: the lock is free on
 * the same running system, or, where another system wrote it, nobody has touched it for 5 minutes.  The file holds the
 * owner's host, process, boot and time, and the request. */
#ifndef CLPAC_TOOL_CLAIM_H
#define CLPAC_TOOL_CLAIM_H

#include <stdbool.h>
#include "base/error.h"

enum { TOOL_OWNER_SIZE = 160 };

/* Claims the recording whose result is this file; a process has one claim at a time.
 * @param request the options that decide the result, in one line.
 * @param[out] owner who has it, "process 12 on node3", where *is_mine is false.
 * Errors: CLPAC_ERROR_IO, CLPAC_ERROR_NO_MEMORY. */
clpac_status tool_claim_take(const char *npz, const char *request, bool *is_mine, char owner[TOOL_OWNER_SIZE],
			     clpac_error *err);

/* Whether a recording is claimed by another process, whose name is put out then. */
bool tool_claim_is_anothers(const char *npz, char owner[TOOL_OWNER_SIZE]);
/* Removes the claim of an owner that was killed when its result was there already; true: there was one. */
bool tool_claim_remove_left(const char *npz);
/* Gives the claim back; nothing happens where there is none. */
void tool_claim_release(void);

/* Removes its file, in the thread that ends the process. */
void tool_claim_abandon(void);

#endif
