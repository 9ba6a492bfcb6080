/* The passes of a transform (transform_rows.cl), in words that kernels and the host read.
 *
 * Valid as C11 and as OpenCL C.
 */
#ifndef CLPAC_SHARED_RADICES_H
#define CLPAC_SHARED_RADICES_H

/* Floats from a row's real parts to its imaginary parts: the row, and room for a vector that goes beyond it. */
#define CLPAC_PLANE(length) ((length) + 16)

/* Floats of an item's four planes, and those that places of tables count. */
#define CLPAC_PLANES(length) (4 * (size_t)CLPAC_PLANE(length))
#define CLPAC_TABLE_UNIT 16

/* Kinds of transforms: inverse, inverse of products with gains, forward. */
#define CLPAC_INVERSE 0
#define CLPAC_PRODUCTS 1
#define CLPAC_FORWARD 2

/* The radix of the next pass, with `left` values of a transform not yet summed together: 4 as often as possible, then
 * the smallest prime factor. */
static inline unsigned next_radix(unsigned left)
{
	unsigned radix = left % 4 == 0 ? 4 : left % 2 == 0 ? 2 : 3;
	while (left % radix != 0)
		radix = radix * radix > left ? left : radix + 2;
	return radix;
}

/* How often a pass has each of its factors, one after the other: as often as a run has values, if its vectors take
 * several runs. */
static inline unsigned repeated(unsigned radix, unsigned run)
{
	return radix == 4 && run <= 4 ? run : 1;
}

/* Whether a radix has sums written out; those of others take a table of roots. */
static inline bool has_own_sums(unsigned radix)
{
	return radix <= 5;
}

/* Floats of a pass in its transform's table: the factors w^(j p) by j, real parts for all p before imaginary ones; then
 * the roots of unity of a radix without sums of its own. */
static inline unsigned floats_of_pass(unsigned length, unsigned radix, unsigned run)
{
	return 2 * (radix - 1) * (length / run / radix) * repeated(radix, run) + (has_own_sums(radix) ? 0 : 2 * radix);
}

#endif
