/* Threads with a stack of known size. */
#include "base/thread.h"

int clpac__thread_create(pthread_t *thread, size_t stack_bytes, void *(*work)(void *), void *argument)
{
	pthread_attr_t attributes;
	size_t usual_bytes = 0;
	int code = pthread_attr_init(&attributes);
	if (code)
		return code;
	pthread_attr_getstacksize(&attributes, &usual_bytes);
	if (usual_bytes < stack_bytes)
		code = pthread_attr_setstacksize(&attributes, stack_bytes);
	if (!code)
		code = pthread_create(thread, &attributes, work, argument);
	pthread_attr_destroy(&attributes);
	return code;
}
