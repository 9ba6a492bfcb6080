/* The head: places of electrodes by their names, spheres near positions, and what lies between values. */
#include "runner.h"
#include "assertions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/electrode.h"
#include "base/head.h"
#include "base/memory.h"

static const double pi = 3.14159265358979323846;

typedef struct direction {
	double at[3];
} direction;

static direction of(const char *name)
{
	direction found;
	ck_assert_msg(clpac__electrode_direction(name, found.at), "%s has a place", name);
	ck_assert_double_eq_tol(hypot(hypot(found.at[0], found.at[1]), found.at[2]), 1, 1e-12);
	return found;
}

static double between(const char *a, const char *b)
{
	const direction x = of(a), y = of(b);
	return sqrt(pow(x.at[0] - y.at[0], 2) + pow(x.at[1] - y.at[1], 2) + pow(x.at[2] - y.at[2], 2));
}

/* Degrees from the vertex and from the nose leftwards, by the definition of the system: 10 % of the midline are a
 * quarter of a right angle, and 10 % around the head 18 degrees. */
TEST(electrodes_are_where_the_system_says)
{
	static const struct {
		const char *name;
		double from_vertex, from_nose;
	} places[] = {{"Fz", 45, 0},	     {"FCz", 22.5, 0},	    {"AFFz", 56.25, 0},	   {"Pz", 45, 180},
		      {"Fpz", 90, 0},	     {"Nz", 112.5, 0},	    {"Oz", 90, 180},	   {"Iz", 112.5, 180},
		      {"C3", 45, 90},	     {"C4", 45, -90},	    {"T7", 90, 90},	   {"C1h", 11.25, 90},
		      {"C5h", 56.25, 90},    {"T8", 90, -90},	    {"T10", 112.5, -90},   {"T9h", 101.25, 90},
		      {"Fp1", 90, 18},	     {"Fp2", 90, -18},	    {"Fp1h", 90, 9},	   {"F7", 90, 54},
		      {"F8", 90, -54},	     {"P7", 90, 126},	    {"PO10", 112.5, -144}, {"O1", 90, 162},
		      {"AF7", 90, 36},	     {"FTT9h", 101.25, 81}, {"N1", 112.5, 18},	   {"I2", 112.5, -162},
		      {"OI1h", 101.25, 171}, {"TP8", 90, -108},	    {"FT7", 90, 72}};
	for (size_t i = 0; i < COUNT(places); i++) {
		const direction found = of(places[i].name);
		ck_assert_msg(fabs(acos(found.at[2]) * 180 / pi - places[i].from_vertex) < 1e-6,
			      "%s: %g from the vertex", places[i].name, acos(found.at[2]) * 180 / pi);
		ck_assert_msg(fabs(atan2(-found.at[0], found.at[1]) * 180 / pi - places[i].from_nose) < 1e-6,
			      "%s: %g from the nose", places[i].name, atan2(-found.at[0], found.at[1]) * 180 / pi);
	}
	const direction vertex = of("Cz");
	ck_assert_double_eq_tol(vertex.at[2], 1, 1e-12);
}

/* Each half of a row is divided evenly, along one circle. */
TEST(rows_are_divided_evenly)
{
	static const char *const whole[][5] = {{"Fz", "F1", "F3", "F5", "F7"},
					       {"CPz", "CP2", "CP4", "CP6", "TP8"},
					       {"AFz", "AF1", "AF3", "AF5", "AF7"}};
	for (size_t row = 0; row < COUNT(whole); row++)
		for (int i = 1; i < 4; i++)
			ck_assert_double_eq_tol(between(whole[row][i], whole[row][i + 1]),
						between(whole[row][0], whole[row][1]), 1e-12);
	ck_assert_double_eq_tol(between("Pz", "P1h"), between("P1h", "P1"), 1e-12);
	ck_assert_double_lt(between("Pz", "P1h"), between("Pz", "P1"));
}

TEST(sides_are_mirrors_and_old_names_stand_for_new_ones)
{
	static const char *const pairs[][2] = {{"F3", "F4"}, {"PO7", "PO8"}, {"FFC1h", "FFC2h"}, {"TPP9h", "TPP10h"}};
	static const char *const same[][2] = {{"T3", "T7"},	{"t4", "T8"},	    {"T5", "P7"},
					      {"T6-A2", "P8"},	{"EEG Fp1", "Fp1"}, {"eeg_C3-M2", "C3"},
					      {"Cz-REF", "CZ"}, {"FPZ", "fpz"}};
	for (size_t i = 0; i < COUNT(pairs); i++) {
		const direction left = of(pairs[i][0]), right = of(pairs[i][1]);
		ck_assert_double_lt(left.at[0], 0);
		ck_assert_double_eq_tol(left.at[0], -right.at[0], 1e-12);
		ck_assert_double_eq_tol(left.at[1], right.at[1], 1e-12);
	}
	for (size_t i = 0; i < COUNT(same); i++)
		ck_assert_msg(between(same[i][0], same[i][1]) < 1e-12, "%s is %s", same[i][0], same[i][1]);
}

