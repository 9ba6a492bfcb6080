/* The table of backends: the only place that names them. */
#ifndef CLPAC_MEMORY_REGISTRY_BACKENDS_H
#define CLPAC_MEMORY_REGISTRY_BACKENDS_H

#include "memory/backend/backend.h"

/* The backends of this build, ended by NULL: native always, opencl if configured. */
extern const clpac__backend *const clpac__backends[];

#endif
