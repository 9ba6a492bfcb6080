/* Recordings whose samples lie in the application's memory, in whatever layout. */
#include "runner.h"
#include "assertions.h"
#include "files.h"
#include "some_analysis.h"

#include <clpac/write.h>

static clpac_error err;

FIXTURE(files_begin, files_end);

/* The samples of the recording, rounded to sixteenths so that every type holds them. */
static double sample_of(const clpac_recording *recording, size_t channel, size_t i)
{
	return round((double)((const float *)clpac_recording_channel(recording, channel)->samples)[i] * 16) / 16;
}

typedef struct layout {
	clpac_value_type type;
	bool is_interleaved, is_backwards, is_odd; /* odd: at an address that suits no number */
	double scale, offset;
} layout;

static const layout layouts[] = {
	{CLPAC_VALUE_FLOAT32, false, false, false, 0, 0},	{CLPAC_VALUE_FLOAT64, false, false, false, 1, 0},
	{CLPAC_VALUE_FLOAT32, true, false, false, 1, 0},	{CLPAC_VALUE_FLOAT64, true, false, false, 0, 0},
	{CLPAC_VALUE_FLOAT32, false, true, false, 1, 0},	{CLPAC_VALUE_FLOAT64, true, true, false, 1, 0},
	{CLPAC_VALUE_FLOAT32, true, false, true, 1, 0},		{CLPAC_VALUE_FLOAT32, true, false, false, 0.25, 3},
	{CLPAC_VALUE_INT16, false, false, false, 1.0 / 16, 0},	{CLPAC_VALUE_INT16, true, true, true, 1.0 / 16, -2},
	{CLPAC_VALUE_INT32, true, false, false, 1.0 / 1024, 5}, {CLPAC_VALUE_INT32, false, true, false, 1.0 / 16, 0},
};

static void put(const layout *as, char *to, double value)
{
	const double raw = (value - as->offset) / (as->scale == 0 ? 1 : as->scale);
	if (as->type == CLPAC_VALUE_INT16)
		memcpy(to, &(int16_t){(int16_t)raw}, 2);
	else if (as->type == CLPAC_VALUE_INT32)
		memcpy(to, &(int32_t){(int32_t)raw}, 4);
	else if (as->type == CLPAC_VALUE_FLOAT32)
		memcpy(to, &(float){(float)raw}, 4);
	else
		memcpy(to, &raw, 8);
}

static bool becomes_double(const layout *as)
{
	return as->type == CLPAC_VALUE_FLOAT64 || as->type == CLPAC_VALUE_INT32;
}

/* The values of `from` in memory as the layout says, and a recording of them there. */
static clpac_recording *lend(const layout *as, const clpac_recording *from, char *memory)
{
	static const size_t bytes[] = {2, 4, 4, 8};
	const size_t each = bytes[as->type];
	clpac_recording *made;
	assert_works(clpac_recording_create("memory", &made, &err), err);
	for (size_t c = 0; c < N_CHANNELS; c++) {
		ptrdiff_t step = (ptrdiff_t)(as->is_interleaved ? N_CHANNELS * each : each);
		char *first = memory + as->is_odd + (as->is_interleaved ? c * each : c * N_SAMPLES * each);
		if (as->is_backwards) {
			first += (N_SAMPLES - 1) * step;
			step = -step;
		}
		for (size_t i = 0; i < N_SAMPLES; i++)
			put(as, first + (ptrdiff_t)i * step, sample_of(from, c, i));
		const clpac_borrowed borrowed = {.first = first,
						 .n = N_SAMPLES,
						 .type = as->type,
						 .step = step == (ptrdiff_t)each ? 0 : step,
						 .scale = as->scale,
						 .offset = as->offset};
		assert_works(clpac_recording_borrow_channel(made, c ? "Cz" : "Pz", "uV", RATE_HZ, &borrowed, &err),
			     err);
	}
	return made;
}

/* The same values in a recording of its own. */
static clpac_recording *own(const layout *as, const clpac_recording *from)
{
	clpac_recording *made;
	const bool is_double = becomes_double(as);
	assert_works(clpac_recording_create("memory", &made, &err), err);
	for (size_t c = 0; c < N_CHANNELS; c++) {
		void *samples;
		assert_works(clpac_recording_add_channel(made, c ? "Cz" : "Pz", "uV", RATE_HZ, N_SAMPLES,
							 is_double ? CLPAC_FLOAT64 : CLPAC_FLOAT32, &samples, &err),
			     err);
		for (size_t i = 0; i < N_SAMPLES; i++)
			if (is_double)
				((double *)samples)[i] = sample_of(from, c, i);
			else
				((float *)samples)[i] = (float)sample_of(from, c, i);
	}
	return made;
}

static bool is_same(const clpac_result *a, const clpac_result *b)
{
	bool is = true;
	for (int which = 0; which < CLPAC_ARRAY_COUNT; which++) {
		size_t n, n_other;
		const float *left = clpac_result_array(a, (clpac_array)which, &n),
			    *right = clpac_result_array(b, (clpac_array)which, &n_other);
		is = is && !left == !right && (!left || (n == n_other && memcmp(left, right, n * sizeof *left) == 0));
	}
	return is;
}

