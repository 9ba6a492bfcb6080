/* What a card is asked to do for each workload: launches, work-groups, markers, transfers, bytes.  The numbers stand in
 * counts.txt and are compared; `make renew-counts` writes them anew.  Nothing is computed: the layer of this folder
 * plays an H100 that is idle, since what is put into queues follows from the plan and not from the samples, as long as
 * every series' crossings fit its edge lists. */
#include "runner.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/memory/device.h>
#include <clpac/plan.h>

#include "assertions.h"
#include "bench/workload.h"
#include "card.h"
#include "coupling/opencl/opencl_compute.h"
#include "memory/context/context.h"
#include "memory/opencl/opencl.h"

const int runner_no_fork = 1;

/* An H100 of 80 GB, by what NVIDIA's driver says of it. */
enum { UNITS = 132, GROUPS_OF_UNIT = 4 };
static const char *const h100[][2] = {
	{"CLPAC_TEST_CARD_UNITS", "132"},
	{"CLPAC_TEST_CARD_MEMORY", "85520809984"},
	{"CLPAC_TEST_CARD_ALLOCATION", "21380202496"},
	{"CLPAC_TEST_CARD_CACHE", "4325376"},
	{"CLPAC_TEST_CARD_GROUP", "1024"},
	{"CLPAC_TEST_CARD_VENDOR", "0x10de"},
	{"CLPAC_TEST_CARD_IDLE", "1"},
};

/* Workloads whose launches must fill the card. */
static const char *const large[] = {"wide", "long", "fast-sampled", "recording"};

static clpac_error err;
static clpac_context *context;
static card_count_function *count;

/* --- The card --------------------------------------------------------------------------------- */

static const clpac_device *find_card(clpac_device_list *list)
{
	const clpac_device *device;
	for (size_t i = 0; (device = clpac_devices_get(list, i)); i++)
		if (strcmp(device->platform_name, "Portable Computing Language") == 0 && device->is_available)
			return device;
	return NULL;
}

static const char *open_card(void)
{
	static char layer[1024];
	clpac_device_list *list = NULL;
	const char *folder = getenv("CLPAC_TEST_BUILDDIR");
	if (!folder || !getenv("CLPAC_TEST_SRCDIR"))
		return "CLPAC_TEST_BUILDDIR and CLPAC_TEST_SRCDIR are not set: make check does";
	snprintf(layer, sizeof layer, "%s/tests/card/.libs/card.so", folder);
	for (size_t i = 0; i < COUNT(h100); i++)
		setenv(h100[i][0], h100[i][1], 1);
	setenv("OPENCL_LAYERS", layer, 1);
	if (clpac_devices_find(&list, &err) != CLPAC_OK)
		return "the devices could not be listed";
	const clpac_device *device = find_card(list);
	const bool is_card = device && device->kind == CLPAC_DEVICE_DISCRETE_GPU && device->compute_units == UNITS;
	const bool is_open =
		is_card && clpac_context_open(device, &(clpac_options){.cache = "none"}, &context, &err) == CLPAC_OK;
	clpac_devices_destroy(list);
	if (!device)
		return "PoCL is not here";
	if (!is_card)
		return "OpenCL's loader takes no layers (ocl-icd 2.3 does)";
	void *library = dlopen(layer, RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, "card_count") : NULL;
	memcpy(&count, &symbol, sizeof count); /* POSIX lets an object pointer hold a function's */
	return is_open && count ? NULL : "the card cannot be opened";
}

const char *skip_reason(void)
{
	static const char *why;
	static bool is_tried;
	if (!is_tried)
		why = open_card();
	is_tried = true;
	return why;
}

/* --- Counting one workload -------------------------------------------------------------------- */

static clpac_plan *plan_of(const workload *w, clpac_band *amplitude)
{
	clpac_plan *plan = NULL;
	clpac_band *phase = NULL;
	char text[64];
	clpac_problem problem = {.rate_hz = w->rate_hz,
				 .n_channels = w->n_series,
				 .n_samples = w->n_samples,
				 .n_surrogates = w->n_surrogates == ALL_SHIFTS ? 0 : w->n_surrogates,
				 .null = w->n_surrogates == ALL_SHIFTS ? CLPAC_NULL_ALL_SHIFTS : CLPAC_NULL_SHIFTS,
				 .seed = 1,
				 .measures = &w->measure,
				 .n_measures = 1};
	snprintf(text, sizeof text, "2:20:%zu", w->n_phase);
	OK(clpac_bands_read(text, CLPAC_PHASE, NULL, &phase, &problem.n_phase_bands, NULL, &err));
	make_amplitude_bands(w, amplitude);
	problem.phase_bands = phase;
	problem.amplitude_bands = amplitude;
	problem.n_amplitude_bands = w->n_amplitude;
	OK(clpac_plan_create(context, &problem, NULL, &plan, &err));
	clpac_bands_free(phase);
	return plan;
}

