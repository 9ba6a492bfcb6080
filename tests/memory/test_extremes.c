/* Numbers at the ends of their types: each works or is refused by name (extremes.def). */
#include "runner.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <clpac/memory/async.h>
#include <clpac/memory/offsets.h>
#include <clpac/memory/store.h>
#include <clpac/memory/trace.h>
#include <clpac/memory/buffer.h>
#include "assertions.h"
#include "memory/pool/pool.h"
#include "pool_truth.h"

enum { BYTES = 1000, MEMORY_BYTES = 8 << 20 };

/* A value, by the kind of its member. */
typedef struct value {
	uint64_t whole;
	double real;
	int choice;
	const char *text;
} value;

typedef enum kind { WHOLE, COUNT32, REAL, CHOICE, FLAG, TEXT, NAME, LIMIT, FUNCTION, KINDS } kind;

static const uint64_t wholes[] = {
	0, 1, 2, INT32_MAX, UINT32_MAX, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX};
static const double reals[] = {0, -0.0, 1, -1, NAN, INFINITY, -INFINITY, 1e-300, -1e-300, 1e300};
static const char *const texts[] = {"",
				    "0",
				    "1",
				    "-1",
				    "0%",
				    "100%",
				    "101%",
				    "nan",
				    "inf",
				    "1e400",
				    "x",
				    "18446744073709551615",
				    "99999999999999999999999"};
static const int choices[] = {0, 1, -1, 5, INT32_MAX, INT32_MIN};

static simulated_device device;
static clpac_pool *pool;
static clpac_store *store;
static clpac_buffer *buffer, *other;
static unsigned char bytes[BYTES];

static clpac_status make_limit(uint64_t most, clpac_error *err)
{
	clpac_limit *limit = NULL;
	clpac_status st = clpac_limit_create(most, &limit, err);
	clpac_limit_destroy(limit);
	return st;
}

static clpac_status make_buffer(const clpac_request *request, clpac_error *err)
{
	clpac_buffer *made = NULL;
	clpac_status st = clpac_pool_request(pool, request, &made, err);
	clpac_buffer_release(made);
	return st;
}

static clpac_status map(size_t offset, size_t n, clpac_access access, clpac_error *err)
{
	void *mapped = NULL;
	clpac_status st = clpac_buffer_map(buffer, offset, n, access, &mapped, err);
	if (st == CLPAC_OK)
		clpac_buffer_unmap(buffer, NULL);
	return st;
}

static uint64_t give_nothing(void *user, clpac_pool *of, uint64_t lacking)
{
	(void)user, (void)of, (void)lacking;
	return 0;
}

static clpac_status add_relief(clpac_ladder_step step, clpac_error *err)
{
	clpac_status st = clpac_pool_add_relief(pool, step, give_nothing, NULL, err);
	clpac_pool_remove_relief(pool, step, give_nothing, NULL);
	return st;
}

static clpac_status list(double older_than_s, clpac_error *err)
{
	clpac_live_list made = {0};
	clpac_status st = clpac_pool_list(pool, older_than_s, &made, err);
	clpac_live_list_free(&made);
	return st;
}

static clpac_status scope(clpac_scope_kind of, clpac_error *err)
{
	clpac_scope *made = NULL;
	clpac_status st = clpac_scope_begin(pool, of, "scope", &made, err);
	if (st == CLPAC_OK)
		clpac_scope_end(made, NULL, NULL);
	return st;
}

static clpac_status put(clpac_put mode, clpac_error *err)
{
	clpac_buffer *made = NULL;
	clpac_status st = clpac_pool_allocate(pool, 1, "put", &made, err);
	if (st == CLPAC_OK && (st = clpac_store_put(store, "new", made, NULL, mode, err)) != CLPAC_OK)
		clpac_buffer_release(made);
	clpac_store_delete_prefix(store, "new");
	return st;
}

static clpac_status async(size_t max_pending, clpac_error *err)
{
	clpac_async *made = NULL;
	clpac_status st = clpac_async_create(pool, max_pending, &made, err);
	clpac_async_destroy(made);
	return st;
}

static clpac_status offsets(uint64_t size, clpac_error *err)
{
	clpac_offsets *made = NULL;
	clpac_status st = clpac_offsets_create(size, &made, err);
	clpac_offsets_destroy(made);
	return st;
}

/* --- The rows --------------------------------------------------------------------------------- */

/* A value for a member of any type: by size, and for text as an array. */
static void set(void *member, size_t size, kind of, const value *v)
{
	const uint32_t count = (uint32_t)v->whole;
	const bool flag = v->whole;
	if (of == WHOLE)
		memcpy(member, &v->whole, size);
	else if (of == COUNT32)
		memcpy(member, &count, size);
	else if (of == REAL)
		memcpy(member, &v->real, size);
	else if (of == CHOICE)
		memcpy(member, &v->choice, size);
	else if (of == FLAG)
		memcpy(member, &flag, size);
	else if (of == TEXT)
		snprintf(member, size, "%s", v->text);
	else if (of == NAME)
		memcpy(member, &v->text, size);
}

/* The pool works: a request is served, or refused with a reason. */
static clpac_status open_and_use(const clpac_pool_options *options, clpac_error *err)
{
	clpac_pool *made = NULL;
	clpac_buffer *taken = NULL;
	clpac_error refusal = {0};
	clpac_status st = clpac__pool_create(&device.queue, options, 0, &made, err);
	if (st == CLPAC_OK && clpac_pool_allocate(made, BYTES, "use", &taken, &refusal) != CLPAC_OK)
		ck_assert_msg(strlen(refusal.text) > 20, "%s", refusal.text);
	clpac_buffer_release(taken);
	clpac_pool_destroy(made);
	return st;
}

