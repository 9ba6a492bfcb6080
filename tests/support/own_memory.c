/* Memories of an application's own.  Threads of a test call these functions, so a mistake of the pool ends the program
 * with its line: an assertion is for the test's own thread. */
#include "own_memory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define NEEDED(condition) ((condition) ? (void)0 : broken(#condition, __LINE__))

static void broken(const char *condition, int line)
{
	fprintf(stderr, "own_memory.c:%d: not so: %s\n", line, condition);
	abort();
}

static atomic_size_t n_pieces, n_events, n_queues;

size_t own_memory_pieces(void)
{
	return atomic_load(&n_pieces);
}

static void closed(void *user)
{
	(void)user;
	NEEDED(atomic_load(&n_pieces) == 0);
	NEEDED(atomic_load(&n_events) == 0);
	NEEDED(atomic_load(&n_queues) == 0);
}

/* ---- Mapped pages ---------------------------------------------------------------------------- */

static clpac_status map_pages(void *user, size_t bytes, void **memory, clpac_error *err)
{
	(void)user;
	void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (made == MAP_FAILED) {
		snprintf(err->text, sizeof err->text, "mmap of %zu bytes", bytes);
		return CLPAC_ERROR_NO_DEVICE_MEMORY;
	}
	atomic_fetch_add(&n_pieces, 1);
	*memory = made;
	return CLPAC_OK;
}

static void unmap_pages(void *user, void *memory, size_t bytes)
{
	(void)user;
	NEEDED(munmap(memory, bytes) == 0);
	atomic_fetch_sub(&n_pieces, 1);
}

/* ---- Memory behind handles ------------------------------------------------------------------- */

/* An address that is none: the place in the table. */
enum { MOST_PIECES = 4096, STEP = 1 << 20 };
static struct piece {
	unsigned char *data;
	size_t bytes;
} pieces[MOST_PIECES];

static struct piece *piece_of(void *memory)
{
	const uintptr_t place = (uintptr_t)memory / STEP;
	NEEDED(place >= 1);
	NEEDED(place < MOST_PIECES);
	NEEDED((uintptr_t)memory % STEP == 0);
	NEEDED(pieces[place].data);
	return &pieces[place];
}

static unsigned char *range(void *memory, size_t offset, size_t bytes)
{
	const struct piece *piece = piece_of(memory);
	NEEDED(bytes > 0);
	NEEDED(offset <= piece->bytes);
	NEEDED(bytes <= piece->bytes - offset);
	return piece->data + offset;
}

static clpac_status allocate_piece(void *user, size_t bytes, void **memory, clpac_error *err)
{
	(void)user, (void)err;
	for (size_t i = 1; i < MOST_PIECES; i++)
		if (!pieces[i].data) {
			pieces[i] = (struct piece){malloc(bytes), bytes};
			NEEDED(pieces[i].data);
			atomic_fetch_add(&n_pieces, 1);
			*memory = (void *)(i * STEP);
			return CLPAC_OK;
		}
	return CLPAC_ERROR_NO_DEVICE_MEMORY;
}

static void release_piece(void *user, void *memory, size_t bytes)
{
	(void)user;
	struct piece *piece = piece_of(memory);
	NEEDED(piece->bytes == bytes);
	free(piece->data);
	*piece = (struct piece){0};
	atomic_fetch_sub(&n_pieces, 1);
}

static clpac_status write_piece(void *user, void *queue, void *memory, size_t offset, size_t bytes, const void *source,
				clpac_error *err)
{
	(void)user, (void)queue, (void)err;
	memcpy(range(memory, offset, bytes), source, bytes);
	return CLPAC_OK;
}

static clpac_status read_piece(void *user, void *queue, void *memory, size_t offset, size_t bytes, void *target,
			       clpac_error *err)
{
	(void)user, (void)queue, (void)err;
	memcpy(target, range(memory, offset, bytes), bytes);
	return CLPAC_OK;
}

static clpac_status fill_piece(void *user, void *queue, void *memory, size_t offset, size_t bytes, uint8_t value,
			       clpac_error *err)
{
	(void)user, (void)queue, (void)err;
	memset(range(memory, offset, bytes), value, bytes);
	return CLPAC_OK;
}

