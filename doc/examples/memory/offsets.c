/* Many records in one file: records of changing sizes lie in pages of an application's own file, and clpac_offsets
 * tells which pages are free.  No device and no pool take part.  The file could as well be a cl_mem of the application
 * or an arena of host memory: clpac_offsets only knows the number of units. */
#include <clpac/memory/offsets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 512, N_PAGES = 256, N_RECORDS = 24, N_CHANGES = 5000, MOST_BYTES = 20 * PAGE_BYTES };

typedef struct record {
	clpac_piece pages; /* where it lies; 0 units: nowhere */
	size_t bytes;
	int letter; /* its content, repeated */
} record;

static void store(FILE *file, const record *r, char *buffer)
{
	memset(buffer, r->letter, r->bytes);
	if (fseek(file, (long)r->pages.offset * PAGE_BYTES, SEEK_SET) || fwrite(buffer, 1, r->bytes, file) != r->bytes)
		exit((perror("records"), 1));
}

static int is_whole(FILE *file, const record *r, char *buffer)
{
	if (fseek(file, (long)r->pages.offset * PAGE_BYTES, SEEK_SET) || fread(buffer, 1, r->bytes, file) != r->bytes)
		return 0;
	size_t n_good = 0;
	while (n_good < r->bytes && buffer[n_good] == r->letter)
		n_good++;
	return n_good == r->bytes;
}

int main(void)
{
	static char buffer[MOST_BYTES];
	record records[N_RECORDS] = {0};
	int n_damaged = 0, n_refused = 0;
	clpac_error err;
	clpac_offsets *pages;
	if (clpac_offsets_create(N_PAGES, &pages, &err) != CLPAC_OK)
		return fprintf(stderr, "%s\n", err.text), 1;
	FILE *file = fopen("records", "w+b");
	if (!file)
		return perror("records"), 1;

	/* Each change rewrites one record in another size: its old pages are given back, and others are taken. */
	for (int change = 0; change < N_CHANGES; change++) {
		record *r = &records[rand() % N_RECORDS];
		if (r->pages.units) {
			n_damaged += !is_whole(file, r, buffer) || !clpac_offsets_give(pages, r->pages);
			r->pages = (clpac_piece){0};
		}
		r->bytes = 1 + (size_t)rand() % MOST_BYTES;
		r->letter = 'a' + change % 26;
		if (clpac_offsets_take(pages, (r->bytes + PAGE_BYTES - 1) / PAGE_BYTES, 1, &r->pages))
			store(file, r, buffer);
		else
			n_refused++;
	}
	printf("%zu records take %llu of %d pages; the largest free piece has %llu; %d changes of %d found no room\n",
	       clpac_offsets_pieces(pages), (unsigned long long)clpac_offsets_used(pages), N_PAGES,
	       (unsigned long long)clpac_offsets_largest_free(pages), n_refused, N_CHANGES);
	clpac_offsets_destroy(pages);
	return fclose(file) != 0 || remove("records") != 0 || n_damaged || n_refused == N_CHANGES;
}
