/* Warps, work-groups and their cache. */
#include "bench/warps.h"

#include <stdlib.h>
#include <string.h>

enum {
	WAYS = 16,
	OTHERS_OF_TURN = 4,
	SECTORS = LINE_BYTES / SECTOR_BYTES,
};

typedef struct line {
	uint64_t number, used; /* used 0: holds nothing */
	unsigned sectors;      /* that are there, bit by bit */
} line;

typedef struct cache {
	line *lines; /* n_sets x WAYS */
	size_t n_sets;
	uint64_t now;
} cache;

/* Work-items of a warp that have the same shift, and their way through the edge list. */
typedef struct walker {
	size_t shift, behind; /* the first cycle that the shift moves wholly behind the end of the series */
} walker;

typedef struct warp {
	bool is_active;
	const edge_list *list;
	uint64_t panel, list_at; /* addresses */
	size_t n_walkers, next;	 /* cycle, then n_cycles and other entries */
	walker walkers[LANES];
	unsigned char walker_of[LANES]; /* n_walkers: the work-item has nothing to do */
	size_t band[LANES];
} warp;

typedef struct model {
	const traced *what;
	const mapping *how;
	cache first_level;
	traffic *out;
	size_t row, panels, groups_x, row_bytes; /* bands of a row, panels of a series, groups of a phase band */
	uint64_t lists_from;			 /* the address behind all prefix sums */
} model;

/* Entries from one cycle of a list to the next: those that are read four at a time begin at multiples of 16 bytes, with
 * the least and the largest of a cycle behind it. */
static size_t cycle_stride(const mapping *how, size_t n_bins)
{
	return how->of_entry == 1 ? n_bins : (n_bins + 2 + how->of_entry - 1) / how->of_entry * how->of_entry;
}

static size_t entries_of(const mapping *how, const edge_list *list)
{
	return list->n_cycles * cycle_stride(how, list->n_bins) + list->n_others;
}

/* The address of the entry at a place of a list. */
static uint64_t address_of_entry(const mapping *how, const edge_list *list, uint64_t list_at, size_t place)
{
	const size_t n_bins = list->n_bins, in_cycles = list->n_cycles * n_bins, stride = cycle_stride(how, n_bins);
	const size_t at = place < in_cycles ? place / n_bins * stride + place % n_bins
					    : list->n_cycles * stride + place - in_cycles;
	return list_at + at * sizeof(uint32_t);
}

size_t bands_of_row(const mapping *of, size_t n_amplitude)
{
	if (!of->is_padded)
		return n_amplitude;
	return n_amplitude > 16 ? 32 : n_amplitude > 8 ? 16 : 8;
}

/* Spreads lines over sets, so that rows whose distance is a power of two do not meet in a few of them. */
static size_t set_of(const cache *c, uint64_t number)
{
	return (size_t)((number * 11400714819323198485u >> 32) % c->n_sets);
}

/* Asks for sectors of a line; returns those that were missing, bit by bit. */
static unsigned touch(cache *c, uint64_t number, unsigned sectors)
{
	line *set = c->lines + set_of(c, number) * WAYS, *oldest = set;
	c->now++;
	for (size_t i = 0; i < WAYS; i++) {
		if (set[i].used && set[i].number == number) {
			const unsigned missing = sectors & ~set[i].sectors;
			set[i].sectors |= sectors;
			set[i].used = c->now;
			return missing;
		}
		if (set[i].used < oldest->used)
			oldest = set + i;
	}
	*oldest = (line){.number = number, .used = c->now, .sectors = sectors};
	return sectors;
}

static unsigned bits_of(unsigned sectors)
{
	unsigned n = 0;
	for (; sectors; sectors &= sectors - 1)
		n++;
	return n;
}

