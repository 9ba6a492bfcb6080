#include "recording/result_identity.h"

#include <sys/types.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/cancel.h"
#include "base/memory.h"
#include "recording/result_words.h"

/* A text with its length, so that no two lists of texts are the same bytes. */
static void add_text(SHA2_CTX *sum, const char *text)
{
	const uint64_t length = strlen(text);
	SHA256Update(sum, (const uint8_t *)&length, sizeof length);
	SHA256Update(sum, (const uint8_t *)text, (size_t)length);
}

/* In pieces of some 10 ms, between which a cancelled call ends. */
static clpac_status add(SHA2_CTX *sum, const void *data, size_t bytes, clpac_error *err)
{
	enum { AT_ONCE = 4 << 20 };
	for (size_t at = 0; at < bytes; at += AT_ONCE) {
		RETURN_IF_ERROR(clpac_cancel_check(err));
		SHA256Update(sum, (const uint8_t *)data + at, bytes - at < AT_ONCE ? bytes - at : AT_ONCE);
	}
	return CLPAC_OK;
}

static clpac_status add_arrays(SHA2_CTX *sum, const clpac_result *of_measure, bool is_first, clpac_error *err)
{
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		char name[CLPAC__ARRAY_NAME_SIZE];
		size_t n = 0;
		const float *values = clpac_result_array(of_measure, (clpac_array)which, &n);
		if (!values)
			continue;
		clpac__array_name_of(clpac_result_measure(of_measure), is_first, (clpac_array)which, name);
		add_text(sum, name);
		RETURN_IF_ERROR(add(sum, values, n * sizeof *values, err));
	}
	return CLPAC_OK;
}

clpac_status clpac__result_identity(const clpac_result *result, char identity[CLPAC__IDENTITY_SIZE], clpac_error *err)
{
	const clpac_result_shape *shape = clpac_result_get_shape(result);
	unsigned char digest[SHA256_DIGEST_LENGTH];
	clpac_measure measures[CLPAC_MEASURE_COUNT];
	SHA2_CTX sum;
	SHA256Init(&sum);
	add_text(&sum, clpac_result_problem(result));
	const uint64_t sizes[] = {shape->n_channels,	    shape->n_segments, shape->n_phase_bands,
				  shape->n_amplitude_bands, shape->n_bins,     shape->n_surrogates};
	RETURN_IF_ERROR(add(&sum, sizes, sizeof sizes, err));
	const size_t n_measures = clpac_result_measures(result, measures);
	for (size_t i = 0; i < n_measures; i++)
		RETURN_IF_ERROR(add_arrays(&sum, clpac_result_of(result, measures[i]), i == 0, err));
	RETURN_IF_ERROR(add(&sum, clpac_result_empty_bins(result),
			    shape->n_channels * shape->n_segments * shape->n_phase_bands * sizeof(uint32_t), err));
	RETURN_IF_ERROR(add(&sum, clpac_result_valid(result), shape->n_phase_bands * shape->n_amplitude_bands, err));
	RETURN_IF_ERROR(add(&sum, clpac_result_phase_bands(result), shape->n_phase_bands * sizeof(clpac_band), err));
	RETURN_IF_ERROR(
		add(&sum, clpac_result_amplitude_bands(result), shape->n_amplitude_bands * sizeof(clpac_band), err));
	RETURN_IF_ERROR(add(&sum, clpac_result_segment_onsets(result), shape->n_segments * sizeof(double), err));
	const size_t n_series = shape->n_channels * shape->n_segments;
	RETURN_IF_ERROR(add(&sum, clpac_result_used_seconds(result), n_series * sizeof(double), err));
	RETURN_IF_ERROR(add(&sum, clpac_result_n_stretches(result), n_series * sizeof(uint32_t), err));
	for (size_t ch = 0; ch < shape->n_channels; ch++)
		add_text(&sum, clpac_result_channel_name(result, ch));
	const bool has_pairs = clpac__result_has_pairs(result);
	for (size_t ch = 0; ch < shape->n_channels && has_pairs; ch++)
		for (clpac_band_use use = CLPAC_PHASE; use <= CLPAC_AMPLITUDE; use++)
			add_text(&sum, clpac_result_pair_channel(result, ch, use));
	for (size_t segment = 0; segment < shape->n_segments; segment++)
		if (clpac_result_condition(result, segment))
			add_text(&sum, clpac_result_condition(result, segment));
	SHA256Final(digest, &sum);
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(identity + 2 * i, 3, "%02x", digest[i]);
	return CLPAC_OK;
}

/* The text of a member near the start of a JSON file, as clpac writes it or as another program has laid it out anew; ""
 * where there is none. */
static void find_member(const char *json, const char *key, char *value, size_t size)
{
	const char *at = strstr(json, key);
	*value = 0;
	if (!at)
		return;
	at += strlen(key);
	at += strspn(at, " \t\r\n:");
	size_t length = *at == '"' ? strcspn(at + 1, "\"\\") : size;
	if (length < size && at[1 + length] == '"') {
		memcpy(value, at + 1, length);
		value[length] = 0;
	}
}

/* The start of a file; "" of one that cannot be read, or is no regular file, as a pipe, which might never answer. */
static void read_start(const char *path, char *text, size_t size)
{
	struct stat facts;
	size_t n = 0;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode))
		for (ssize_t some = 1; n < size - 1 && some > 0; n += some > 0 ? (size_t)some : 0)
			some = read(file, text + n, size - 1 - n);
	if (file >= 0)
		close(file);
	text[n] = 0;
}

clpac_status clpac__sidecar_identity(const char *npz_path, char identity[CLPAC__IDENTITY_SIZE], bool *is_ours,
				     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char start[4096], program[16];
	char *path = NULL;
	*identity = 0;
	*is_ours = false;
	if (!clpac__ends_with(npz_path, ".npz"))
		goto done;
	const size_t stem = strlen(npz_path) - strlen("npz");
	TRY(NEW_BYTES(path, stem + sizeof "json"));
	memcpy(path, npz_path, stem);
	memcpy(path + stem, "json", sizeof "json");
	read_start(path, start, sizeof start);
	find_member(start, "\"program\"", program, sizeof program);
	*is_ours = strcmp(program, "clpac") == 0;
	if (*is_ours)
		find_member(start, "\"identity\"", identity, CLPAC__IDENTITY_SIZE);
done:
	clpac__free(path);
	return st;
}
