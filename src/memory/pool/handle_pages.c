#include "memory/pool/handle_pages.h"

#include "base/memory.h"
#include "memory/pool/handle.h"

typedef struct slot {
	clpac__handle_page *page;
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

clpac_buffer *clpac__handle_pages_take(clpac__handle_pages *pages)
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

void clpac__handle_pages_give(clpac__handle_pages *pages, clpac_buffer *handle)
{
	clpac__handle_page *page = ((slot *)(void *)((char *)handle - offsetof(slot, handle)))->page;
	if (++page->n_given == SLOTS)
		retire(pages, page);
}

void clpac__handle_pages_destroy(clpac__handle_pages *pages)
{
	while (pages->first)
		retire(pages, pages->first);
}