static clpac_status open_store(const clpac_store_options *options, clpac_error *err)
{
	clpac_store *made = NULL;
	clpac_status st = clpac_store_create(pool, options, &made, err);
	clpac_store_destroy(made);
	return st;
}

struct row {
	const char *what, *name;
	kind kind;
	clpac_status (*call)(value v, clpac_error *err);
};

#define NAME_OF(prefix, line) prefix##line
#define UNIQUE(prefix, line) NAME_OF(prefix, line)
#define POOL(member, kind)                                                                                             \
	static clpac_status UNIQUE(pool_row_, __LINE__)(value v, clpac_error * err)                                    \
	{                                                                                                              \
		clpac_pool_options options = {.size = sizeof options};                                                 \
		set(&options.member, sizeof options.member, kind, &v);                                                 \
		return open_and_use(&options, err);                                                                    \
	}
#define STORE(member, kind)                                                                                            \
	static clpac_status UNIQUE(store_row_, __LINE__)(value v, clpac_error * err)                                   \
	{                                                                                                              \
		clpac_store_options options = {.size = sizeof options};                                                \
		set(&options.member, sizeof options.member, kind, &v);                                                 \
		return open_store(&options, err);                                                                      \
	}
#define CALL(function, parameter, kind, ...)                                                                           \
	static clpac_status UNIQUE(call_row_, __LINE__)(value v, clpac_error * err)                                    \
	{                                                                                                              \
		(void)err;                                                                                             \
		return __VA_ARGS__;                                                                                    \
	}
#include "extremes.def"
#undef POOL
#undef STORE
#undef CALL

#define POOL(member, kind) {"clpac_pool_options", #member, kind, UNIQUE(pool_row_, __LINE__)},
#define STORE(member, kind) {"clpac_store_options", #member, kind, UNIQUE(store_row_, __LINE__)},
#define CALL(function, parameter, kind, ...) {#function, #parameter, kind, UNIQUE(call_row_, __LINE__)},
static const struct row rows[] = {
#include "extremes.def"
};

static void open_all(void)
{
	clpac_error err;
	clpac_buffer *stored = NULL;
	pool = open_pool(&device, MEMORY_BYTES, &(clpac_pool_options){.checks.is_tracked = true});
	buffer = take(pool, BYTES);
	other = take(pool, BYTES);
	assert_works(clpac_store_create(pool, NULL, &store, &err), err);
	stored = take(pool, BYTES);
	assert_works(clpac_store_put(store, "key", stored, NULL, CLPAC_PUT_FAIL, &err), err);
}

static void close_all(void)
{
	clpac_store_destroy(store);
	clpac_buffer_release(other);
	clpac_buffer_release(buffer);
	clpac_pool_destroy(pool);
	check_nothing_left(&device);
}

/* "budget.bytes" is named as "bytes", or by what it limits. */
static void try(const struct row *row, value v, const char *shown)
{
	clpac_error err = {0};
	const char *name = strrchr(row->name, '.') ? strrchr(row->name, '.') + 1 : row->name;
	if (row->call(v, &err) == CLPAC_OK)
		return;
	ck_assert_msg(strlen(err.text) > 10 && !strchr(err.text, '\n'), "%s.%s = %s: '%s'", row->what, row->name, shown,
		      err.text);
	ck_assert_msg(!strstr(row->what, "_options") || strstr(err.text, name), "%s.%s = %s is not named: '%s'",
		      row->what, row->name, shown, err.text);
	ck_assert_msg(err.status == CLPAC_ERROR_ARGUMENT || err.status == CLPAC_ERROR_NO_DEVICE_MEMORY ||
			      err.status == CLPAC_ERROR_NO_MEMORY || err.status == CLPAC_ERROR_IO,
		      "%s.%s = %s: '%s'", row->what, row->name, shown, clpac_status_text(err.status));
}

FIXTURE(open_all, close_all);

TEST_EACH(every_number_at_the_ends_of_its_type_works_or_is_named, COUNT(rows))
{
	const struct row *row = &rows[_i];
	char shown[64];
	for (size_t i = 0; i < COUNT(wholes) && (row->kind == WHOLE || row->kind == COUNT32 || row->kind == FLAG);
	     i++) {
		snprintf(shown, sizeof shown, "%llu", (unsigned long long)wholes[i]);
		try(row, (value){.whole = wholes[i]}, shown);
	}
	for (size_t i = 0; i < COUNT(reals) && row->kind == REAL; i++) {
		snprintf(shown, sizeof shown, "%g", reals[i]);
		try(row, (value){.real = reals[i]}, shown);
	}
	for (size_t i = 0; i < COUNT(choices) && row->kind == CHOICE; i++) {
		snprintf(shown, sizeof shown, "%d", choices[i]);
		try(row, (value){.choice = choices[i]}, shown);
	}
	for (size_t i = 0; i < COUNT(texts) && row->kind == TEXT; i++)
		try(row, (value){.text = texts[i]}, texts[i]);
	if (row->kind == NAME)
		try(row, (value){.text = "/no/such/folder"}, "/no/such/folder");
	/* The fixture's pool still serves. */
	clpac_buffer_release(take(pool, BYTES));
}
