/* Tables of electrodes, as BIDS has them (electrodes.tsv), and the axes of their positions (coordsystem.json). */
#include <clpac/read.h>

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/head.h"
#include "base/memory.h"
#include "recording/json_text.h"
#include "recording/read/samples.h"
#include "recording/read/tables.h"

enum { NAME = 0, X, Y, Z, N_COLUMNS };
static const char *const columns[N_COLUMNS] = {"name", "x", "y", "z"};

/* The electrodes of a table that have a position, in its order. */
typedef struct electrodes {
	char **names; /* owned, each too */
	double (*positions)[3];
	size_t n, capacity, position_capacity;
} electrodes;

static void clear(electrodes *list)
{
	for (size_t i = 0; i < list->n; i++)
		clpac__free(list->names[i]);
	FREE_ALL(list->names, list->positions);
}

static clpac_status add(const clpac__cell cells[N_COLUMNS], electrodes *to, clpac_error *err)
{
	double at[3];
	for (int k = 0; k < 3; k++)
		if (!clpac__cell_number(cells[X + k], &at[k]))
			return CLPAC_OK;
	RETURN_IF_ERROR(ROOM_FOR_ONE(to->names, to->n, to->capacity, 64));
	RETURN_IF_ERROR(ROOM_FOR_ONE(to->positions, to->n, to->position_capacity, 64));
	if (!(to->names[to->n] = clpac__cell_text(cells[NAME])))
		RETURN_NO_MEMORY(cells[NAME].n + 1);
	memcpy(to->positions[to->n], at, sizeof at);
	to->n++;
	return CLPAC_OK;
}

/* Whether x points to the nose and y to the left, as the file beside the table says.
 * Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT, CLPAC_ERROR_NO_MEMORY. */
static clpac_status read_axes(const char *path, bool *has_nose_first, clpac_error *err)
{
	static const char *const nose_first[] = {"CTF", "EEGLAB", "EEGLAB-HJ", "KitYokogawa", "4DBti"};
	static const char ending[] = "electrodes.tsv", beside[] = "coordsystem.json";
	clpac_status st = CLPAC_OK;
	char *json_path = NULL, *text = NULL;
	size_t n;
	json_t *root = NULL;
	json_error_t wrong;
	*has_nose_first = false;
	if (!clpac__ends_with(path, ending))
		goto done;
	const size_t stem = strlen(path) - strlen(ending);
	TRY(NEW_BYTES(json_path, stem + sizeof beside));
	memcpy(json_path, path, stem);
	memcpy(json_path + stem, beside, sizeof beside);
	if (access(json_path, F_OK) != 0)
		goto done;
	TRY(clpac__source_read_text(json_path, &text, &n, err));
	errno = 0;
	root = clpac__json_read(text, n, 0, &wrong);
	if (!root && errno == ENOMEM)
		FAIL_NO_MEMORY(n);
	if (!root)
		FAIL(CLPAC_ERROR_FORMAT, "%s: line %d: not JSON", json_path, wrong.line);
	const char *system = json_string_value(json_object_get(root, "EEGCoordinateSystem"));
	for (size_t i = 0; system && i < sizeof nose_first / sizeof *nose_first; i++)
		*has_nose_first |= strcmp(system, nose_first[i]) == 0;
done:
	json_decref(root);
	FREE_ALL(json_path, text);
	return st;
}

static clpac_status read_table(const char *path, electrodes *out, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	size_t n, at[N_COLUMNS];
	clpac__cell cells[N_COLUMNS];
	char *text = NULL;
	TRY(clpac__source_read_text(path, &text, &n, err));
	clpac__tsv table = clpac__tsv_open(text, n, columns, N_COLUMNS, at);
	for (int c = 0; c < N_COLUMNS; c++)
		if (at[c] == SIZE_MAX)
			FAIL(CLPAC_ERROR_FORMAT, "%s has no column \"%s\": a table of electrodes has name, x, y and z",
			     path, columns[c]);
	while (clpac__tsv_next(&table, cells))
		TRY(add(cells, out, err));
done:
	clpac__free(text);
	return st;
}

clpac_status clpac_electrodes_read(const char *path, const char *const *names, size_t n, clpac_position *positions,
				   clpac_error *err)
{
	NEED(path, names, positions);
	clpac_status st = CLPAC_OK;
	electrodes table = {.n = 0};
	bool has_nose_first;
	TRY(read_table(path, &table, err));
	TRY(read_axes(path, &has_nose_first, err));
	if (!clpac__head_directions(table.positions, table.n))
		FAIL(CLPAC_ERROR_FORMAT,
		     "%s: no sphere is near the positions of its %zu electrodes: four are needed that are not in a "
		     "plane",
		     path, table.n);
	for (size_t i = 0; i < n; i++)
		if (!names[i])
			FAIL(CLPAC_ERROR_ARGUMENT, "name %zu of %zu is NULL", i, n);
	for (size_t i = 0; i < n; i++) {
		positions[i] = (clpac_position){NAN, NAN, NAN};
		for (size_t k = 0; k < table.n; k++) {
			const double *at = table.positions[k];
			if (strcmp(table.names[k], names[i]) != 0)
				continue;
			positions[i] = has_nose_first ? (clpac_position){-at[1], at[0], at[2]}
						      : (clpac_position){at[0], at[1], at[2]};
			break;
		}
	}
done:
	clear(&table);
	return st;
}
