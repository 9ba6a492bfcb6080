/* The internal headers of OpenCL in libclpac-memory, all at once: for its files and for src/coupling/opencl.
 */
#ifndef CLPAC_MEMORY_OPENCL_OPENCL_H
#define CLPAC_MEMORY_OPENCL_OPENCL_H

#include "memory/opencl/codes.h"
#include "memory/opencl/discover.h"
#include "memory/opencl/facts.h"
#include "memory/opencl/log.h"
#include "memory/opencl/opencl_block.h"
#include "memory/opencl/opencl_event.h"
#include "memory/opencl/opencl_free_memory.h"
#include "memory/opencl/opencl_probe.h"
#include "memory/opencl/opencl_queue.h"
#include "memory/opencl/quirks.h"
#include "memory/opencl/serial.h"

#endif
