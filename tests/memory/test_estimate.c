/* Estimates of jobs and of transformers against closed forms and counts by hand, and the device chosen for a number of
 * bytes. */
#include "runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <clpac/memory/estimate.h>
#include <clpac/memory/pool.h>

#include "assertions.h"
#include "memory/device/list.h"

/* --- Lifetimes --- */

static clpac_peak_bytes estimate(const clpac_lifetime *lifetimes, size_t n, unsigned classes, uint64_t alignment)
{
	clpac_error err;
	clpac_peak_bytes peak;
	assert_works(clpac_estimate_lifetimes(lifetimes, n, classes, alignment, &peak, &err), err);
	return peak;
}

TEST(a_job_takes_what_is_alive_at_its_worst_moment)
{
	/* Two of 100 in turn, 50 across both. With 16 classes per octave the classes of 100 and 50 are exact. */
	static const clpac_lifetime turns[] = {{100, 0, 10}, {100, 10, 20}, {50, 5, 15}, {0, 0, 99}};
	clpac_peak_bytes peak = estimate(turns, 3, 16, 0);
	ck_assert_uint_eq(peak.live_bytes, 150);
	ck_assert_uint_eq(peak.live_at, 5);
	ck_assert_uint_eq(peak.live_buffers, 2);
	ck_assert_uint_eq(peak.taken_bytes, clpac_size_class(100, 16) + clpac_size_class(50, 16));
	ck_assert_uint_eq(peak.kept_bytes, peak.taken_bytes); /* the second 100 reuses the first one's block */
	ck_assert_uint_eq(peak.total_bytes, 250);
	/* An empty buffer takes nothing. */
	peak = estimate(turns, 4, 16, 0);
	ck_assert_uint_eq(peak.live_bytes, 150);
	ck_assert_uint_eq(peak.live_buffers, 3);
	/* Different classes cannot replace each other: a pool keeps both. */
	static const clpac_lifetime growing[] = {{1000, 0, 1}, {2000, 1, 2}, {4000, 2, 3}};
	peak = estimate(growing, 3, 1, 0);
	ck_assert_uint_eq(peak.live_bytes, 4000);
	ck_assert_uint_eq(peak.taken_bytes, 4096);
	ck_assert_uint_eq(peak.taken_at, 2);
	ck_assert_uint_eq(peak.kept_bytes, 1024 + 2048 + 4096);
	/* Alignment rounds small sizes up. */
	static const clpac_lifetime small[] = {{1, 0, 2}, {1, 0, 2}, {129, 1, 2}};
	ck_assert_uint_eq(estimate(small, 3, 8, 128).taken_bytes, 128 + 128 + 256);
	peak = estimate(NULL, 0, 0, 0);
	ck_assert(!peak.live_bytes && !peak.taken_bytes && !peak.kept_bytes && !peak.total_bytes);
}

TEST_EACH(a_random_job_takes_what_counting_finds, 50)
{
	enum { N = 60, MOMENTS = 40 };
	unsigned long long state = 7000 + (unsigned long long)_i;
	clpac_lifetime jobs[N];
	for (size_t i = 0; i < N; i++) {
		jobs[i].bytes = 1 + random_below(&state, 1 << (1 + random_below(&state, 20)));
		jobs[i].begin = random_below(&state, MOMENTS);
		jobs[i].end = jobs[i].begin + 1 + random_below(&state, MOMENTS);
	}
	static const unsigned octaves[] = {0, 1, 8, 64};
	static const uint64_t alignments[] = {0, 1, 256};
	for (size_t o = 0; o < COUNT(octaves); o++)
		for (size_t a = 0; a < COUNT(alignments); a++) {
			const uint64_t alignment = alignments[a] ? alignments[a] : 1;
			uint64_t live_most = 0, taken_most = 0, kept = 0, total = 0, taken[N];
			size_t most_of[N] = {0};
			for (size_t i = 0; i < N; i++) {
				taken[i] = clpac_size_class((size_t)jobs[i].bytes, octaves[o]);
				taken[i] = (taken[i] + alignment - 1) / alignment * alignment;
				total += jobs[i].bytes;
			}
			for (uint64_t at = 0; at < 2 * MOMENTS; at++) {
				uint64_t live = 0, now = 0;
				for (size_t i = 0; i < N; i++) {
					size_t same = 0;
					if (jobs[i].begin <= at && at < jobs[i].end) {
						live += jobs[i].bytes;
						now += taken[i];
					}
					for (size_t k = 0; k < N; k++)
						same += taken[k] == taken[i] && jobs[k].begin <= at && at < jobs[k].end;
					most_of[i] = same > most_of[i] ? same : most_of[i];
				}
				live_most = live > live_most ? live : live_most;
				taken_most = now > taken_most ? now : taken_most;
			}
			for (size_t i = 0; i < N; i++) {
				bool is_first = true;
				for (size_t k = 0; k < i; k++)
					is_first = is_first && taken[k] != taken[i];
				kept += is_first ? most_of[i] * taken[i] : 0;
			}
			const clpac_peak_bytes peak = estimate(jobs, N, octaves[o], alignments[a]);
			ck_assert_msg(peak.live_bytes == live_most && peak.taken_bytes == taken_most &&
					      peak.kept_bytes == kept && peak.total_bytes == total,
				      "seed %d, classes %u, alignment %" PRIu64 ": %" PRIu64 " %" PRIu64 " %" PRIu64
				      " %" PRIu64 " instead of %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
				      7000 + _i, octaves[o], alignment, peak.live_bytes, peak.taken_bytes,
				      peak.kept_bytes, peak.total_bytes, live_most, taken_most, kept, total);
		}
}