TEST_EACH(borrowed_samples_give_the_same_bits, COUNT(layouts))
{
	static char memory[N_CHANNELS * N_SAMPLES * sizeof(double) + 1];
	const layout *as = &layouts[_i];
	clpac_recording *source = make_recording();
	/* Whole numbers hold no NaN. */
	for (size_t i = 2000; as->type <= CLPAC_VALUE_INT32 && i < 2010; i++)
		((float *)clpac_recording_channel(source, 1)->samples)[i] = 0;
	clpac_recording *lent = lend(as, source, memory), *owned = own(as, source);
	clpac_analysis *analysis = read_analysis(line);
	clpac_result *borrowed = NULL, *copied = NULL;
	const bool is_direct = as->type >= CLPAC_VALUE_FLOAT32 && !as->is_backwards && !as->is_odd && !as->offset;
	ck_assert_int_eq(clpac_recording_channel(lent, 0)->samples != NULL, is_direct);
	if (is_direct)
		ck_assert_uint_eq(clpac_recording_channel(lent, 1)->stride, as->is_interleaved ? N_CHANNELS : 1);
	for (int turn = 0; turn < 2; turn++) {
		assert_works(clpac_analysis_run(analysis, lent, NULL, &borrowed, &err), err);
		assert_works(clpac_analysis_run(analysis, owned, NULL, &copied, &err), err);
		ck_assert(is_same(borrowed, copied));
		clpac_result_destroy(borrowed);
		clpac_result_destroy(copied);
		/* One channel at a time. */
		assert_works(clpac_analysis_set(analysis, "hold", "1", &err), err);
	}
	/* Converted samples are let go, and lent ones stay where they are. */
	ck_assert_int_eq(clpac_recording_channel(lent, 0)->samples != NULL, is_direct);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(source);
	clpac_recording_destroy(lent);
	clpac_recording_destroy(owned);
}

TEST(channels_of_different_strides_go_together)
{
	static char memory[2][N_CHANNELS * N_SAMPLES * sizeof(double) + 1];
	clpac_recording *source = make_recording(), *plain = own(&layouts[1], source), *mixed;
	clpac_analysis *analysis = read_analysis(line);
	clpac_result *a = NULL, *b = NULL;
	assert_works(clpac_recording_create("memory", &mixed, &err), err);
	for (size_t c = 0; c < N_CHANNELS; c++) {
		/* The first as float64, each third value of a row; the second as float32, which is widened. */
		for (size_t i = 0; i < N_SAMPLES; i++)
			put(&layouts[c ? 0 : 1], memory[c] + (c ? 8 : 16) * i, sample_of(source, c, i));
		const clpac_borrowed borrowed = {.first = memory[c],
						 .n = N_SAMPLES,
						 .type = c ? CLPAC_VALUE_FLOAT32 : CLPAC_VALUE_FLOAT64,
						 .step = c ? 8 : 16};
		assert_works(clpac_recording_borrow_channel(mixed, c ? "Cz" : "Pz", "uV", RATE_HZ, &borrowed, &err),
			     err);
	}
	assert_works(clpac_analysis_run(analysis, mixed, NULL, &a, &err), err);
	assert_works(clpac_analysis_run(analysis, plain, NULL, &b, &err), err);
	ck_assert(is_same(a, b));
	clpac_result_destroy(a);
	clpac_result_destroy(b);
	clpac_analysis_destroy(analysis);
	clpac_recording_destroy(source);
	clpac_recording_destroy(plain);
	clpac_recording_destroy(mixed);
}

TEST(what_cannot_be_borrowed_is_refused)
{
	static float samples[4];
	static const struct {
		clpac_borrowed from;
		const char *said;
	} wrong[] = {
		{{.first = NULL, .n = 4, .type = CLPAC_VALUE_FLOAT32}, "first is NULL"},
		{{.first = samples, .n = 4, .type = CLPAC_VALUE_TYPE_COUNT}, "type 4 does not exist"},
		{{.first = samples, .n = 4, .type = CLPAC_VALUE_FLOAT32, .scale = NAN}, "must be finite"},
		{{.first = samples, .n = 4, .type = CLPAC_VALUE_FLOAT32, .offset = INFINITY}, "must be finite"},
		{{.first = samples, .n = SIZE_MAX / 2, .type = CLPAC_VALUE_FLOAT32, .step = 8}, "can be addressed"},
		{{.first = samples, .n = 3, .type = CLPAC_VALUE_FLOAT32, .step = PTRDIFF_MIN}, "can be addressed"},
	};
	clpac_recording *recording;
	assert_works(clpac_recording_create("memory", &recording, &err), err);
	for (size_t i = 0; i < COUNT(wrong); i++)
		assert_refused(clpac_recording_borrow_channel(recording, "Cz", "uV", 100, &wrong[i].from, &err), err,
			       CLPAC_ERROR_ARGUMENT, wrong[i].said);
	ck_assert_uint_eq(clpac_recording_n_channels(recording), 0);
	clpac_recording_destroy(recording);
	/* A recording of a file. */
	assert_works(clpac_npy_write(files_path("x.npy"), samples, 1, 4, true, &err), err);
	clpac_analysis *analysis = read_analysis("rate=100");
	assert_works(clpac_analysis_open(analysis, files_path("x.npy"), &recording, &err), err);
	assert_refused(clpac_recording_borrow_channel(
			       recording, "Cz", "uV", 100,
			       &(clpac_borrowed){.first = samples, .n = 4, .type = CLPAC_VALUE_FLOAT32}, &err),
		       err, CLPAC_ERROR_ARGUMENT, "was read from a file");
	clpac_recording_destroy(recording);
	clpac_analysis_destroy(analysis);
}
