/* Faults of a pool's users: their number, and the text of the first. */
#ifndef CLPAC_MEMORY_TRACE_FAULTS_H
#define CLPAC_MEMORY_TRACE_FAULTS_H

#include <pthread.h>
#include <stdint.h>
#include "base/error.h"

typedef struct clpac__faults {
	pthread_mutex_t lock;
	uint64_t n;
	clpac_error first;
} clpac__faults;

void clpac__faults_init(clpac__faults *faults);
void clpac__faults_destroy(clpac__faults *faults);
void clpac__faults_add(clpac__faults *faults, const char *text);
/* As clpac_pool_take_faults. */
clpac_status clpac__faults_take(clpac__faults *faults, uint64_t *n, clpac_error *err);

#endif
