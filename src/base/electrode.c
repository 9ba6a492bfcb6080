#include "base/electrode.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/ascii.h"

/* How the electrodes of a row lie: on an arc over the head; on the circumference, or below it, to both sides of the
 * midline; or where the system does not say. */
typedef enum shape { ARC = 0, AROUND, NOWHERE } shape;

/* Rows of the 10-05 system from nose to neck, earlobes and mastoids. */
static const struct {
	const char *name;
	shape shape;
	double part; /* of the way from nasion to inion, over the vertex and around the head, in percent */
} rows[] = {{"N", AROUND, 0},	{"FP", AROUND, 10}, {"AFP", ARC, 15},	{"AF", ARC, 20},   {"AFF", ARC, 25},
	    {"F", ARC, 30},	{"FFC", ARC, 35},   {"FFT", ARC, 35},	{"FC", ARC, 40},   {"FT", ARC, 40},
	    {"FCC", ARC, 45},	{"FTT", ARC, 45},   {"C", ARC, 50},	{"T", ARC, 50},	   {"CCP", ARC, 55},
	    {"TTP", ARC, 55},	{"CP", ARC, 60},    {"TP", ARC, 60},	{"CPP", ARC, 65},  {"TPP", ARC, 65},
	    {"P", ARC, 70},	{"PPO", ARC, 75},   {"PO", ARC, 80},	{"POO", ARC, 85},  {"O", AROUND, 90},
	    {"OI", AROUND, 95}, {"I", AROUND, 100}, {"A", NOWHERE, 50}, {"M", NOWHERE, 60}};
enum { N_ROWS = sizeof rows / sizeof *rows };

/* Names before the 10-10 system. */
static const struct {
	const char *old, *is;
} renamed[] = {{"T3", "T7"}, {"T4", "T8"}, {"T5", "P7"}, {"T6", "P8"}};

/* The parts of an electrode's name. */
typedef struct parsed {
	size_t row;
	int number; /* 0: on the midline */
	bool is_half;
	const char *behind;
} parsed;

static bool parse(const char *name, parsed *out)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", digits[] = "0123456789";
	const size_t n_letters = strspn(name, letters), n_digits = strspn(name + n_letters, digits);
	const bool is_midline = n_letters > 1 && n_digits == 0 && strchr("zZ", name[n_letters - 1]);
	const char *behind = name + n_letters + n_digits;
	if ((!is_midline && n_digits == 0) || n_digits > 2)
		return false;
	out->is_half = *behind == 'h' || *behind == 'H';
	behind += out->is_half;
	if (strspn(behind, letters) || strspn(behind, digits))
		return false;
	out->number = is_midline ? 0 : atoi(name + n_letters);
	out->behind = behind;
	for (out->row = 0; out->row < N_ROWS; out->row++)
		if (strlen(rows[out->row].name) == n_letters - is_midline &&
		    clpac__same_letters(rows[out->row].name, name, n_letters - is_midline))
			return true;
	return false;
}

bool clpac__is_electrode(const char *name)
{
	parsed unused;
	return parse(name, &unused);
}

/* --- Places -------------------------------------------------------------------------------------- */

static const double pi = 3.14159265358979323846, tenth = 3.14159265358979323846 / 8; /* of the midline: a quarter */

/* A direction by its angle from the vertex, and from the nose leftwards. */
static void point(double from_vertex, double from_nose, double out[3])
{
	out[0] = -sin(from_vertex) * sin(from_nose);
	out[1] = sin(from_vertex) * cos(from_nose);
	out[2] = cos(from_vertex);
}

/* The point of a row's arc at a share of the way from the midline to the left end, on the circle through both ends and
 * the midline.  Its plane holds the direction from left to right; `up` is in it, at right angles to that. */
static void point_of_arc(const double left[3], const double middle[3], double share, double out[3])
{
	double up[3] = {0, middle[1] - left[1], middle[2] - left[2]}, centre[3], along = 0, length = 0;
	for (int i = 1; i < 3; i++)
		length += up[i] * up[i];
	for (int i = 1; i < 3; i++)
		up[i] /= sqrt(length);
	for (int i = 1; i < 3; i++)
		along += middle[i] * up[i];
	/* From the middle downwards to where the origin is beside it. */
	centre[0] = 0;
	for (int i = 1; i < 3; i++)
		centre[i] = middle[i] - along * up[i];
	const double to_left = atan2(-left[0], (left[1] - centre[1]) * up[1] + (left[2] - centre[2]) * up[2]);
	out[0] = -along * sin(share * to_left);
	for (int i = 1; i < 3; i++)
		out[i] = centre[i] + along * cos(share * to_left) * up[i];
}

/* The direction of an electrode on the left or the midline, `number` odd or 0.  False: the system has no such one. */
static bool point_of(size_t row, int number, bool is_half, double out[3])
{
	const double from_nose = pi * rows[row].part / 100;
	const double below = rows[row].part < 10 ? 10 - rows[row].part : rows[row].part > 90 ? rows[row].part - 90 : 0;
	/* Steps of a twentieth around the head, or of an eighth of the arc. */
	const int step = number ? number + 1 - is_half : 0;
	double left[3], middle[3];
	/* Electrodes of the temple are those of the ends of a row, which others share: C5, T7. */
	const bool is_temporal = strchr(rows[row].name, 'T') != NULL;
	if (rows[row].shape == NOWHERE || number > 9 || (is_half && !number) || (is_temporal && number < 7))
		return false;
	if (rows[row].shape == AROUND) {
		const double aside = step * pi / 20;
		if (number > 1)
			return false;
		point(pi / 2 + below / 10 * tenth, from_nose < pi / 2 ? aside : pi - aside, out);
		return true;
	}
	if (step > 8) {
		point(pi / 2 + (step - 8) / 2.0 * tenth, from_nose, out);
		return true;
	}
	point(pi / 2, from_nose, left);
	point(tenth * (rows[row].part - 50) / 10, pi, middle);
	point_of_arc(left, middle, step / 8.0, out);
	return true;
}

bool clpac__electrode_direction(const char *name, double direction[3])
{
	parsed electrode, reference;
	if (strlen(name) > 4 && clpac__same_letters("EEG", name, 3) && strchr(" _-", name[3]))
		name += 4;
	if (!parse(name, &electrode))
		return false;
	for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
		if ((size_t)(electrode.behind - name) == strlen(renamed[i].old) &&
		    clpac__same_letters(renamed[i].old, name, strlen(renamed[i].old)))
			parse(renamed[i].is, &electrode);
	/* A difference between two electrodes has no place of its own. */
	const char *behind = strchr(name, '-');
	if (behind && parse(behind + 1, &reference) && rows[reference.row].shape != NOWHERE)
		return false;
	const bool is_right = electrode.number && electrode.number % 2 == 0;
	if (!point_of(electrode.row, electrode.number - is_right, electrode.is_half, direction))
		return false;
	direction[0] *= is_right ? -1 : 1;
	return true;
}
