/* Names of the hidden files that a write needs for a while: .NAME.PROCESS-NUMBER.tmp, the file being written;
 * .NAME.PROCESS-NUMBER.old, a second name of the file that it replaces; .NAME.clpac-set, the list of a set. */
#ifndef CLPAC_RECORDING_TEMPORARY_NAME_H
#define CLPAC_RECORDING_TEMPORARY_NAME_H

#include <limits.h>
#include <stdbool.h>

#ifndef NAME_MAX
#define NAME_MAX 255
#endif

#define CLPAC__TEMPORARY ".tmp"
#define CLPAC__OLDER ".old"

/* A name that no other write of this process has had. */
void clpac__temporary_name(const char *name, const char *ending, char out[NAME_MAX + 1]);
/* Whether a name is one that clpac__temporary_name may have made, in any process, for this name. */
bool clpac__is_temporary_name(const char *temporary, const char *name, const char *ending);

void clpac__journal_name(const char *name, char out[NAME_MAX + 1]);
bool clpac__is_journal_name(const char *name);

#endif