/* Loads n addresses in step; returns the lines in which they lie. */
static size_t load(model *m, const uint64_t *addresses, size_t n)
{
	uint64_t numbers[LANES];
	unsigned wanted[LANES];
	size_t n_lines = 0;
	for (size_t i = 0; i < n; i++) {
		const uint64_t number = addresses[i] / LINE_BYTES;
		const unsigned sector = 1u << addresses[i] % LINE_BYTES / SECTOR_BYTES;
		size_t at = 0;
		while (at < n_lines && numbers[at] != number)
			at++;
		if (at == n_lines) {
			numbers[n_lines] = number;
			wanted[n_lines++] = 0;
		}
		wanted[at] |= sector;
	}
	for (size_t i = 0; i < n_lines; i++) {
		m->out->sectors += bits_of(wanted[i]);
		m->out->missed += bits_of(touch(&m->first_level, numbers[i], wanted[i]));
	}
	return n_lines;
}

/* The row of an entry for a shift. */
static size_t row_of(const model *m, uint32_t entry, size_t shift)
{
	const size_t row = entry + shift;
	return m->how->is_panel && row >= m->what->n_samples ? row - m->what->n_samples : row;
}

/* Loads the entry at place[i] of the list for each walker i, and the prefix sums at it.  Entries that came with those
 * before them are not loaded again. */
static void load_entries(model *m, const warp *w, const size_t *place, bool is_first)
{
	uint64_t addresses[LANES];
	size_t n = 0;
	if (is_first) {
		for (size_t i = 0; i < w->n_walkers; i++)
			addresses[i] = address_of_entry(m->how, w->list, w->list_at, place[i]);
		m->out->list_loads++;
		m->out->list_lines += load(m, addresses, w->n_walkers);
	}
	for (size_t lane = 0; lane < LANES; lane++) {
		const size_t i = w->walker_of[lane];
		if (i == w->n_walkers)
			continue;
		const size_t row = row_of(m, w->list->entries[place[i]], w->walkers[i].shift);
		addresses[n++] = w->panel + row * m->row_bytes + w->band[lane] * sizeof(float);
	}
	m->out->loads++;
	m->out->lines += load(m, addresses, n);
	/* Padding is loaded by work-items that nobody needs; they are left out above, and lie in the same line. */
	m->out->useful_bytes += n * sizeof(float);
}

/* Cycles in the order of the panel's rows: those that a shift moves behind the end, those before it and across it. */
static size_t cycle_of(const warp *w, const walker *of, size_t step)
{
	const size_t n_behind = w->list->n_cycles - of->behind;
	return step < n_behind ? of->behind + step : step - n_behind;
}

/* A warp's turn; false if it has none left. */
static bool take_turn(model *m, warp *w)
{
	size_t place[LANES];
	const edge_list *list = w->list;
	const size_t of_load = m->how->of_entry;
	if (w->next < list->n_cycles) {
		for (size_t e = 0; e < list->n_bins; e++) {
			for (size_t i = 0; i < w->n_walkers; i++)
				place[i] = cycle_of(w, w->walkers + i, w->next) * list->n_bins + e;
			load_entries(m, w, place, e % of_load == 0);
		}
		w->next++;
		return true;
	}
	const size_t from = w->next - list->n_cycles;
	for (size_t other = from; other < list->n_others && other < from + OTHERS_OF_TURN; other++) {
		for (size_t i = 0; i < w->n_walkers; i++)
			place[i] = list->n_cycles * list->n_bins + other;
		load_entries(m, w, place, true);
		w->next++;
	}
	return w->next < list->n_cycles + list->n_others;
}

