/* Pictures of all channels: the head, shares of channels, and colours between cells; tables of electrodes. */
#include "runner.h"
#include "assertions.h"
#include "drawn_maps.h"
#include "files.h"
#include "made_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/read.h>

static void begin(void)
{
	files_begin();
	make_scratch();
}

static void end(void)
{
	remove_scratch();
	files_end();
}

FIXTURE(begin, end);

static const char *const names[] = {"Fz", "C3", "C4", "Pz", "Cz", "ECG"};
enum { N = COUNT(names), N_CELLS = 4 };

/* Channels by 2 x 2 cells; p_max of channel c in cell i is 0.01 where c < i, and z is 10 c + i. */
static clpac_result *make_channels(unsigned arrays)
{
	clpac_error err;
	clpac_result *result = NULL;
	assert_works(clpac_result_create(&(clpac_result_shape){N, 1, 2, 2, 18, 0}, arrays, &result, &err), err);
	for (size_t i = 0; i < 2; i++) {
		clpac_result_phase_bands(result)[i] = (clpac_band){2 + 2 * (double)i, 5 + 2 * (double)i};
		clpac_result_amplitude_bands(result)[i] = (clpac_band){60 + 10 * (double)i, 80 + 10 * (double)i};
	}
	for (size_t c = 0; c < N; c++) {
		assert_works(clpac_result_set_channel_name(result, c, names[c], &err), err);
		for (size_t i = 0; i < N_CELLS; i++)
			for (int which = CLPAC_MI; which <= CLPAC_EXCESS; which++) {
				float *values = clpac_result_array(result, (clpac_array)which, NULL);
				if (values && (which == CLPAC_MI || which == CLPAC_Z || which == CLPAC_P_MAX ||
					       which == CLPAC_EXCESS))
					values[c * N_CELLS + i] =
						which == CLPAC_P_MAX ? (c < i ? 0.01F : 0.5F) : (float)(10 * c + i);
			}
	}
	return result;
}

enum { TESTED = 1 << CLPAC_MI | 1 << CLPAC_Z | 1 << CLPAC_P_MAX };

static char *draw_svg(const clpac_result *result, const clpac_plot_options *options)
{
	clpac_error err;
	clpac_plot_options own = *options;
	own.overwrite = true;
	assert_works(clpac_result_plot(result, scratch_path("a.svg"), &own, &err), err);
	return scratch_read("a.svg", NULL);
}

static void refuse(const clpac_result *result, const clpac_plot_options *options, const char *text)
{
	clpac_error err;
	assert_refused(clpac_result_plot(result, scratch_path("no.svg"), options, &err), err, CLPAC_ERROR_ARGUMENT,
		       text);
	ck_assert_uint_eq(scratch_count(), 0);
}

TEST(shares_of_channels_are_counted_in_each_cell)
{
	clpac_result *result = make_channels(TESTED);
	float *p_max = clpac_result_array(result, CLPAC_P_MAX, NULL);
	/* Cell 3 has channels 0, 1 and 2; a channel without a value does not count. */
	p_max[5 * N_CELLS + 3] = NAN;
	char *svg = draw_svg(result, &(clpac_plot_options){.channel = SIZE_MAX, .population = true});
	ck_assert_ptr_nonnull(strstr(svg, ">6 channels</text>"));
	ck_assert_ptr_nonnull(strstr(svg, ">Share with p_max \u2264 0.05</text>"));
	ck_assert_ptr_nonnull(strstr(svg, "Most channels at 4\u20137 Hz / 70\u201390 Hz: 60 % of them"));
	ck_assert_ptr_nonnull(strstr(svg, ">z-score</text>"));
	free(svg);
	svg = draw_svg(result, &(clpac_plot_options){.channel = SIZE_MAX, .population = true, .significance = 0.001});
	ck_assert_ptr_nonnull(strstr(svg, "No cell is significant in any channel"));
	free(svg);
	clpac_result_destroy(result);
	/* The mean excess where there is one, and the index alone without surrogates. */
	result = make_channels(TESTED | 1 << CLPAC_EXCESS);
	svg = draw_svg(result, &(clpac_plot_options){.channel = SIZE_MAX, .population = true});
	ck_assert_ptr_nonnull(strstr(svg, ">Mean excess over channels</text>"));
	ck_assert_ptr_null(strstr(svg, ">z-score</text>"));
	free(svg);
	clpac_result_destroy(result);
	result = make_channels(1 << CLPAC_MI);
	svg = draw_svg(result, &(clpac_plot_options){.channel = SIZE_MAX, .population = true});
	ck_assert_ptr_null(strstr(svg, "Share"));
	ck_assert_ptr_nonnull(strstr(svg, ">modulation index</text>"));
	free(svg);
	clpac_result_destroy(result);
}

