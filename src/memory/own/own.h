/* Queues of the interface over an application's own memory (clpac/memory/own.h). */
#ifndef CLPAC_MEMORY_OWN_OWN_H
#define CLPAC_MEMORY_OWN_OWN_H

#include <clpac/memory/own.h>
#include "memory/backend/backend.h"

/* Opens the queue that the application gives; closed by its operation, as any. */
clpac_status clpac__own_queue_open(const clpac_own_memory *memory, clpac__queue **out, clpac_error *err);
/* Closes it without a word to the application. */
void clpac__own_queue_forget(clpac__queue *queue);

#endif
