/* The cost of a buffer from the pool, against the alternatives without a pool.
 *
 *     bench/pool [OPTION]...
 *
 *     --device SELECTION     as in `clpac run`; the best device by default
 *     --setting NAME         malloc's setting: default; mmap (blocks of 128 KiB or more are mapped, which is closer to
 *                            a GPU's driver); or both, one after the other, which is the default
 *     --only S1,S5           scenarios; --list names them
 *     --level L0,L2          levels
 *     --baseline raw,pow2    baselines
 *     --what '16 MiB'        parts, as named in "what"
 *     --replay FILE          a trace in place of the scenarios: the CSV file of clpac_trace_begin
 *     --quick yes            small and few: shows that it works, not how fast
 *
 * Prints one JSON line per figure:
 *
 *     "ratio"        the baseline's time / the pool's, on the same trace and in turns, A B A B: the median of at least
 *                    11 repetitions, with the least and the highest
 *     "control"      A / A, expected in 0.95 to 1.05; "tries" counts the repetitions of the whole measurement for this
 *     "level"        how much of a buffer is used: L0 nothing; L1 as much as makes a lazy driver allocate (OpenCL: the
 *                    device writes the first bytes; native: a byte of every page), which a pool does only once, when it
 *                    makes a block; L2 every byte, in every use
 *     "p50" .. "max" latency of the pool's single requests in nanoseconds
 *     "found"        the quantity that the target "wanted" is about; the ratio unless another is named
 */
#include "bench/pool_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

static const char variable[] = "GLIBC_TUNABLES", mapping[] = "glibc.malloc.mmap_threshold=131072";

static const struct {
	const char *id, *text;
	void (*run)(const bench *b);
} scenarios[] = {
	{"S1", "the same size again and again", scenario_same_size},
	{"S2", "large buffers, one at a time", scenario_large},
	{"S3", "a step of a transformer", scenario_transformer},
	{"S4", "a budget that is nearly full", scenario_pressure},
	{"S5", "sizes that vary", scenario_variable},
	{"S6", "many live buffers", scenario_scaling},
	{"S7", "fragmentation under a cap", scenario_fragmentation},
	{"S8", "several queues", scenario_queues},
	{"S9", "several threads", scenario_threads},
	{"S10", "book-keeping alone", scenario_offsets},
	{"S11", "warm-up and discovery", scenario_warm_up},
	{"S12", "tracker", scenario_tracked},
	{"S12", "store", scenario_store},
	{"S13", "a miss among many segments", scenario_segments},
	{"S14", "the loads of other applications", scenario_few},
	{"S15", "the host's memory of live buffers: by --only S15 alone", scenario_live},
};

/* Restarts the program, because malloc reads the variable only at the start. */
static void begin_anew_with_mapping(char **arguments)
{
	if (setenv(variable, mapping, 1) != 0 || execv("/proc/self/exe", arguments) != 0)
		end("setenv or execv failed: cannot restart with another setting of malloc");
}

static void run_all(const bench *b, const char *replay)
{
	if (replay) {
		scenario_replay(b, replay);
		return;
	}
	for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
		if (is_wanted(b, scenarios[i].id, NULL, N_LEVELS, NULL))
			scenarios[i].run(b);
}

int main(int argc, char **argv)
{
	clpac_error err;
	clpac_options options = {0};
	clpac_device_list *devices;
	bench b = {0};
	const char *setting = "both", *device = "", *quick = "no", *replay = NULL, *tunables = getenv(variable);
	const struct {
		const char *name, **value;
	} known[] = {{"--device", &device},
		     {"--setting", &setting},
		     {"--only", &b.only},
		     {"--level", &b.only_level},
		     {"--baseline", &b.only_baseline},
		     {"--what", &b.only_what},
		     {"--replay", &replay},
		     {"--quick", &quick}};
	enum { N_KNOWN = sizeof known / sizeof *known };

	if (argc == 2 && strcmp(argv[1], "--list") == 0) {
		for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
			printf("%-4s %s\n", scenarios[i].id, scenarios[i].text);
		return EXIT_SUCCESS;
	}
	for (int i = 1; i < argc; i += 2) {
		size_t k = 0;
		while (k < N_KNOWN && strcmp(argv[i], known[k].name) != 0)
			k++;
		if (k == N_KNOWN || i + 1 == argc)
			end("an option is unknown or has no value; the head of bench/pool.c explains them");
		*known[k].value = argv[i + 1];
	}

	const bool is_mapping = tunables && strcmp(tunables, mapping) == 0;
	if (strcmp(setting, "mmap") == 0 && !is_mapping)
		begin_anew_with_mapping(argv);
	if (tunables && !is_mapping)
		end("GLIBC_TUNABLES is set and changes malloc: unset it");
	b.setting = is_mapping ? "mmap" : "default";
	b.is_quick = strcmp(quick, "no") != 0;

	const double begin = clpac__clock_seconds();
	end_if(clpac_devices_find(&devices, &err), &err);
	b.cold_discovery_s = clpac__clock_seconds() - begin;
	clpac_devices_destroy(devices);
	snprintf(options.device, sizeof options.device, "%s", device);
	end_if(clpac_context_open(NULL, &options, &b.context, &err), &err);
	b.device = clpac_context_device(b.context);
	run_all(&b, replay);
	clpac_context_close(b.context);
	if (strcmp(setting, "both") == 0 && !is_mapping)
		begin_anew_with_mapping(argv);
	return EXIT_SUCCESS;
}
