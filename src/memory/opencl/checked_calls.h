/* Answers of drivers that cannot be true, made into failures. */
#ifndef CLPAC_MEMORY_OPENCL_CHECKED_CALLS_H
#define CLPAC_MEMORY_OPENCL_CHECKED_CALLS_H

#include "memory/opencl/calls.h"

/* Puts checked functions into a table of the loader's, of which one is in use at a time.
 *
 * What is called through it then makes an object, a code of success, or neither; says how large a value is that it
 * gave, and no more than there is room for; and gives the event that was asked for. */
void clpac__opencl_check_calls(clpac__opencl_call_table *table);

#endif
