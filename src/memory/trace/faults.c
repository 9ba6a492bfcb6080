#include "memory/trace/trace_hooks.h"

void clpac__faults_init(clpac__faults *faults)
{
	pthread_mutex_init(&faults->lock, NULL); /* cannot fail with default attributes */
	faults->n = 0;
}

void clpac__faults_destroy(clpac__faults *faults)
{
	pthread_mutex_destroy(&faults->lock);
}

void clpac__faults_add(clpac__faults *faults, const char *text)
{
	pthread_mutex_lock(&faults->lock);
	if (!faults->n++)
		clpac__fail(&faults->first, CLPAC_ERROR_ARGUMENT, "%s", text);
	pthread_mutex_unlock(&faults->lock);
}

clpac_status clpac__faults_take(clpac__faults *faults, uint64_t *n, clpac_error *err)
{
	pthread_mutex_lock(&faults->lock);
	uint64_t n_taken = faults->n;
	if (n_taken && err)
		*err = faults->first;
	faults->n = 0;
	pthread_mutex_unlock(&faults->lock);
	if (n)
		*n = n_taken;
	return n_taken ? CLPAC_ERROR_ARGUMENT : CLPAC_OK;
}
