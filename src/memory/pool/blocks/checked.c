/* Checked pools. */
#include "memory/pool/blocks/blocks.h"

#include <inttypes.h>
#include "base/memory.h"

/* --- Margins, as bytes ----------------------------------------------------------------------- */

/* Counter-based generator, so that each byte depends on seed and place alone: the finaliser of splitmix64 (Vigna,
 * public domain). */
static uint8_t pattern(uint64_t seed, size_t i)
{
	uint64_t z = (seed + 1) * 0x9e3779b97f4a7c15u + i;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint8_t)(z >> 56);
}

/* Writes the pattern over CLPAC__MARGIN_BYTES of a block.  The pattern depends on the place and on the seed (a buffer's
 * id), so that bytes that were moved, or left over from another buffer, are detected too. */
static clpac_status canary_arm(clpac__queue *queue, clpac__block *block, size_t offset, uint64_t seed, clpac_error *err)
{
	uint8_t margin[CLPAC__MARGIN_BYTES];
	for (size_t i = 0; i < sizeof margin; i++)
		margin[i] = pattern(seed, i);
	return queue->operations->write(queue, block, offset, sizeof margin, margin, err);
}

/* Reads the margin back and compares.  Fails only if reading fails. */
static clpac_status canary_check(clpac__queue *queue, clpac__block *block, size_t offset, uint64_t seed,
				 clpac__damage *out, clpac_error *err)
{
	uint8_t margin[CLPAC__MARGIN_BYTES];
	clpac__damage damage = {0};
	RETURN_IF_ERROR(queue->operations->read(queue, block, offset, sizeof margin, margin, err));
	for (size_t i = 0; i < sizeof margin; i++) {
		if (margin[i] == pattern(seed, i))
			continue;
		if (!damage.n++) {
			damage.first = i;
			damage.found = margin[i];
		}
		damage.last = i;
	}
	*out = damage;
	return CLPAC_OK;
}

/* --- Handles that are not used again --------------------------------------------------------- */

typedef struct slot {
	clpac__handle_page *page;
	clpac_buffer *own; /* the block's own handle; NULL: the handle is stale */
	clpac_buffer handle;
} slot;

enum { PAGE_BYTES = 1 << 16, SLOTS = PAGE_BYTES / sizeof(slot) };

struct clpac__handle_page {
	clpac__handle_page *previous, *next;
	slot *slots;
	size_t n_taken, n_given;
};

static clpac__handle_page *add_page(clpac__handle_pages *pages)
{
	clpac__handle_page *made = clpac__alloc_zero(sizeof *made);
	slot *slots = made ? clpac__alloc_once(PAGE_BYTES) : NULL;
	if (!slots) {
		clpac__free(made);
		return NULL;
	}
	made->slots = slots;
	made->next = pages->first;
	if (made->next)
		made->next->previous = made;
	pages->first = made;
	return made;
}

static void retire(clpac__handle_pages *pages, clpac__handle_page *page)
{
	*(page->previous ? &page->previous->next : &pages->first) = page->next;
	if (page->next)
		page->next->previous = page->previous;
	clpac__retire(page->slots, PAGE_BYTES);
	clpac__free(page);
}

static slot *slot_of(clpac_buffer *lent)
{
	return (slot *)(void *)((char *)lent - offsetof(slot, handle));
}

/* A zeroed handle; NULL: no host memory. */
static clpac_buffer *handle_pages_take(clpac__handle_pages *pages)
{
	clpac__handle_page *page = pages->first;
	if (!page || page->n_taken == SLOTS)
		page = add_page(pages);
	if (!page)
		return NULL;
	slot *taken = &page->slots[page->n_taken++];
	taken->page = page;
	return &taken->handle;
}

/* Gives the memory of a handle back.  It may be read for as long as the process lives, and is 0 at some time. */
static void handle_pages_give(clpac__handle_pages *pages, clpac_buffer *handle)
{
	clpac__handle_page *page = slot_of(handle)->page;
	if (++page->n_given == SLOTS)
		retire(pages, page);
}

/* Gives the memory of all handles back: each is 0 from now on. */
static void handle_pages_destroy(clpac__handle_pages *pages)
{
	while (pages->first)
		retire(pages, pages->first);
}

/* --- Margins and poison ---------------------------------------------------------------------- */

enum { MOST_QUARANTINED = 4096 };

size_t clpac__checked_front(size_t unit)
{
	return clpac__round_up(CLPAC__MARGIN_BYTES, unit);
}

size_t clpac__checked_extra(size_t front)
{
	return front + CLPAC__MARGIN_BYTES;
}

/* The margins of a buffer: block and offset of each.  Returns their number. */
static int margins_of(const clpac_pool *pool, const clpac_buffer *buffer, clpac__block *blocks[2], size_t offsets[2])
{
	blocks[0] = buffer->block;
	offsets[0] = buffer->bytes;
	if (!buffer->segment)
		return 1;
	blocks[1] = buffer->segment->whole;
	offsets[1] = (size_t)buffer->piece_offset * pool->unit + pool->front_bytes - CLPAC__MARGIN_BYTES;
	return 2;
}

clpac_status clpac__checked_lend(clpac_pool *pool, clpac_buffer **buffer, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_buffer *own = *buffer;
	pthread_mutex_lock(&pool->lock);
	clpac_buffer *lent = handle_pages_take(&pool->quarantine.pages);
	if (!lent)
		FAIL(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for the handle of buffer \"%s\"", own->tag);
	clpac__handle_remove(pool, own);
	*lent = *own;
	lent->is_lent = true;
	slot_of(lent)->own = own;
	clpac__handle_add(pool, lent);
	*buffer = lent;
done:
	pthread_mutex_unlock(&pool->lock);
	return st;
}

