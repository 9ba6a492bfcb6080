/* The promises of clpac/memory/store.h on every device: entries keep their content wherever they are moved. */
#ifndef CLPAC_TESTS_STORE_LAWS_H
#define CLPAC_TESTS_STORE_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n targets of targets.h. */
TCase *store_laws(size_t n);

#endif