TEST(lifetimes_that_cannot_be_are_refused)
{
	clpac_error err;
	clpac_peak_bytes peak;
	static const clpac_lifetime empty[] = {{1, 0, 1}, {1, 5, 5}}, reversed[] = {{1, 5, 4}};
	static const clpac_lifetime huge[] = {{UINT64_MAX, 0, 1}}, sum[] = {{1ull << 63, 0, 1}, {1ull << 63, 2, 3}};
	assert_refused(clpac_estimate_lifetimes(empty, 2, 0, 0, &peak, &err), err, CLPAC_ERROR_ARGUMENT,
		       "lifetime 1 is empty");
	assert_refused(clpac_estimate_lifetimes(reversed, 1, 0, 0, &peak, &err), err, CLPAC_ERROR_ARGUMENT, "from 5");
	assert_refused(clpac_estimate_lifetimes(huge, 1, 0, 0, &peak, &err), err, CLPAC_ERROR_ARGUMENT,
		       "no size class");
	assert_refused(clpac_estimate_lifetimes(sum, 2, 0, 0, &peak, &err), err, CLPAC_ERROR_ARGUMENT, "64 bits");
	assert_refused(clpac_estimate_lifetimes(empty, 1, 3, 0, &peak, &err), err, CLPAC_ERROR_ARGUMENT,
		       "classes_per_octave is 3");
	assert_refused(clpac_estimate_lifetimes(empty, 1, 0, 3, &peak, &err), err, CLPAC_ERROR_ARGUMENT,
		       "alignment is 3");
	assert_survives_failing_allocations(clpac_estimate_lifetimes(empty, 1, 0, 0, &peak, &err), (void)0);
}

/* --- Transformers --- */

/* Models with parameter counts given by their authors or published files. */
static const struct model {
	const char *name;
	clpac_transformer shape;
	uint64_t n_parameters;
} models[] = {
	{"GPT-2 small",
	 {.n_layers = 12,
	  .d_model = 768,
	  .n_heads = 12,
	  .d_ff = 3072,
	  .vocabulary = 50257,
	  .n_positions = 1024,
	  .is_tied = true,
	  .has_norm_bias = true,
	  .has_qkv_bias = true,
	  .has_other_biases = true},
	 124439808},
	{"Llama 2 7B",
	 {.n_layers = 32, .d_model = 4096, .n_heads = 32, .d_ff = 11008, .vocabulary = 32000, .is_gated = true},
	 6738415616},
	{"Llama 3 8B",
	 {.n_layers = 32,
	  .d_model = 4096,
	  .n_heads = 32,
	  .n_kv_heads = 8,
	  .d_ff = 14336,
	  .vocabulary = 128256,
	  .is_gated = true},
	 8030261248},
	{"Qwen2 0.5B",
	 {.n_layers = 24,
	  .d_model = 896,
	  .n_heads = 14,
	  .n_kv_heads = 2,
	  .d_ff = 4864,
	  .vocabulary = 151936,
	  .is_gated = true,
	  .is_tied = true,
	  .has_qkv_bias = true},
	 494032768},
};

