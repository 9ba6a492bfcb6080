/* The index from deviations: with q_j = (1 + d_j)/N and sum d_j = 0,
 *
 *     MI = 1 + sum q_j ln q_j / ln N = 1/(N ln N) * sum h(d_j),   h(d) = (1 + d) ln(1 + d) - d >= 0
 *
 * (Tort et al. 2010, J Neurophysiol 104:1195, rewritten).  The usual form loses an index below 1e-5 completely in
 * single precision; here every term is small if the index is small.  h is a polynomial for |d| <= 0.25 and a longer
 * one for |d| <= 0.5 (relative errors below 3e-8 and 6e-8 before rounding, weighted least-squares fits of h(d)/d^2),
 * and uses the logarithm beyond.
 *
 * Works on the vectors of the kernels' vocabulary; valid as C11 and as OpenCL C.
 */
#ifndef CLPAC_SHARED_ENTROPY_H
#define CLPAC_SHARED_ENTROPY_H

/* h(d) for |d| <= 0.25, the case of most distributions in most recordings. */
static inline fv entropy_close(fv d)
{
	fv p = d * 1.93678718e-2f - 2.54131779e-2f;
	p = p * d + 3.32712978e-2f;
	p = p * d - 4.9948968e-2f;
	p = p * d + 8.33341479e-2f;
	p = p * d - 1.66667074e-1f;
	p = p * d + 0.5f;
	return p * (d * d);
}

/* Which form computes a value depends on that value alone.  A vector evaluates the longest form that any of its lanes
 * needs, which must not change the other lanes. */

/* h(d) for |d| <= 0.5. */
static inline fv entropy_near(fv d)
{
	fv p = d * -1.5692903e-2f + 1.7760295e-2f;
	p = p * d - 1.1984095e-2f;
	p = p * d + 1.62403211e-2f;
	p = p * d - 2.40378957e-2f;
	p = p * d + 3.34857404e-2f;
	p = p * d - 4.99889776e-2f;
	p = p * d + 8.33284035e-2f;
	p = p * d - 1.666668206e-1f;
	p = p * d + 0.5f;
	iv is_close = (d <= SPLAT(0.25f)) & (d >= SPLAT(-0.25f));
	return SELECT(is_close, entropy_close(d), p * (d * d));
}

/* ln x for normal x > 0: x = 2^e m, m in [sqrt(1/2), sqrt(2)). */
static inline fv log_normal(fv x)
{
	iv bits = AS_IV(x) - 0x3f3504f3;
	iv e = bits >> 23;
	fv f = AS_FV((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
	fv p = f * -7.77803361e-2f + 1.277733147e-1f;
	p = p * f - 1.311403811e-1f;
	p = p * f + 1.419614553e-1f;
	p = p * f - 1.662709266e-1f;
	p = p * f + 2.000163645e-1f;
	p = p * f - 2.500077784e-1f;
	p = p * f + 3.333332539e-1f;
	p = p * f - 0.5f;
	return TO_FLOAT(e) * 0.69314718056f + (p * f * f + f);
}

/* h(d) for any d >= -1; 0 ln 0 is 0. */
static inline fv entropy_far(fv d)
{
	fv x = d + 1.0f;
	iv is_positive = x > SPLAT(1.0e-30f);
	fv h = x * log_normal(SELECT(is_positive, x, SPLAT(1.0f))) - d;
	iv is_near = (d <= SPLAT(0.5f)) & (d >= SPLAT(-0.5f));
	return SELECT(is_near, entropy_near(d), h);
}

#endif
