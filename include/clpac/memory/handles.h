/** @file memory/handles.h
 *  The opaque objects of device memory, which the headers of their functions share.
 */
#ifndef CLPAC_MEMORY_HANDLES_H
#define CLPAC_MEMORY_HANDLES_H

#ifdef __cplusplus
extern "C" {
#endif

/** An opened device (clpac/memory/context.h).  Opaque. */
typedef struct clpac_context clpac_context;

/** A device's memory, shared between requests (clpac/memory/pool.h).  Opaque. */
typedef struct clpac_pool clpac_pool;

/** A piece of a device's memory that belongs to whoever allocated it until it is released (clpac/memory/buffer.h).
 *  Opaque. */
typedef struct clpac_buffer clpac_buffer;

/** An order of work on a pool's device (clpac/memory/queue.h).  Opaque. */
typedef struct clpac_queue clpac_queue;

/** A moment in a queue's order; it passes when everything put before it is done.  Opaque. */
typedef struct clpac_event clpac_event;

#ifdef __cplusplus
}
#endif
#endif
