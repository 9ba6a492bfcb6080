/* Titles, texts along the axes and legends of panels. */
#include "recording/plot/plot_panels.h"
#include "recording/plot/plot_colours.h"

const double clpac__room_above = 14, clpac__room_below = 44, clpac__room_at_left = 42, clpac__room_at_map_right = 56,
	     clpac__room_at_histogram_right = 18;

static const clpac__text_style title_style = {.size = 8.5, .is_bold = true, .align = CLPAC__CENTRE};
static const clpac__text_style legend_style = {.size = 7.5};
/* Distances in points: from the box to baselines, and within a legend. */
static const double title_rise = 6, label_drop = 25, label_left = 34, legend_drop = 40;
static const double sample_width = 12, sample_height = 6, sample_gap = 4, entry_gap = 9;
/* A legend's lines reach as far to each side of the box as numbers and texts do at its left. */
static const double beside = 42, line_step = 9;

void clpac__draw_panel_texts(cairo_t *cairo, clpac__box box, const char *title, const char *below, const char *at_left)
{
	clpac__draw_text(cairo, title_style, box.x + box.width / 2, box.y - title_rise, title);
	clpac__draw_text(cairo, clpac__label_style, box.x + box.width / 2, box.y + box.height + label_drop, below);
	clpac__draw_text_upwards(cairo, clpac__label_style, box.x - label_left, box.y + box.height / 2, at_left, 0);
}

static double width_of(cairo_t *cairo, const clpac__legend_entry *entry)
{
	return sample_width + sample_gap + clpac__text_width(cairo, legend_style, entry->text);
}

/* How many entries fit side by side, at least one; *width is theirs. */
static size_t count_of_line(cairo_t *cairo, double widest, const clpac__legend_entry *entries, size_t n, double *width)
{
	size_t fitting = 1;
	*width = width_of(cairo, &entries[0]);
	for (; fitting < n; fitting++) {
		const double wider = *width + entry_gap + width_of(cairo, &entries[fitting]);
		if (wider > widest)
			break;
		*width = wider;
	}
	return fitting;
}

void clpac__draw_legend(cairo_t *cairo, clpac__box box, const clpac__legend_entry *entries, size_t n)
{
	double baseline = box.y + box.height + legend_drop;
	for (size_t first = 0; first < n;) {
		double width;
		const size_t end =
			first + count_of_line(cairo, box.width + 2 * beside, entries + first, n - first, &width);
		double x = box.x + (box.width - width) / 2;
		for (; first < end; first++) {
			const clpac__box sample = {x, baseline - clpac__text_middle(legend_style) - sample_height / 2,
						   sample_width, sample_height};
			entries[first].draw_sample(cairo, sample);
			clpac__draw_text(cairo, legend_style, x + sample_width + sample_gap, baseline,
					 entries[first].text);
			x += width_of(cairo, &entries[first]) + entry_gap;
		}
		baseline += line_step;
	}
}
