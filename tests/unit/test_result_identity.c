/* The identity of a result: another for whatever differs in it. */
#include "runner.h"

#include <string.h>
#include <clpac/result.h>

#include "assertions.h"
#include "recording/result_identity.h"

static clpac_error err;

static clpac_result *make(void)
{
	clpac_result *result = NULL;
	assert_works(clpac_result_create(&(clpac_result_shape){2, 1, 2, 2, 18, 0}, 1u << CLPAC_MI, &result, &err), err);
	size_t n;
	float *values = clpac_result_array(result, CLPAC_MI, &n);
	for (size_t i = 0; i < n; i++)
		values[i] = (float)i;
	assert_works(clpac_result_set_channel_name(result, 0, "ab", &err), err);
	assert_works(clpac_result_set_channel_name(result, 1, "c", &err), err);
	return result;
}

static void names(clpac_result *result)
{
	/* The same letters, and another channel has the second. */
	assert_works(clpac_result_set_channel_name(result, 0, "a", &err), err);
	assert_works(clpac_result_set_channel_name(result, 1, "bc", &err), err);
}

static void a_value(clpac_result *result)
{
	clpac_result_array(result, CLPAC_MI, NULL)[7] = 8;
}

static void a_phase_band(clpac_result *result)
{
	clpac_result_phase_bands(result)[1].hi_hz = 9;
}

static void an_amplitude_band(clpac_result *result)
{
	clpac_result_amplitude_bands(result)[1].hi_hz = 9;
}

static void an_onset(clpac_result *result)
{
	clpac_result_segment_onsets(result)[0] = 1;
}

static void used_seconds(clpac_result *result)
{
	clpac_result_used_seconds(result)[0] = 17;
}

static void stretches(clpac_result *result)
{
	clpac_result_n_stretches(result)[0] = 9;
}

static void a_valid_cell(clpac_result *result)
{
	clpac_result_valid(result)[1] = 0;
}

static void a_measure(clpac_result *result)
{
	clpac_result_set_measure(result, CLPAC_MEASURE_GLM, NULL);
}

static void a_further_measure(clpac_result *result)
{
	clpac_result_add_measure(result, CLPAC_MEASURE_GLM, 1u << CLPAC_MI, NULL, NULL);
}

static void empty_bins(clpac_result *result)
{
	clpac_result_empty_bins(result)[3] = 1;
}

TEST(whatever_differs_gives_another)
{
	static void (*const changes[])(clpac_result *) = {
		names,	   a_value,    a_phase_band, an_amplitude_band, an_onset,	  used_seconds,
		stretches, empty_bins, a_valid_cell, a_measure,		a_further_measure};
	char identities[COUNT(changes) + 1][CLPAC__IDENTITY_SIZE], again[CLPAC__IDENTITY_SIZE];
	for (size_t i = 0; i <= COUNT(changes); i++) {
		clpac_result *result = make();
		if (i < COUNT(changes))
			changes[i](result);
		ck_assert_int_eq(clpac__result_identity(result, identities[i], NULL), CLPAC_OK);
		ck_assert_int_eq(clpac__result_identity(result, again, NULL), CLPAC_OK);
		ck_assert_str_eq(again, identities[i]);
		ck_assert_uint_eq(strspn(again, "0123456789abcdef"), CLPAC__IDENTITY_SIZE - 1);
		for (size_t j = 0; j < i; j++)
			ck_assert_msg(strcmp(identities[i], identities[j]) != 0, "changes %zu and %zu", i, j);
		clpac_result_destroy(result);
	}
}
