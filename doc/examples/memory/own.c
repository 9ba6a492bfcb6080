/* A pool, a store and a watcher over memory that this program maps itself, without OpenCL: two functions are enough
 * where the host reads and writes the memory in place.  With CUDA they would be cuMemAlloc and cuMemFree, and
 * clpac/memory/own.h tells of those for transfers and events. */
#include <clpac/memory/buffer.h>
#include <clpac/memory/own.h>
#include <clpac/memory/pressure.h>
#include <clpac/memory/statistics.h>
#include <clpac/memory/store.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MIB = 1 << 20, N_TABLES = 24, N_ROUNDS = 20000 };

/* Told by the functions below. */
typedef struct counts {
	unsigned long n_maps, n_unmaps, n_changes;
} counts;

static clpac_status map_pages(void *user, size_t bytes, void **memory, clpac_error *err)
{
	((counts *)user)->n_maps++;
	*memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (*memory != MAP_FAILED)
		return CLPAC_OK;
	snprintf(err->text, sizeof err->text, "mmap refuses %zu bytes", bytes);
	return CLPAC_ERROR_NO_DEVICE_MEMORY;
}

static void unmap_pages(void *user, void *memory, size_t bytes)
{
	((counts *)user)->n_unmaps++;
	munmap(memory, bytes);
}

static void tell(void *user, clpac_pool *pool, clpac_pressure from, clpac_pressure to)
{
	(void)pool, (void)from, (void)to;
	((counts *)user)->n_changes++;
}

static void must(clpac_status status, const clpac_error *err)
{
	if (status != CLPAC_OK)
		exit((fprintf(stderr, "%s\n", err->text), 1));
}

int main(void)
{
	counts n = {0};
	const clpac_own_memory memory = {
		.name = "mapped pages", .user = &n, .is_host = true, .allocate = map_pages, .release = unmap_pages};
	clpac_error err;
	clpac_pool *pool;
	clpac_store *store;
	clpac_buffer *buffer;
	must(clpac_pool_create_on(&memory, &(clpac_pool_options){.budget = {.cap = "16M"}}, &pool, &err), &err);
	must(clpac_pool_watch(pool, tell, &n, &err), &err);
	must(clpac_store_create(pool, &(clpac_store_options){.host_bytes = 32 * MIB}, &store, &err), &err);

	/* 24 tables of a MiB under 16 MiB: the store moves those that were not used for longest to plain memory. */
	for (int i = 0; i < N_TABLES; i++) {
		char key[16];
		snprintf(key, sizeof key, "table %d", i);
		must(clpac_pool_allocate(pool, MIB, key, &buffer, &err), &err);
		must(clpac_buffer_fill(buffer, 0, MIB, (unsigned char)i, &err), &err);
		must(clpac_store_put(store, key, buffer, NULL, CLPAC_PUT_FAIL, &err), &err);
	}
	int n_wrong = 0;
	for (int i = 0; i < N_TABLES; i++) {
		char key[16];
		unsigned char byte;
		clpac_entry *entry;
		snprintf(key, sizeof key, "table %d", i);
		must(clpac_store_acquire(store, key, &entry, &err), &err);
		must(clpac_buffer_read(clpac_entry_buffer(entry), MIB - 1, 1, &byte, &err), &err);
		n_wrong += byte != i;
		clpac_entry_release(entry);
	}

	/* Small buffers by the thousand, which need no call of mmap. */
	for (int i = 0; i < N_ROUNDS; i++) {
		must(clpac_pool_allocate(pool, 1000 + (size_t)i % 5000, "scratch", &buffer, &err), &err);
		float *samples;
		must(clpac_buffer_map(buffer, 0, 1000, CLPAC_WRITE, (void **)&samples, &err), &err); /* in place */
		samples[0] = (float)i;
		must(clpac_buffer_unmap(buffer, &err), &err);
		clpac_buffer_release(buffer);
	}
	clpac_pool_statistics now;
	clpac_pool_measure(pool, &now, sizeof now);
	printf("%" PRIu64 " requests, %lu maps; %d tables wrong; pressure changed %lu times and is %s\n",
	       now.hits + now.misses, n.n_maps, n_wrong, n.n_changes, clpac_pressure_text(now.pressure));
	clpac_store_destroy(store);
	clpac_pool_destroy(pool);
	return n_wrong || n.n_maps != n.n_unmaps || n.n_maps > 200;
}