/* Programs of the kernels that the usual plans do without. */
static size_t further_programs(void)
{
	size_t n = 0;
	for (const clpac__opencl_program *made = clpac__opencl_compute_of(context->queue)->programs; made;
	     made = made->next)
		n += made->part == CLPAC__OPENCL_FURTHER;
	return n;
}

/* Runs a workload.  Those of the defaults, at any length, launch kernels of the usual part alone. */
static void count_run(const workload *w, card_counts *out)
{
	clpac_band *amplitude = malloc(w->n_amplitude * sizeof *amplitude);
	float *samples = malloc(w->n_series * w->n_samples * sizeof *samples);
	clpac_result *result = NULL;
	ck_assert(amplitude && samples);
	make_samples(w, samples);
	const size_t n_further = further_programs();
	const bool is_usual = w->measure == CLPAC_MEASURE_MI && w->n_surrogates != ALL_SHIFTS;
	clpac_plan *plan = plan_of(w, amplitude);
	count(out); /* what the plan took is not the run's */
	OK(clpac_plan_run(plan, samples, &result, &err));
	count(out);
	if (is_usual)
		ck_assert_msg(further_programs() == n_further, "%s launches a kernel of the further part", w->name);
	ck_assert_uint_eq(clpac_result_report(result)->n_cpu_fallbacks, 0);
	clpac_result_destroy(result);
	clpac_plan_destroy(plan);
	free(amplitude);
	free(samples);
}

static void print_counts(FILE *to, const workload *w, const card_counts *c)
{
	const struct {
		const char *name;
		unsigned long long count;
	} all[] = {{"launches", c->launches},
		   {"groups", c->groups},
		   {"markers", c->markers},
		   {"barriers", c->barriers},
		   {"flushes", c->flushes},
		   {"finishes", c->finishes},
		   {"waits", c->waits},
		   {"reads", c->reads},
		   {"blocking_reads", c->blocking_reads},
		   {"bytes_read", c->bytes_read},
		   {"writes", c->writes},
		   {"blocking_writes", c->blocking_writes},
		   {"bytes_written", c->bytes_written},
		   {"fills", c->fills},
		   {"copies", c->copies},
		   {"maps", c->maps}};
	fprintf(to, "%s", w->name);
	for (size_t i = 0; i < COUNT(all); i++)
		fprintf(to, " %s=%llu", all[i].name, all[i].count);
	fputc('\n', to);
	for (size_t i = 0; i < c->n_kernels; i++)
		fprintf(to, "%s %s launches=%llu groups=%llu least=%llu\n", w->name, c->kernels[i].name,
			c->kernels[i].n_launches, c->kernels[i].n_groups, c->kernels[i].least_groups);
}

/* --- The files -------------------------------------------------------------------------------- */

static FILE *open_beside(const char *name)
{
	char path[1024];
	snprintf(path, sizeof path, "%s/tests/card/%s", getenv("CLPAC_TEST_SRCDIR"), name);
	FILE *file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s cannot be opened", path);
	return file;
}

/* Whether a line is a workload's; it ends behind the first word. */
static bool is_of(const char *line, const workload *w)
{
	const size_t length = strlen(w->name);
	return strncmp(line, w->name, length) == 0 && line[length] == ' ';
}

/* The lines of counts.txt that are a workload's. */
static void read_recorded(const workload *w, char *text, size_t size)
{
	char line[1024];
	FILE *file = open_beside("counts.txt");
	*text = 0;
	while (fgets(line, sizeof line, file))
		if (is_of(line, w) && strlen(text) + strlen(line) < size)
			strcat(text, line);
	fclose(file);
}

/* A launch that leaves units idle, and may: the workload, or * for all of them, the kernel, and why. */
typedef struct exception {
	char workload[64], kernel[CARD_NAME_SIZE], why[256];
	bool is_met;
} exception;

enum { MOST_EXCEPTIONS = 64 };

static bool is_about(const exception *e, const char *workload, const char *kernel)
{
	return (strcmp(e->workload, "*") == 0 || strcmp(e->workload, workload) == 0) && strcmp(e->kernel, kernel) == 0;
}

static size_t read_exceptions(exception *out)
{
	char line[1024];
	size_t n = 0;
	FILE *file = open_beside("starved.txt");
	while (fgets(line, sizeof line, file)) {
		if (*line == '#' || *line == '\n')
			continue;
		ck_assert_uint_lt(n, MOST_EXCEPTIONS);
		out[n] = (exception){0};
		ck_assert_msg(sscanf(line, "%63s %63s %255[^\n]", out[n].workload, out[n].kernel, out[n].why) == 3,
			      "starved.txt: a workload, a kernel and the reason are wanted: %s", line);
		n++;
	}
	fclose(file);
	return n;
}

