/* Transfers that are not waited for, and copies between devices, on every device. */
#ifndef CLPAC_TESTS_TRANSFER_LAWS_H
#define CLPAC_TESTS_TRANSFER_LAWS_H

#include "test_thread.h"
#include <stddef.h>

/* The laws, each for every one of n targets of targets.h. */
TCase *transfer_laws(size_t n);

#endif