/* The first cycle that lies wholly behind the end of the series when it is shifted; n_cycles: none. */
static size_t first_behind(const edge_list *list, size_t shift, size_t n_samples)
{
	size_t low = 0, high = list->n_cycles;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		uint32_t least = UINT32_MAX;
		for (size_t e = 0; e < list->n_bins; e++) {
			const uint32_t entry = list->entries[middle * list->n_bins + e];
			least = entry < least ? entry : least;
		}
		if (least + shift < n_samples)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Begins the warp that has the work-items from `item` on of a phase band and a panel. */
static void begin_warp(const model *m, warp *w, size_t item, size_t phase, size_t panel)
{
	const traced *what = m->what;
	const size_t series = panel / m->panels, tile = panel % m->panels, n = m->row;
	const size_t copies = m->how->is_panel ? 1 : 2, row = series * what->n_phase + phase;
	uint64_t lists_at = m->lists_from;
	for (size_t i = 0; i < row; i++)
		lists_at += (entries_of(m->how, what->lists + i) * sizeof(uint32_t) / LINE_BYTES + 1) * LINE_BYTES;
	*w = (warp){.is_active = true,
		    .list = what->lists + row,
		    .panel = (uint64_t)panel * copies * what->n_samples * m->row_bytes,
		    .list_at = lists_at};
	size_t last = SIZE_MAX;
	for (size_t lane = 0; lane < LANES; lane++) {
		const size_t k = (item + lane) / n, band = (item + lane) % n;
		w->walker_of[lane] = LANES;
		w->band[lane] = band;
		if (k >= what->n_shifts || tile * n + band >= what->n_amplitude)
			continue;
		if (k != last) {
			const size_t shift = what->shifts[series * what->n_shifts + k];
			w->walkers[w->n_walkers++] = (walker){
				.shift = shift,
				.behind = m->how->is_panel ? first_behind(w->list, shift, what->n_samples) : 0};
			last = k;
		}
		w->walker_of[lane] = (unsigned char)(w->n_walkers - 1);
	}
	for (size_t lane = 0; lane < LANES; lane++)
		if (w->walker_of[lane] == LANES)
			w->walker_of[lane] = (unsigned char)w->n_walkers;
	w->is_active = w->n_walkers && (w->list->n_cycles || w->list->n_others);
}

/* Begins the warps of a work-group. */
static void begin_group(const model *m, warp *warps, size_t group)
{
	const size_t x = group % m->groups_x, rows = group / m->groups_x;
	for (size_t i = 0; i < m->how->group / LANES; i++)
		begin_warp(m, warps + i, x * m->how->group + i * LANES, rows % m->what->n_phase,
			   rows / m->what->n_phase);
}

static bool is_running(const warp *warps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (warps[i].is_active)
			return true;
	return false;
}

bool add_traffic(const traced *what, const mapping *how, const processor *where, traffic *out)
{
	const size_t row = bands_of_row(how, what->n_amplitude), panels = (what->n_amplitude + row - 1) / row;
	const size_t items = what->n_shifts * row, copies = how->is_panel ? 1 : 2;
	model m = {.what = what,
		   .how = how,
		   .out = out,
		   .row = row,
		   .panels = panels,
		   .groups_x = (items + how->group - 1) / how->group,
		   .row_bytes = row * sizeof(float)};
	m.lists_from =
		(uint64_t)what->n_series * panels * copies * what->n_samples * m.row_bytes / LINE_BYTES * LINE_BYTES +
		LINE_BYTES;
	m.first_level.n_sets = where->cache_bytes / LINE_BYTES / WAYS;
	const size_t of_group = how->group / LANES, held = where->n_threads / how->group;
	const size_t n_groups = m.groups_x * what->n_phase * what->n_series * panels;
	m.first_level.lines = m.first_level.n_sets ? calloc(m.first_level.n_sets * WAYS, sizeof(line)) : NULL;
	warp *warps = held ? calloc(held * of_group, sizeof *warps) : NULL;
	const bool is_possible = warps && m.first_level.lines;
	size_t next = where->number;
	for (bool is_busy = is_possible; is_busy;) {
		is_busy = false;
		for (size_t i = 0; i < held; i++) {
			warp *group = warps + i * of_group;
			if (!is_running(group, of_group) && next < n_groups) {
				begin_group(&m, group, next);
				next += where->n_processors;
				is_busy = true;
			}
		}
		for (size_t i = 0; i < held * of_group; i++)
			if (warps[i].is_active) {
				warps[i].is_active = take_turn(&m, warps + i);
				is_busy = true;
			}
	}
	free(warps);
	free(m.first_level.lines);
	return is_possible;
}
