/* Scopes: references that are given back together, the last first. */
#include "memory/store/store_parts.h"

#include "base/memory.h"

struct clpac_store_scope {
	clpac_store *store;
	clpac_store_scope *outer, *inner;
	clpac_entry **entries;
	size_t n, capacity;
};

clpac_status clpac_store_scope_open(clpac_store *store, clpac_store_scope *outer, clpac_store_scope **out,
				    clpac_error *err)
{
	NEED(store, out);
	NEED_HERE(store);
	clpac_store_scope *made = NULL;
	if (outer && outer->store != store)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the outer scope is of another store");
	if (outer && outer->inner)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "the outer scope has an open scope in it already: close that first");
	RETURN_IF_ERROR(NEW(made));
	made->store = store;
	clpac__store_hold(store);
	made->outer = outer;
	if (outer)
		outer->inner = made;
	*out = made;
	return CLPAC_OK;
}

static bool has_room(clpac_store_scope *scope)
{
	return clpac__room_for_one(&scope->entries, scope->n, &scope->capacity, 8, sizeof *scope->entries);
}

clpac_status clpac_store_scope_take(clpac_store_scope *scope, clpac_entry *entry, clpac_error *err)
{
	NEED(scope, entry);
	NEED_OF_HERE(scope->store->process, "scope");
	if (entry->body->store != scope->store)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT, "entry \"%s\" is of another store than the scope", entry->key);
	if (!has_room(scope))
		RETURN_ERROR(CLPAC_ERROR_NO_MEMORY, "the host has no memory left for a list of %zu entries",
			     scope->n + 1);
	scope->entries[scope->n++] = entry;
	return CLPAC_OK;
}

clpac_status clpac_store_scope_acquire(clpac_store_scope *scope, const char *key, clpac_entry **out, clpac_error *err)
{
	NEED(scope, key, out);
	NEED_OF_HERE(scope->store->process, "scope");
	clpac_status st = CLPAC_OK;
	clpac_entry *entry = NULL;
	TRY(clpac_store_acquire(scope->store, key, &entry, err));
	TRY(clpac_store_scope_take(scope, entry, err));
	*out = entry, entry = NULL;
done:
	clpac_entry_release(entry);
	return st;
}

void clpac_store_scope_close(clpac_store_scope *scope)
{
	if (!scope || !clpac__store_is_here(scope->store))
		return;
	if (scope->outer)
		scope->outer->inner = NULL;
	/* From the innermost scope outwards, without recursion. */
	clpac_store_scope *innermost = scope;
	while (innermost->inner)
		innermost = innermost->inner;
	for (bool is_last = false; !is_last;) {
		clpac_store_scope *closing = innermost;
		is_last = closing == scope;
		innermost = closing->outer;
		while (closing->n)
			clpac_entry_release(closing->entries[--closing->n]);
		clpac_store *store = closing->store;
		FREE_ALL(closing->entries, closing);
		clpac__store_let_go(store);
	}
}