TEST(other_names_have_no_place)
{
	static const char *const names[] = {"",	  "A1",	 "M2",	"C3-C4", "Fp1-F7", "ECG", "E17", "T1",	"Tz",
					    "O9", "Fp3", "C11", "Cz1",	 "FTz",	   "EEG", "FT5", "Czh", "LFP_1"};
	double unused[3];
	for (size_t i = 0; i < COUNT(names); i++)
		ck_assert_msg(!clpac__electrode_direction(names[i], unused), "%s has a place", names[i]);
}

TEST(places_of_the_disc_are_directions)
{
	static const char *const names[] = {"Cz", "Fz", "T7", "PO10", "FFC3h"};
	for (size_t i = 0; i < COUNT(names); i++) {
		const direction there = of(names[i]);
		double back[3];
		clpac__head_direction_of(clpac__head_place_of(there.at), back);
		for (int k = 0; k < 3; k++)
			ck_assert_double_eq_tol(back[k], there.at[k], 1e-12);
	}
	const clpac__head_place right = clpac__head_place_of(of("T8").at), front = clpac__head_place_of(of("Fz").at);
	ck_assert_double_eq_tol(right.x, 1, 1e-12);
	ck_assert_double_eq_tol(right.y, 0, 1e-12);
	ck_assert_double_eq_tol(front.x, 0, 1e-12);
	ck_assert_double_eq_tol(front.y, 0.5, 1e-12);
}

/* Positions on a sphere anywhere, of any size, are its directions; beside it, by least squares. */
TEST(positions_become_directions_from_the_middle_of_their_sphere)
{
	static const char *const names[] = {"Fp1", "Fp2", "C3", "C4", "Cz", "O1", "O2"};
	enum { N = COUNT(names) };
	double at[N][3];
	for (size_t i = 0; i < N; i++) {
		const direction there = of(names[i]);
		for (int k = 0; k < 3; k++)
			at[i][k] = 92.5 * there.at[k] + (double[]){3, -17, 41}[k];
	}
	ck_assert(clpac__head_directions(at, N));
	for (size_t i = 0; i < N; i++)
		for (int k = 0; k < 3; k++)
			ck_assert_double_eq_tol(at[i][k], of(names[i]).at[k], 1e-9);
}

TEST(no_sphere_is_near_few_positions_or_a_plane)
{
	double at[5][3] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0.5, 0.5, 0}};
	ck_assert(!clpac__head_directions(at, 5));
	ck_assert_double_eq(at[4][0], 0.5);
	at[4][2] = 1;
	ck_assert(!clpac__head_directions(at, 3));
	ck_assert(clpac__head_directions(at, 5));
	double one[4][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
	ck_assert(!clpac__head_directions(one, 4));
	one[0][0] = INFINITY;
	ck_assert(!clpac__head_directions(one, 4));
}

/* What MNE-Python 1.13 gives for the same electrodes and values (mne.channels.interpolation,
 * _make_interpolation_matrix, whose pseudoinverse is by 1e-5 another one). */
TEST(values_between_electrodes_are_those_of_spherical_splines)
{
	static const char *const names[] = {"Fz", "C3", "C4", "Pz", "T8", "Oz"};
	static const double values[] = {1, -2, 3, 0.5, 4, -1};
	static const double wanted[][4] = {{0, 0, 1, 0.89754816},
					   {0, 1, 0, 1.03522072},
					   {-0.6, 0.48, 0.64, -1.41246086},
					   {0.6, -0.64, 0.48, 2.27510954}};
	enum { N = COUNT(names) };
	double at[N][3];
	clpac_error err;
	clpac__head_values made;
	for (size_t i = 0; i < N; i++)
		memcpy(at[i], of(names[i]).at, sizeof at[i]);
	assert_works(clpac__head_values_create((const double(*)[3])at, values, N, &made, &err), err);
	for (size_t i = 0; i < COUNT(wanted); i++)
		ck_assert_double_eq_tol(clpac__head_value_at(&made, wanted[i]), wanted[i][3], 1e-4);
	/* 1e-5 beside 0.015 on the diagonal leaves values at their electrodes within a hundredth. */
	for (size_t i = 0; i < N; i++)
		ck_assert_double_eq_tol(clpac__head_value_at(&made, at[i]), values[i], 0.04);
	clpac__head_values_destroy(&made);
}

TEST(values_at_one_place_become_their_mean)
{
	static const char *const names[] = {"Fz", "C3", "C4", "Pz", "Pz"};
	static const double values[] = {0, 0, 0, 1, 3};
	double at[5][3];
	clpac_error err;
	clpac__head_values made;
	for (size_t i = 0; i < 5; i++)
		memcpy(at[i], of(names[i]).at, sizeof at[i]);
	assert_works(clpac__head_values_create((const double(*)[3])at, values, 5, &made, &err), err);
	ck_assert_double_eq_tol(clpac__head_value_at(&made, at[4]), 2, 0.02);
	clpac__head_values_destroy(&made);
}

TEST(values_that_find_no_memory_are_an_error)
{
	static const double at[][3] = {{0, 0, 1}}, values[] = {1};
	clpac_error err;
	clpac__head_values found = {0};
	assert_survives_failing_allocations(clpac__head_values_create(at, values, 1, &found, &err),
					    clpac__head_values_destroy(&found));
}