static clpac_status copy_piece(void *user, void *queue, void *from, size_t from_offset, void *to, size_t to_offset,
			       size_t bytes, clpac_error *err)
{
	(void)user, (void)queue, (void)err;
	memcpy(range(to, to_offset, bytes), range(from, from_offset, bytes), bytes);
	return CLPAC_OK;
}

/* ---- Events and queues ------------------------------------------------------------------------ */

/* Numbered in the order in which they were made; those up to n_finished have passed. */
struct event {
	size_t number;
	atomic_int n_looks;
};
static atomic_size_t n_made, n_finished;

static clpac_status mark(void *user, void *queue, void **event, clpac_error *err)
{
	(void)user, (void)queue, (void)err;
	*event = calloc(1, sizeof(struct event));
	NEEDED(*event);
	((struct event *)*event)->number = atomic_fetch_add(&n_made, 1) + 1;
	atomic_fetch_add(&n_events, 1);
	return CLPAC_OK;
}

static clpac_status wait_for(void *user, void *queue, void *event, clpac_error *err)
{
	(void)user, (void)queue, (void)err;
	NEEDED(event);
	return CLPAC_OK;
}

static bool has_passed(void *user, void *event)
{
	(void)user;
	struct event *of = event;
	return of->number <= atomic_load(&n_finished) || atomic_fetch_add(&of->n_looks, 1) > 0;
}

static clpac_status wait(void *user, void *event, clpac_error *err)
{
	(void)user, (void)err;
	atomic_store(&((struct event *)event)->n_looks, 1);
	return CLPAC_OK;
}

static void forget(void *user, void *event)
{
	(void)user;
	free(event);
	atomic_fetch_sub(&n_events, 1);
}

static clpac_status finish(void *user, void *queue, clpac_error *err)
{
	(void)user, (void)queue, (void)err;
	atomic_store(&n_finished, atomic_load(&n_made));
	return CLPAC_OK;
}

static clpac_status open_queue(void *user, void **queue, clpac_error *err)
{
	(void)user, (void)err;
	*queue = NULL;
	atomic_fetch_add(&n_queues, 1);
	return CLPAC_OK;
}

static void close_queue(void *user, void *queue)
{
	(void)user, (void)queue;
	atomic_fetch_sub(&n_queues, 1);
}

static uint64_t free_bytes(void *user)
{
	(void)user;
	return UINT64_C(2) << 30;
}

static const clpac_own_memory memories[] = {
	[OWN_MAPPED] = {.size = sizeof(clpac_own_memory),
			.name = "mapped pages",
			.memory_bytes = UINT64_C(4) << 30,
			.is_host = true,
			.allocate = map_pages,
			.release = unmap_pages,
			.closed = closed},
	[OWN_APART] = {.size = sizeof(clpac_own_memory),
		       .name = "memory behind handles",
		       .memory_bytes = UINT64_C(4) << 30,
		       .alignment = 256,
		       .allocate = allocate_piece,
		       .release = release_piece,
		       .write = write_piece,
		       .read = read_piece,
		       .fill = fill_piece,
		       .copy = copy_piece,
		       .finish = finish,
		       .mark = mark,
		       .wait_for = wait_for,
		       .has_passed = has_passed,
		       .wait = wait,
		       .forget = forget,
		       .open_queue = open_queue,
		       .close_queue = close_queue,
		       .free_bytes = free_bytes,
		       .closed = closed},
	[OWN_WHOLE] = {.size = sizeof(clpac_own_memory),
		       .name = "whole pieces behind handles",
		       .memory_bytes = UINT64_C(4) << 30,
		       .has_no_offsets = true,
		       .allocate = allocate_piece,
		       .release = release_piece,
		       .write = write_piece,
		       .read = read_piece,
		       .fill = fill_piece,
		       .copy = copy_piece,
		       .closed = closed},
};

const clpac_own_memory *own_memory(enum own_memory_kind kind)
{
	return &memories[kind];
}
