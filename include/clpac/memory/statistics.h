/** @file memory/statistics.h
 *  The numbers of a pool.
 *
 *  Threads: any.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_MEMORY_STATISTICS_H
#define CLPAC_MEMORY_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include <clpac/memory/handles.h>
#include <clpac/memory/pressure.h>
#include <clpac/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A pool's numbers at one moment.  Bytes are those of size classes, except requested_bytes.
 *
 * allocated_bytes = in_use_bytes + pooled_bytes + bytes that other threads are getting from the driver or giving back.
 *
 * When several threads allocate, the peaks of in-use, pooled and requested bytes are exact to within a 4096th of the
 * budget (or 64 KiB, if more) per thread.
 */
typedef struct clpac_pool_statistics {
	size_t size; /**< Bytes of this struct that were filled.  In one made by hand 0: the members of clpac 0.1. */
	uint64_t budget_bytes;	  /**< UINT64_MAX: no limit is known. */
	uint64_t allocated_bytes; /**< On the device. */
	uint64_t in_use_bytes;	  /**< Bytes of active buffers on the device. */
	/** On the device and in no active buffer: cached blocks and free parts of segments. */
	uint64_t pooled_bytes;
	uint64_t requested_bytes; /**< Bytes requested for active buffers on the device. */
	uint64_t waste_bytes;	  /**< in_use_bytes - requested_bytes: the price of size classes. */
	uint64_t peak_allocated_bytes, peak_in_use_bytes, peak_pooled_bytes, peak_requested_bytes;
	uint64_t active_buffers, pooled_buffers; /**< pooled_buffers: cached blocks. */
	uint64_t pending_buffers;		 /**< Cached blocks whose events have not been seen to pass. */
	uint64_t hits;				 /**< Requests served from the cache. */
	uint64_t misses; /**< Requests that needed a segment or the driver, including those that failed. */
	double hit_rate; /**< hits / (hits + misses); 0 before the first. */
	uint64_t driver_creates, driver_releases; /**< Driver calls for memory, including failed ones. */
	uint64_t driver_calls;			  /**< Their sum. */
	uint64_t parts_created;			  /**< Blocks cut from segments. */
	uint64_t segments, segment_bytes;	  /**< Segments that exist now, and their bytes. */
	/** Bytes of segments in no block, and the largest such piece. */
	uint64_t free_segment_bytes, largest_free_bytes;
	double fragmentation;		    /**< 1 - largest free / free, within segments; 0 when nothing is free. */
	uint64_t out_of_memory_events;	    /**< Requests that found no room at first. */
	uint64_t retries;		    /**< New searches by a request after room was made for it. */
	uint64_t refusals;		    /**< Requests that failed for lack of memory. */
	uint64_t queue_waits;		    /**< Blocks handed from one queue to another with a wait. */
	uint64_t fallbacks;		    /**< Buffers placed on the host for lack of room. */
	uint64_t promotions;		    /**< Fallback buffers moved to the device later. */
	uint64_t host_buffers, host_bytes;  /**< Active buffers on the host now. */
	uint64_t host_copies;		    /**< Mappings that were copies rather than the memory itself. */
	uint64_t bad_releases;		    /**< Releases of a buffer that was not in use, or a store's; ignored. */
	uint64_t canary_failures;	    /**< Buffers whose margins were found damaged (is_checked). */
	uint64_t ladder[CLPAC_LADDER_ROOM]; /**< Requests that succeeded after each step; 0 from CLPAC_LADDER_COUNT on.
					     */
	clpac_pressure pressure;
	/** Bytes that transfers brought from the host to the device and back: writes, reads, mappings that were copies,
	 * promotions.  A failed transfer counts too.  Transfers of buffers on the host are none. */
	uint64_t bytes_to_device, bytes_from_device;
} clpac_pool_statistics;

/** Reads all numbers at one moment.
 * @param[out] out filled up to size bytes.
 * @param size sizeof(clpac_pool_statistics), as the caller's header has it.
 */
void clpac_pool_measure(clpac_pool *pool, clpac_pool_statistics *out, size_t size);
/** Restarts the peaks from the present values. */
void clpac_pool_reset_peaks(clpac_pool *pool);

/** What a pool is doing, in one call: a few lines of text for people, of memory, requests, and what helped when there
 * was none.
 * @param[out] text the text; the caller frees it with clpac_text_free.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_pool_summary(clpac_pool *pool, char **text, clpac_error *err);

/** The numbers as text for people, several lines.
 * @param[out] text the text; the caller frees it with clpac_text_free.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_pool_statistics_text(const clpac_pool_statistics *statistics, char **text, clpac_error *err);
/** The numbers as one JSON object on one line: the members under their names in their order, pressure as its text,
 * budget_bytes null when there is no limit.
 * @param[out] text the text; the caller frees it with clpac_text_free.
 * Errors: CLPAC_ERROR_NO_MEMORY.
 */
clpac_status clpac_pool_statistics_json(const clpac_pool_statistics *statistics, char **text, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