TEST_EACH(known_transformers_have_their_parameters, COUNT(models))
{
	clpac_error err;
	clpac_transformer_bytes bytes;
	const struct model *model = &models[_i];
	assert_works(clpac_estimate_transformer(&model->shape, &bytes, &err), err);
	ck_assert_msg(bytes.n_parameters == model->n_parameters, "%s: %" PRIu64 " instead of %" PRIu64, model->name,
		      bytes.n_parameters, model->n_parameters);
	ck_assert_uint_eq(bytes.weight_bytes, 2 * model->n_parameters);
	ck_assert_uint_eq(bytes.total_bytes, bytes.weight_bytes + bytes.cache_bytes + bytes.activation_bytes);
}

TEST(weights_cache_and_activations_have_their_closed_forms)
{
	clpac_error err;
	clpac_transformer_bytes bytes;
	/* OPT-13B: 800 KiB of cache per token (Kwon et al. 2023). */
	clpac_transformer opt = {.n_layers = 40,
				 .d_model = 5120,
				 .n_heads = 40,
				 .d_ff = 20480,
				 .vocabulary = 50272,
				 .n_positions = 2050};
	assert_works(clpac_estimate_transformer(&opt, &bytes, &err), err);
	ck_assert_uint_eq(bytes.cache_bytes, 800 << 10);

	/* Llama 2 7B in 4 bits with a 16-bit scale per 32 values: 4.5 bits each. */
	clpac_transformer t = models[1].shape;
	t.weight_bits = 4;
	t.weight_group = 32;
	assert_works(clpac_estimate_transformer(&t, &bytes, &err), err);
	ck_assert_uint_eq(bytes.weight_bytes, 6738415616 / 16 * 9);

	/* A prompt of 512 tokens, 3 at once, with a cache of 2048. */
	t = models[2].shape;
	t.batch = 3;
	t.sequence = 2048;
	t.step = 512;
	t.cache_bits = 8;
	assert_works(clpac_estimate_transformer(&t, &bytes, &err), err);
	ck_assert_uint_eq(bytes.cache_bytes, 2ull * 32 * 8 * 128 * 2048 * 3);
	const uint64_t tokens = 3 * 512, scores = tokens * 32 * 2048;
	const uint64_t attention = tokens * (2 * 4096 + 2 * 4096 + 2 * 1024);
	ck_assert_uint_eq(bytes.activation_bytes, 2 * (attention + scores));
	t.is_attention_fused =
		true; /* the feed-forward part is the largest now: 2 (4096 + 14336) > 2 (4096 + 4096 + 1024) */
	assert_works(clpac_estimate_transformer(&t, &bytes, &err), err);
	ck_assert_uint_eq(bytes.activation_bytes, 2 * tokens * (2 * 4096 + 2 * 14336));
	t.has_all_logits = true;
	assert_works(clpac_estimate_transformer(&t, &bytes, &err), err);
	ck_assert_uint_eq(bytes.activation_bytes, 2 * tokens * (4096 + 128256));

	/* Parts that grow do so in proportion. */
	clpac_transformer_bytes twice;
	t.batch *= 2;
	t.activation_bits = 32;
	assert_works(clpac_estimate_transformer(&t, &twice, &err), err);
	ck_assert_uint_eq(twice.cache_bytes, 2 * bytes.cache_bytes);
	ck_assert_uint_eq(twice.activation_bytes, 4 * bytes.activation_bytes);
	ck_assert_uint_eq(twice.weight_bytes, bytes.weight_bytes);
}

TEST(transformers_that_cannot_be_are_refused)
{
	static const struct {
		clpac_transformer shape;
		const char *text;
	} cases[] = {
		{{0}, "n_layers is 0"},
		{{.n_layers = 1}, "d_model is 0"},
		{{.n_layers = 1, .d_model = 8, .n_heads = 2, .vocabulary = 9}, "d_ff is 0"},
		{{.n_layers = 1, .d_model = 8, .n_heads = 3, .d_ff = 8, .vocabulary = 9}, "does not divide d_model, 8"},
		{{.n_layers = 1, .d_model = 8, .n_heads = 4, .n_kv_heads = 3, .d_ff = 8, .vocabulary = 9},
		 "n_kv_heads is 3"},
		{{.n_layers = 1, .d_model = 8, .n_heads = 4, .d_ff = 8, .vocabulary = 9, .step = 5, .sequence = 4},
		 "step is 5"},
		{{.n_layers = 1, .d_model = 8, .n_heads = 4, .d_ff = 8, .vocabulary = 9, .cache_bits = 65},
		 "cache_bits is 65"},
		{{.n_layers = UINT64_MAX, .d_model = 8, .n_heads = 4, .d_ff = 8, .vocabulary = 9}, "64 bits"},
		{{.n_layers = 1,
		  .d_model = 8,
		  .n_heads = 4,
		  .d_ff = 8,
		  .vocabulary = 9,
		  .batch = 1ull << 60,
		  .sequence = 16},
		 "64 bits"},
	};
	clpac_error err;
	clpac_transformer_bytes bytes;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(clpac_estimate_transformer(&cases[i].shape, &bytes, &err), err, CLPAC_ERROR_ARGUMENT,
			       cases[i].text);
}

