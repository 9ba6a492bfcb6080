/* Threads that request, use and release buffers of a pool while another one moves these buffers and looks at them, on
 * every device.  Meant for ThreadSanitizer too. */
#ifndef CLPAC_TESTS_MOVING_LAWS_H
#define CLPAC_TESTS_MOVING_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n targets of targets.h. */
TCase *moving_laws(size_t n);

#endif
