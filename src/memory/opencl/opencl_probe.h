/* Discovery in a child process, or what is known of an earlier one; drivers that are left out. */
#ifndef CLPAC_MEMORY_OPENCL_OPENCL_PROBE_H
#define CLPAC_MEMORY_OPENCL_OPENCL_PROBE_H

#include "memory/device/probe.h"
#include "memory/opencl/discover.h"

/* Discovery in a child process, for at most found->probe_s seconds, unless found->cache has the verdict on the same
 * drivers.  False in *is_good: no driver is to be entered; is_left_out or is_passed_over says why, and a platform with
 * the reason is added for the former.  Otherwise drivers that failed alone are left out from now on. */
clpac_status clpac__opencl_probe(const clpac__opencl_functions *functions, clpac__discovery *found, bool *is_good,
				 clpac_error *err);

/* Calls act(user), which starts the drivers, without those that are left out: OpenCL's loader reads the vendors' files
 * once, at the first call of the process.  False, without a call, when that cannot be arranged. */
bool clpac__opencl_without_bad(void (*act)(void *user), void *user);

/* Whether a vendor's file is of a driver that is left out. */
bool clpac__opencl_leaves_out(const char *vendor);

/* Adds a platform with the reason for each driver that is left out. */
clpac_status clpac__opencl_add_left_out(clpac__discovery *found, clpac_error *err);

/* Path of the program clpac-probe; NULL, unless a test sets it: PROBE_FOLDER/clpac-probe beside the library. */
extern const char *clpac__opencl_probe_program;

/* A function that tries drivers in place of that program: set by a test, which has its own drivers.  NULL: none. */
extern clpac__probe_result (*clpac__opencl_probe_by)(double limit_s, int (*look)(void *user), void *user);

/* What that program does in a child: starts the drivers, those of a folder's files (nullable: all), with `room` bytes
 * of address space (0: no limit of it) beside what the process has.  Returns the answer of a probe. */
int clpac__opencl_look(const char *folder, uint64_t room);

#endif