/* --- Choice of a device --- */

static clpac_device device(clpac_device_kind kind, int index, const char *name, uint64_t memory, uint64_t free)
{
	clpac_device made = {.kind = kind,
			     .platform = kind == CLPAC_DEVICE_NATIVE ? -1 : 0,
			     .index = kind == CLPAC_DEVICE_NATIVE ? -1 : index,
			     .memory_bytes = memory,
			     .free_bytes = free,
			     .is_available = true};
	snprintf(made.name, sizeof made.name, "%s", name);
	snprintf(made.backend, sizeof made.backend, kind == CLPAC_DEVICE_NATIVE ? "native" : "opencl");
	return made;
}

TEST(the_best_device_on_which_it_fits_is_chosen)
{
	const uint64_t gib = 1ull << 30;
	const clpac_device devices[] = {
		device(CLPAC_DEVICE_DISCRETE_GPU, 0, "small GPU", 8 * gib, 0),
		device(CLPAC_DEVICE_DISCRETE_GPU, 1, "busy GPU", 24 * gib, 4 * gib),
		device(CLPAC_DEVICE_INTEGRATED_GPU, 2, "shared GPU", 16 * gib, 0),
		device(CLPAC_DEVICE_NATIVE, 0, "CPU", 64 * gib, 60 * gib),
	};
	const clpac_platform platforms[] = {{.index = -1, .backend = "native"}, {.index = 0, .backend = "opencl"}};
	clpac_error err;
	clpac_device_list *list = NULL;
	const clpac_device *found;
	assert_works(clpac_devices_make(devices, COUNT(devices), platforms, COUNT(platforms), &list, &err), err);
	/* A pool's share: 0.9 of the memory, and free memory less 512 MiB. */
	const uint64_t small = (uint64_t)(0.9 * (double)(8 * gib));
	const struct {
		uint64_t bytes;
		const char *selection, *name;
	} cases[] = {
		{0, NULL, "small GPU"},	       {small, "", "small GPU"},
		{small + 1, "", "shared GPU"}, /* the busy one has 3.5 GiB */
		{15 * gib, "best", "CPU"},     {gib, "name~busy", "busy GPU"},
		{gib, "native", "CPU"},	       {gib, "gpu,memory>20G", "busy GPU"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_works(clpac_device_for(list, cases[i].bytes, cases[i].selection, &found, &err), err);
		ck_assert_str_eq(found->name, cases[i].name);
	}
	assert_refused(clpac_device_for(list, 20 * gib, "gpu", &found, &err), err, CLPAC_ERROR_NO_DEVICE, "shared GPU");
	/* The reason against each device. */
	static const char *const reasons[] = {
		"\"small GPU\" has 8192.0 MiB of memory and 20480.0 MiB are required",
		"\"busy GPU\" has 24576.0 MiB of memory, of which 3584.0 MiB may be used, and 20480.0 MiB are required",
		"\"shared GPU\" has 16384.0 MiB of memory and 20480.0 MiB are required",
		"\"CPU\" is a native CPU",
	};
	for (size_t i = 0; i < COUNT(reasons); i++)
		ck_assert_msg(strstr(err.text, reasons[i]) != NULL, "'%s' is not in '%s'", reasons[i], err.text);
	assert_refused(clpac_device_for(list, 100 * gib, NULL, &found, &err), err, CLPAC_ERROR_NO_DEVICE,
		       "\"CPU\" has");
	assert_refused(clpac_device_for(list, gib, "memory>", &found, &err), err, CLPAC_ERROR_ARGUMENT, "memory>");
	clpac_devices_destroy(list);
}
