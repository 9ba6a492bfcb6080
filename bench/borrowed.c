/* Memory that an analysis takes beside the samples that it borrows: resident memory of one run, for each way in which
 * samples may lie.  usage: borrowed [MIB OF SAMPLES] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clpac/analysis.h>

enum { N_CHANNELS = 16 };

static const struct {
	const char *name;
	clpac_value_type type;
	size_t bytes;
	int is_interleaved, is_backwards;
} ways[] = {
	{"float32, channel by channel", CLPAC_VALUE_FLOAT32, 4, 0, 0},
	{"float32, sample by sample", CLPAC_VALUE_FLOAT32, 4, 1, 0},
	{"float64, sample by sample", CLPAC_VALUE_FLOAT64, 8, 1, 0},
	{"float32, backwards", CLPAC_VALUE_FLOAT32, 4, 0, 1},
	{"int16, sample by sample", CLPAC_VALUE_INT16, 2, 1, 0},
};

/* The most resident memory so far, in MiB. */
static double most_mib(void)
{
	char line[256];
	double kib = 0;
	FILE *file = fopen("/proc/self/status", "r");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "VmHWM: %lf", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib / 1024;
}

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void measure(size_t way, size_t mib)
{
	const size_t bytes = ways[way].bytes, n = mib * 1024 * 1024 / bytes / N_CHANNELS;
	clpac_error err;
	clpac_recording *recording;
	clpac_analysis *analysis;
	clpac_result *result;
	char *memory = malloc(n * N_CHANNELS * bytes);
	if (!memory || clpac_recording_create("memory", &recording, &err))
		fail("no memory");
	srand(1);
	for (size_t i = 0; i < n * N_CHANNELS; i++) {
		const double value = rand() % 2001 - 1000;
		if (bytes == 2)
			((short *)memory)[i] = (short)value;
		else if (bytes == 4)
			((float *)memory)[i] = (float)value;
		else
			((double *)memory)[i] = value;
	}
	for (size_t c = 0; c < N_CHANNELS; c++) {
		char *first = memory + (ways[way].is_interleaved ? c : c * n) * bytes;
		ptrdiff_t step = (ptrdiff_t)(ways[way].is_interleaved ? N_CHANNELS * bytes : bytes);
		if (ways[way].is_backwards) {
			first += (ptrdiff_t)(n - 1) * step;
			step = -step;
		}
		if (clpac_recording_borrow_channel(
			    recording, "x", "uV", 1000,
			    &(clpac_borrowed){.first = first, .n = n, .type = ways[way].type, .step = step}, &err))
			fail(err.text);
	}
	const double before = most_mib();
	if (clpac_analysis_read("phase=5-7 amplitude=60-80 surrogates=10 device=native hold=64M memory=512M segment=60",
				&analysis, &err) ||
	    clpac_analysis_run(analysis, recording, NULL, &result, &err))
		fail(err.text);
	printf("%-30s %8zu %12.1f\n", ways[way].name, mib, most_mib() - before);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	const size_t mib = argc > 1 ? strtoul(argv[1], NULL, 10) : 1024;
	printf("%-30s %8s %12s\n", "samples", "MiB", "more, MiB");
	fflush(stdout);
	for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
		int status;
		const pid_t child = fork();
		if (child == 0) {
			measure(way, mib);
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status))
			return 1;
	}
	return 0;
}