/* --- The tests -------------------------------------------------------------------------------- */

/* Of the workloads that have been counted; a process counts each once. */
static card_counts *counts_of(size_t i)
{
	static card_counts counted[32];
	static bool is_counted[COUNT(counted)];
	ck_assert_uint_lt(i, COUNT(counted));
	if (!is_counted[i])
		count_run(get_workload(i), &counted[i]);
	is_counted[i] = true;
	return &counted[i];
}

static int count_workloads(void)
{
	int n = 0;
	while (get_workload((size_t)n))
		n++;
	return n;
}

SECONDS(600);

TEST_EACH(commands_of_workloads_are_those_recorded, count_workloads())
{
	const workload *w = get_workload((size_t)_i);
	char now[16384], recorded[sizeof now];
	const card_counts *counts = counts_of((size_t)_i);
	const char *renewed = getenv("CLPAC_TEST_RENEWED_COUNTS");
	FILE *text = fmemopen(now, sizeof now, "w");
	ck_assert_ptr_nonnull(text);
	print_counts(text, w, counts);
	ck_assert_int_eq(fclose(text), 0);
	ck_assert_uint_eq(counts->refused, 0);
	if (renewed) {
		FILE *file = fopen(renewed, "a");
		ck_assert_msg(file && fputs(now, file) >= 0 && fclose(file) == 0, "%s cannot be written", renewed);
		return;
	}
	read_recorded(w, recorded, sizeof recorded);
	ck_assert_msg(strcmp(now, recorded) == 0,
		      "%s asks a card for other commands than counts.txt has; where that is meant, make renew-counts.\n"
		      "Now:\n%sRecorded:\n%s",
		      w->name, now, recorded);
}

/* Too few groups leave a part of a card with nothing to do, for as long as the launch takes. */
TEST(launches_of_large_workloads_fill_a_card)
{
	static exception exceptions[MOST_EXCEPTIONS];
	const size_t n = read_exceptions(exceptions);
	char starved[8192] = "";
	if (getenv("CLPAC_TEST_RENEWED_COUNTS")) /* judged by the next check */
		return;
	for (size_t i = 0; i < COUNT(large); i++)
		for (size_t w = 0; get_workload(w); w++) {
			const card_counts *c = strcmp(get_workload(w)->name, large[i]) == 0 ? counts_of(w) : NULL;
			for (size_t k = 0; c && k < c->n_kernels; k++) {
				const card_kernel *kernel = &c->kernels[k];
				bool is_listed = kernel->least_groups >= UNITS * GROUPS_OF_UNIT;
				for (size_t e = 0; e < n && !is_listed; e++)
					if (is_about(&exceptions[e], large[i], kernel->name))
						is_listed = exceptions[e].is_met = true;
				const size_t used = strlen(starved);
				if (!is_listed)
					snprintf(starved + used, sizeof starved - used, "%s %s: %llu groups\n",
						 large[i], kernel->name, kernel->least_groups);
			}
		}
	ck_assert_msg(!*starved, "launches of fewer than %d groups, and not in starved.txt:\n%s",
		      UNITS * GROUPS_OF_UNIT, starved);
	for (size_t e = 0; e < n; e++)
		ck_assert_msg(exceptions[e].is_met, "starved.txt: %s %s fills a card: drop its row",
			      exceptions[e].workload, exceptions[e].kernel);
}

/* A layer that refused nothing would let through what fails on every card. */
TEST(what_a_card_cannot_do_is_refused_and_counted)
{
	static const cl_buffer_region between = {CARD_ALIGNMENT / 2, CARD_ALIGNMENT},
				      at = {CARD_ALIGNMENT, CARD_ALIGNMENT};
	const cl_context of = clpac__opencl_of(context->queue)->context;
	static card_counts counts;
	cl_int code = CL_SUCCESS;
	count(&counts);
	const cl_mem whole = clCreateBuffer(of, CL_MEM_READ_WRITE, 4 * CARD_ALIGNMENT, NULL, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	ck_assert_ptr_null(clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &between, &code));
	ck_assert_int_eq(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
	const cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &at, &code);
	ck_assert_int_eq(code, CL_SUCCESS);
	ck_assert_ptr_null(clCreateBuffer(of, CL_MEM_READ_WRITE, (size_t)1 << 40, NULL, &code));
	ck_assert_int_eq(code, CL_INVALID_BUFFER_SIZE);
	count(&counts);
	ck_assert_uint_eq(counts.refused, 2);
	ck_assert_uint_eq(counts.parts, 2);
	ck_assert_uint_eq(counts.buffers, 2);
	clReleaseMemObject(part);
	clReleaseMemObject(whole);
}