/* The mean over channels of cell i is 25 + i, but where a channel has no value. */
TEST(means_are_over_the_channels_that_have_a_value)
{
	clpac_result *result = make_channels(1 << CLPAC_MI);
	float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	for (size_t c = 0; c < N; c++) {
		mi[c * N_CELLS] = c == 3 ? 8 : NAN;
		mi[c * N_CELLS + 1] = NAN;
		mi[c * N_CELLS + 2] = c % 2 ? 8 : 0;
		mi[c * N_CELLS + 3] = 0;
	}
	struct picture picture =
		draw(result, &(clpac_plot_options){.channel = SIZE_MAX, .population = true, .overwrite = true});
	const place full = find(&picture, rgb(clpac__viridis(1))), half = find(&picture, rgb(clpac__viridis(0.5))),
		    none = find(&picture, rgb(clpac__colour_undefined));
	/* Phase rightwards, amplitude upwards: cell 0 below at the left, cell 1 above it, cell 2 beside it. */
	ck_assert_uint_gt(full.n, 10000);
	ck_assert_uint_gt(half.n, 10000);
	ck_assert_uint_gt(none.n, 10000);
	ck_assert_double_lt(none.y, half.y - 50);
	ck_assert_double_lt(none.x, half.x);
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
}

TEST(the_head_has_its_channels_where_they_are)
{
	clpac_result *result = make_channels(TESTED);
	char *svg = draw_svg(result, &(clpac_plot_options){.channel = SIZE_MAX, .topography = true});
	ck_assert_ptr_nonnull(strstr(svg, "5 of 6 channels have places; highest z-score 43 at Cz"));
	ck_assert_ptr_nonnull(strstr(svg, ">4\u20137 Hz / 70\u201390 Hz</text>"));
	ck_assert_ptr_nonnull(strstr(svg, ">p_max \u2264 0.05: 3 of 5</text>"));
	free(svg);
	svg = draw_svg(result, &(clpac_plot_options){.channel = SIZE_MAX,
						     .topography = true,
						     .has_cell = true,
						     .cell_phase = 0,
						     .cell_amplitude = 1});
	ck_assert_ptr_nonnull(strstr(svg, ">2\u20135 Hz / 70\u201390 Hz</text>"));
	ck_assert_ptr_nonnull(strstr(svg, "highest z-score 41 at Cz"));
	ck_assert_ptr_nonnull(strstr(svg, ": 1 of 5</text>"));
	free(svg);
	clpac_result_destroy(result);
}

/* C4 alone is high: the brightest part lies right of the middle; with C3 and C4 in each other's place, left of it. */
TEST(values_lie_at_the_place_of_their_channel)
{
	clpac_result *result = make_channels(1 << CLPAC_MI);
	float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	double x[2], y[2], middle[2];
	const clpac_position turned[] = {{NAN, NAN, NAN}, {3, 0, 3}, {-3, 0, 3}, {NAN, 0, 0}, {0, 0, 0}, {NAN, 0, 0}};
	for (size_t i = 0; i < N * N_CELLS; i++)
		mi[i] = i / N_CELLS == 2;
	for (int with = 0; with < 2; with++) {
		struct picture picture = draw(result, &(clpac_plot_options){.channel = SIZE_MAX,
									    .topography = true,
									    .positions = with ? turned : NULL,
									    .overwrite = true});
		/* The head is left of the bar of colours, whose end is as bright. */
		place bright = {0}, ink = {0};
		for (int py = 0; py < picture.height; py++)
			for (int px = 0; px < picture.width * 2 / 3; px++) {
				const uint32_t dot = pixel(&picture, px, py);
				const bool is_bright = dot >> 16 > 0xc0 && (dot & 0xff) < 0x60;
				bright.n += is_bright, bright.x += is_bright * px, bright.y += is_bright * py;
				if (dot == rgb(clpac__viridis(0)))
					ink.n++, ink.x += px;
			}
		ck_assert_uint_gt(bright.n, 500);
		x[with] = bright.x / (double)bright.n;
		y[with] = bright.y / (double)bright.n;
		middle[with] = ink.x / (double)ink.n;
		cairo_surface_destroy(picture.surface);
	}
	ck_assert_double_gt(x[0], middle[0] + 20);
	ck_assert_double_lt(x[1], middle[1] - 20);
	ck_assert_double_eq_tol(y[0], y[1], 0.5);
	clpac_result_destroy(result);
}

