/* A snapshot of a pool as it was read: checked, so that whoever draws it or tells of it need not doubt a number. */
#ifndef CLPAC_RECORDING_SNAPSHOT_H
#define CLPAC_RECORDING_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clpac/snapshot.h>
#include <clpac/memory/trace.h>

#define CLPAC__SNAPSHOT_FORMAT "clpac pool snapshot"

enum {
	CLPAC__SNAPSHOT_VERSION = 1,
	CLPAC__SNAPSHOT_TAG = 144, /* 47 bytes of which each may have become three, and a NUL */
	CLPAC__SNAPSHOT_NAME = 512,
	CLPAC__SNAPSHOT_WHY = 2048
};

typedef enum clpac__snapshot_state {
	CLPAC__SNAPSHOT_IN_USE = 0,
	CLPAC__SNAPSHOT_CACHED,
	CLPAC__SNAPSHOT_PENDING,
	CLPAC__SNAPSHOT_BUSY,
	CLPAC__SNAPSHOT_STATES
} clpac__snapshot_state;

/* A block, in a segment or outside. */
typedef struct clpac__snapshot_piece {
	uint64_t offset, bytes, requested_bytes;
	clpac__snapshot_state state;
	bool is_on_host;
	size_t holder;		       /* while in use: index of its tag among the holders */
	char tag[CLPAC__SNAPSHOT_TAG]; /* empty unless in use */
} clpac__snapshot_piece;

typedef struct clpac__snapshot_segment {
	uint64_t number, bytes, free_bytes, largest_free_bytes; /* free: between its pieces */
	uint64_t largest_free_offset;
	unsigned queue;
	bool is_small;
	size_t first_piece, n_pieces; /* by offset; none overlaps another */
} clpac__snapshot_segment;

typedef struct clpac__snapshot_event {
	uint64_t time_ns, id, bytes, class_bytes;
	clpac_trace_operation operation;
	clpac_trace_outcome outcome;
	char tag[CLPAC__SNAPSHOT_TAG];
} clpac__snapshot_event;

/* All buffers in use with one tag, on the device. */
typedef struct clpac__snapshot_holder {
	const char *tag; /* of one of the pieces */
	uint64_t bytes, n_buffers;
} clpac__snapshot_holder;

struct clpac_snapshot {
	char device[CLPAC__SNAPSHOT_NAME];
	struct {
		bool is_there;
		uint64_t bytes, class_bytes;
		char tag[CLPAC__SNAPSHOT_TAG], why[CLPAC__SNAPSHOT_WHY];
	} refused;
	uint64_t budget_bytes; /* UINT64_MAX: no limit known */
	clpac__snapshot_segment *segments;
	clpac__snapshot_piece *pieces, *blocks; /* of segments, and outside of them */
	clpac__snapshot_event *events;		/* the oldest first */
	clpac__snapshot_holder *holders;	/* most bytes first */
	size_t n_segments, n_pieces, n_blocks, n_events, n_holders;
	uint64_t n_events_before;

	/* Sums over the map, of bytes on the device; UINT64_MAX where there are more. */
	uint64_t in_use_bytes, cached_bytes, free_bytes, largest_free_bytes, segment_bytes, block_bytes, host_bytes;
	size_t largest_free_segment; /* index; SIZE_MAX: nothing is free in segments */
};

/* Sums and holders of a snapshot whose lists are there.  CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__snapshot_sum(clpac_snapshot *snapshot, clpac_error *err);

/* "5.0 MiB". */
enum { CLPAC__SNAPSHOT_BYTES = 32 };
const char *clpac__snapshot_bytes(uint64_t bytes, char text[CLPAC__SNAPSHOT_BYTES]);

/* The word for each outcome, "" for none. */
const char *clpac__snapshot_outcome(clpac_trace_outcome outcome);

#endif
