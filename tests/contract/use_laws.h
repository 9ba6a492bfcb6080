/* Uses of buffers by an application's own commands, on every device: held in place while open, moved between. */
#ifndef CLPAC_TESTS_USE_LAWS_H
#define CLPAC_TESTS_USE_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n targets of targets.h. */
TCase *use_laws(size_t n);
/* Those of several threads. */
TCase *use_thread_laws(size_t n);

#endif