TEST(what_no_head_can_be_drawn_of_is_refused)
{
	clpac_error err;
	clpac_result *result = make_channels(TESTED);
	refuse(result, &(clpac_plot_options){.topography = true, .population = true}, "leave topography out");
	refuse(result, &(clpac_plot_options){.topography = true, .grid = true}, "leave the grid out");
	refuse(result, &(clpac_plot_options){.population = true, .over_time = true}, "leave the picture over time out");
	refuse(result, &(clpac_plot_options){.population = true, .arrows = true}, "leave arrows out");
	refuse(result, &(clpac_plot_options){.population = true, .has_cell = true}, "leave the cell out");
	refuse(result, &(clpac_plot_options){.topography = true, .segment = 1}, "segment 1 does not exist");
	refuse(result, &(clpac_plot_options){.topography = true, .has_cell = true, .cell_phase = 2},
	       "cell 2, 0 does not exist");
	float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	for (size_t c = 0; c < 2; c++)
		mi[c * N_CELLS + 3] = NAN;
	refuse(result, &(clpac_plot_options){.channel = SIZE_MAX, .topography = true},
	       "needs 4 channels with a place and a value, and 3 of 6 have them");
	for (size_t c = 0; c < N; c++)
		assert_works(clpac_result_set_channel_name(result, c, "Fz>Cz", &err), err);
	clpac_result_destroy(result);
	result = make_channels(1 << CLPAC_Z);
	refuse(result, &(clpac_plot_options){.topography = true}, "no index to draw");
	clpac_result_destroy(result);
}

TEST(pictures_of_channels_without_memory_are_none)
{
	clpac_error err;
	clpac_result *result = make_channels(TESTED);
	const clpac_plot_options each[] = {{.channel = SIZE_MAX, .population = true, .overwrite = true},
					   {.channel = SIZE_MAX, .topography = true, .overwrite = true}};
	for (size_t i = 0; i < COUNT(each); i++)
		assert_survives_failing_allocations(clpac_result_plot(result, scratch_path("a.svg"), &each[i], &err),
						    (void)0);
	clpac_result_destroy(result);
}

/* --- Colours between cells ----------------------------------------------------------------------- */

/* Two cells of 0 and two of 1: cells have two colours, and between their middles there are all. */
TEST(smooth_colours_lie_between_those_of_cells)
{
	clpac_result *result = make_channels(1 << CLPAC_MI);
	float *mi = clpac_result_array(result, CLPAC_MI, NULL);
	for (size_t i = 0; i < N_CELLS; i++)
		mi[i] = i >= 2;
	size_t n[2];
	for (int smooth = 0; smooth < 2; smooth++) {
		struct picture picture =
			draw(result, &(clpac_plot_options){.channel = 0, .smooth = smooth, .overwrite = true});
		const place low = find(&picture, rgb(clpac__viridis(0))), high = find(&picture, rgb(clpac__viridis(1)));
		n[smooth] = low.n + high.n;
		/* Beyond the outer middles, a half of each cell, colours are those of cells. */
		ck_assert_uint_gt(low.n, 30000);
		ck_assert_uint_gt(high.n, 30000);
		ck_assert_double_lt(low.x, high.x);
		cairo_surface_destroy(picture.surface);
	}
	ck_assert_double_eq_tol((double)n[1] / (double)n[0], 0.5, 0.05);
	/* A cell without a value stays one, and its neighbours keep their colours there. */
	mi[0] = NAN;
	struct picture picture = draw(result, &(clpac_plot_options){.channel = 0, .smooth = true, .overwrite = true});
	const place none = find(&picture, rgb(clpac__colour_undefined));
	ck_assert_uint_gt(none.n, 50000);
	cairo_surface_destroy(picture.surface);
	clpac_result_destroy(result);
}