clpac_status clpac__checked_arm(clpac_pool *pool, clpac_buffer *buffer, bool is_fresh, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	RETURN_IF_ERROR(clpac__buffer_need_block(buffer, err));
	clpac__pool_queue *home = clpac__pool_queue_lock_home(pool, buffer);
	clpac__block *blocks[2];
	size_t offsets[2];
	const int n = margins_of(pool, buffer, blocks, offsets);
	/* The poison first: a write comes before all later work of an out-of-order queue too, a fill does not. */
	if (is_fresh)
		TRY(home->queue->operations->fill(home->queue, buffer->block, 0, buffer->bytes, CLPAC__POISON_FRESH,
						  err));
	for (int i = 0; i < n; i++)
		TRY(canary_arm(home->queue, blocks[i], offsets[i], buffer->id, err));
	buffer->is_armed = true;
done:
	pthread_mutex_unlock(&home->driver);
	return st;
}

static clpac_status describe(const clpac_buffer *buffer, const clpac__damage *damage, bool is_front, clpac_error *err)
{
	if (is_front)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
				   "buffer %" PRIu64
				   " \"%s\" of %zu bytes: %zu bytes before its beginning were overwritten, the "
				   "first %zu before it, with 0x%02x",
				   buffer->id, buffer->tag, buffer->bytes, damage->n,
				   CLPAC__MARGIN_BYTES - damage->first, damage->found);
	return clpac__fail(
		err, CLPAC_ERROR_ARGUMENT,
		"buffer %" PRIu64 " \"%s\" of %zu bytes: %zu bytes behind its end were overwritten, from byte %zu on, "
		"with 0x%02x",
		buffer->id, buffer->tag, buffer->bytes, damage->n, buffer->bytes + damage->first, damage->found);
}

clpac_status clpac__checked_verify(clpac_pool *pool, clpac_buffer *buffer, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__block *blocks[2];
	size_t offsets[2];
	clpac_error fault;
	if (!buffer->is_armed)
		return st;
	buffer->is_armed = false;
	const int n = margins_of(pool, buffer, blocks, offsets);
	clpac__pool_queue *home = clpac__pool_queue_lock_home(pool, buffer);
	for (int i = 0; i < n && st == CLPAC_OK; i++) {
		clpac__damage damage;
		st = canary_check(home->queue, blocks[i], offsets[i], buffer->id, &damage, &fault);
		if (st == CLPAC_OK && damage.n)
			st = describe(buffer, &damage, i == 1, &fault);
	}
	pthread_mutex_unlock(&home->driver);
	if (st == CLPAC_OK)
		return st;
	clpac__faults_add(&pool->watch.faults, fault.text);
	pthread_mutex_lock(&pool->lock);
	pool->ledger.now.canary_failures++;
	pthread_mutex_unlock(&pool->lock);
	if (err)
		*err = fault;
	return st;
}

/* Called with the pool's lock held. */
static void free_oldest(clpac__quarantine *quarantine)
{
	clpac_buffer *oldest = quarantine->first;
	quarantine->first = oldest->next;
	if (!quarantine->first)
		quarantine->last = NULL;
	quarantine->n--;
	if (*oldest->tag)
		clpac__free((char *)oldest->tag);
	oldest->tag = "";
	handle_pages_give(&quarantine->pages, oldest);
}

/* Called with the pool's lock held. */
static void add_stale(clpac__quarantine *quarantine, clpac_buffer *stale)
{
	stale->next = NULL;
	*(quarantine->last ? &quarantine->last->next : &quarantine->first) = stale;
	quarantine->last = stale;
	if (++quarantine->n > MOST_QUARANTINED)
		free_oldest(quarantine);
}

clpac_buffer *clpac__checked_quarantine(clpac_pool *pool, clpac_buffer *buffer)
{
	if (!buffer->is_lent)
		return buffer;
	clpac_buffer *own = slot_of(buffer)->own;
	if (buffer->mapping)
		clpac__buffer_unmap(pool, buffer, NULL);
	clpac__hazards_mark(pool, buffer);
	clpac__hazards_wait(pool, buffer);
	clpac__checked_verify(pool, buffer, NULL);
	clpac__pool_queue *home = clpac__pool_queue_lock_home(pool, buffer);
	if (buffer->block) /* it could be armed */
		home->queue->operations->fill(home->queue, buffer->block, 0, buffer->bytes, CLPAC__POISON_RELEASED,
					      NULL);
	pthread_mutex_unlock(&home->driver);
	buffer->home = home; /* the block's next user comes after the poison */

	/* A copy, since the caller's tag may be freed with the buffer. */
	char *tag = *buffer->tag ? clpac__strdup(buffer->tag) : NULL;
	pthread_mutex_lock(&pool->lock);
	clpac__handle_remove(pool, buffer);
	*own = *buffer;
	own->is_lent = false;
	own->tag = "";
	clpac__handle_add(pool, own);
	buffer->block = NULL;
	buffer->segment = NULL;
	buffer->tag = tag ? tag : "";
	add_stale(&pool->quarantine, buffer);
	pthread_mutex_unlock(&pool->lock);
	return own;
}

void clpac__quarantine_destroy(clpac__quarantine *quarantine)
{
	while (quarantine->first)
		free_oldest(quarantine);
	handle_pages_destroy(&quarantine->pages);
}