/* --- Tables of electrodes ------------------------------------------------------------------------ */

static const char table[] = "name\tx\ty\tz\timpedance\n"
			    "Fz\t1\t91\t71\t5\nCz\t1\t1\t131\tn/a\nC4\t91\t1\t71\t3\nC3\t-89\t1\t71\t3\n"
			    "REF\tn/a\tn/a\tn/a\t\nPz\t1\t-89\t71\t2\n";

/* A sphere around (1, 1, 16): 90 in the plane and 55 above it, or 115 above. */
TEST(positions_of_a_table_are_directions)
{
	static const char *const asked[] = {"C4", "REF", "Fz", "none", "Cz"};
	enum { N_ASKED = COUNT(asked) };
	clpac_error err;
	clpac_position found[N_ASKED];
	const char *path = files_write_text("a_electrodes.tsv", table);
	assert_works(clpac_electrodes_read(path, asked, N_ASKED, found, &err), err);
	const double length = hypot(90, 71 - (131 - (90.0 * 90 + 60 * 60) / 120));
	ck_assert_double_eq_tol(found[0].x, 90 / length, 1e-9);
	ck_assert_double_eq_tol(found[0].y, 0, 1e-9);
	ck_assert_double_eq_tol(found[2].y, 90 / length, 1e-9);
	ck_assert_double_eq_tol(found[4].z, 1, 1e-9);
	ck_assert(isnan(found[1].x) && isnan(found[1].y) && isnan(found[1].z) && isnan(found[3].x));
	/* The axes of CTF: x to the nose, y to the left. */
	files_write_text("a_coordsystem.json", "{\"EEGCoordinateSystem\": \"CTF\"}");
	assert_works(clpac_electrodes_read(path, asked, N_ASKED, found, &err), err);
	ck_assert_double_eq_tol(found[0].y, 90 / length, 1e-9);
	ck_assert_double_eq_tol(found[2].x, -90 / length, 1e-9);
	files_write_text("a_coordsystem.json", "{\"EEGCoordinateSystem\": \"CapTrak\"}");
	assert_works(clpac_electrodes_read(path, asked, N_ASKED, found, &err), err);
	ck_assert_double_eq_tol(found[0].x, 90 / length, 1e-9);
	assert_survives_failing_allocations(clpac_electrodes_read(path, asked, N_ASKED, found, &err), (void)0);
}

TEST(a_table_without_positions_is_refused)
{
	static const char *const asked[] = {"C4"}, *const no_name[] = {NULL};
	static const struct {
		const char *text, *message;
	} tables[] = {{"", "has no column \"name\""},
		      {"name\tx\ty\nCz\t0\t0\n", "has no column \"z\""},
		      {"name\tx\ty\tz\n", "no sphere is near the positions of its 0 electrodes"},
		      {"name\tx\ty\tz\na\t1\t0\t0\nb\t0\t1\t0\nc\t-1\t0\t0\nd\t0\t-1\t0\n", "in a plane"}};
	clpac_error err;
	clpac_position found[1];
	for (size_t i = 0; i < COUNT(tables); i++)
		assert_refused(clpac_electrodes_read(files_write_text("b_electrodes.tsv", tables[i].text), asked, 1,
						     found, &err),
			       err, CLPAC_ERROR_FORMAT, tables[i].message);
	assert_refused(clpac_electrodes_read(files_path("none.tsv"), asked, 1, found, &err), err, CLPAC_ERROR_IO,
		       "none.tsv");
	const char *path = files_write_text("c_electrodes.tsv", table);
	assert_refused(clpac_electrodes_read(path, no_name, 1, found, &err), err, CLPAC_ERROR_ARGUMENT,
		       "name 0 of 1 is NULL");
	files_write_text("c_coordsystem.json", "{\n\"EEGCoordinateSystem\" \"CTF\"}");
	assert_refused(clpac_electrodes_read(path, asked, 1, found, &err), err, CLPAC_ERROR_FORMAT,
		       "c_coordsystem.json: line 2: not JSON");
}
