/* Whether transfers and computation go on at once, as a timeline.
 *
 *     bench/overlap [--device SELECTION] [--trace FILE.json]
 *
 * Chunks of 8 MiB go to the device, and a kernel works on each of them: first through one queue, each write waited for;
 * then through two, with clpac_buffer_write_later and two buffers in turns, so that a chunk is written while the one
 * before is worked on.  Prints of the shortest of 21 runs of both the time from the first command to the last, how long
 * writes and kernels ran, by the device's clock, and how much of that at once; then a line each for writes and kernels,
 * which has a # where one was running.  --trace writes the second run as events of Chrome's trace format.  Pieces of
 * the ring of pinned memory are writes of their own: where the device has memory of its own, or tests/card/card.so
 * plays one.
 */
#include "config.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clpac/memory/buffer.h>
#include <clpac/memory/context.h>
#include <clpac/memory/opencl.h>
#include <clpac/memory/pool.h>
#include <clpac/memory/queue.h>

/* Not clpac's own header of OpenCL, whose names are those of a table. */
#include "memory/opencl/cl.h"

enum { CHUNK = 8 << 20, N_CHUNKS = 8, N_VALUES = CHUNK / 4, MOST_COMMANDS = 1024, WIDTH = 96 };

static const char source[] = "__kernel void work(__global float *x, const uint rounds)\n"
			     "{\n"
			     "	float value = x[get_global_id(0)];\n"
			     "	for (uint i = 0; i < rounds; i++)\n"
			     "		value = value * 0.999f + 0.5f;\n"
			     "	x[get_global_id(0)] = value;\n"
			     "}\n";

enum kind { WRITE, KERNEL };

typedef struct command {
	enum kind kind;
	cl_event event;
	double from_s, to_s;
} command;

static command commands[MOST_COMMANDS];
static size_t n_commands;

static void end(const char *why)
{
	fprintf(stderr, "bench/overlap: %s\n", why);
	exit(EXIT_FAILURE);
}

static void must(clpac_status st, const clpac_error *err)
{
	if (st != CLPAC_OK)
		end(err->text);
}

static void must_cl(cl_int code, const char *what)
{
	if (code != CL_SUCCESS)
		end(what);
}

static void keep(enum kind kind, cl_event event)
{
	if (n_commands == MOST_COMMANDS)
		end("there are more commands than were thought of");
	commands[n_commands++] = (command){.kind = kind, .event = event};
}

/* Takes the place of the loader's, for clpac too. */
cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool is_waited_for, size_t offset,
					size_t bytes, const void *from, cl_uint n, const cl_event *waits,
					cl_event *event)
{
	static __typeof__(&clEnqueueWriteBuffer) real;
	cl_event own;
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clEnqueueWriteBuffer");
	const cl_int code = real(queue, memory, is_waited_for, offset, bytes, from, n, waits, &own);
	if (code != CL_SUCCESS)
		return code;
	keep(WRITE, own);
	if (event) {
		clRetainEvent(own);
		*event = own;
	}
	return code;
}

typedef struct bench {
	clpac_pool *pool;
	clpac_queue *transfers;
	cl_command_queue compute;
	cl_kernel kernel;
	float *chunks; /* N_CHUNKS of them */
} bench;

/* Works on a buffer in the queue of computations, after what used the buffer before. */
static void work(const bench *b, clpac_buffer *buffer)
{
	clpac_error err;
	void *memory;
	cl_event event;
	must(clpac_buffer_use_begin(buffer, NULL, &memory, &err), &err);
	must_cl(clSetKernelArg(b->kernel, 0, sizeof memory, &memory), "clSetKernelArg");
	must_cl(clEnqueueNDRangeKernel(b->compute, b->kernel, 1, NULL, (size_t[]){N_VALUES}, NULL, 0, NULL, &event),
		"clEnqueueNDRangeKernel");
	keep(KERNEL, event);
	must_cl(clFlush(b->compute), "clFlush");
	must(clpac_buffer_use_end(buffer, NULL, &err), &err);
}

static void finish(const bench *b)
{
	clpac_error err;
	must(clpac_queue_finish(b->pool, clpac_pool_queue(b->pool), &err), &err);
	must(clpac_queue_finish(b->pool, b->transfers, &err), &err);
}

static void run(const bench *b, bool is_apart)
{
	clpac_error err;
	clpac_buffer *buffers[2];
	const clpac_request request = {.bytes = CHUNK, .tag = "chunk", .queue = is_apart ? NULL : b->transfers};
	for (int i = 0; i < 2; i++) {
		must(clpac_pool_request(b->pool, &request, &buffers[i], &err), &err);
		must(clpac_buffer_fill(buffers[i], 0, CHUNK, 0, &err), &err);
	}
	finish(b);
	for (size_t i = 0; i < N_CHUNKS; i++) {
		const float *chunk = b->chunks + i * N_VALUES;
		must(is_apart ? clpac_buffer_write(buffers[i % 2], 0, CHUNK, chunk, &err)
			      : clpac_buffer_write_later(buffers[i % 2], 0, CHUNK, chunk, NULL, &err),
		     &err);
		work(b, buffers[i % 2]);
	}
	finish(b);
	for (int i = 0; i < 2; i++)
		clpac_buffer_release(buffers[i]);
}

static double time_of(cl_event event, cl_profiling_info what)
{
	cl_ulong nanoseconds;
	must_cl(clGetEventProfilingInfo(event, what, sizeof nanoseconds, &nanoseconds, NULL),
		"clGetEventProfilingInfo: the driver tells no times");
	return 1e-9 * (double)nanoseconds;
}

/* The times of all commands, from the first one's beginning; returns the last one's end. */
static double take_times(void)
{
	double first = 0, last = 0;
	for (size_t i = 0; i < n_commands; i++) {
		commands[i].from_s = time_of(commands[i].event, CL_PROFILING_COMMAND_START);
		commands[i].to_s = time_of(commands[i].event, CL_PROFILING_COMMAND_END);
		first = i && first < commands[i].from_s ? first : commands[i].from_s;
		clReleaseEvent(commands[i].event);
	}
	for (size_t i = 0; i < n_commands; i++) {
		commands[i].from_s -= first;
		commands[i].to_s -= first;
		last = last > commands[i].to_s ? last : commands[i].to_s;
	}
	return last;
}

static bool runs(enum kind kind, double at_s)
{
	for (size_t i = 0; i < n_commands; i++)
		if (commands[i].kind == kind && commands[i].from_s <= at_s && at_s < commands[i].to_s)
			return true;
	return false;
}

static void tell(const char *name, double whole_s)
{
	enum { N_LOOKS = 20000 };
	size_t n[2] = {0}, n_both = 0;
	for (int i = 0; i < N_LOOKS; i++) {
		const double at_s = whole_s * (i + 0.5) / N_LOOKS;
		const bool writes = runs(WRITE, at_s), works = runs(KERNEL, at_s);
		n[WRITE] += writes;
		n[KERNEL] += works;
		n_both += writes && works;
	}
	const double each_ms = 1e3 * whole_s / N_LOOKS;
	printf("%s: %.1f ms; writes %.1f ms, kernels %.1f ms, both at once %.1f ms\n", name, 1e3 * whole_s,
	       each_ms * (double)n[WRITE], each_ms * (double)n[KERNEL], each_ms * (double)n_both);
	for (enum kind kind = WRITE; kind <= KERNEL; kind++) {
		char row[WIDTH + 1] = "";
		for (int i = 0; i < WIDTH; i++)
			row[i] = runs(kind, whole_s * (i + 0.5) / WIDTH) ? '#' : '.';
		printf("  %-8s%s\n", kind == WRITE ? "writes" : "kernels", row);
	}
}

static void write_trace(const char *path)
{
	FILE *file = fopen(path, "w");
	if (!file)
		end("the trace cannot be written");
	fputs("[", file);
	for (size_t i = 0; i < n_commands; i++)
		fprintf(file,
			"%s\n{\"name\": \"%s\", \"ph\": \"X\", \"pid\": 1, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f}",
			i ? "," : "", commands[i].kind == WRITE ? "write" : "kernel", (int)commands[i].kind,
			1e6 * commands[i].from_s, 1e6 * (commands[i].to_s - commands[i].from_s));
	fputs("\n]\n", file);
	if (fclose(file) != 0)
		end("the trace cannot be written");
}

/* Runs often, and keeps the commands of the shortest time, which it returns: that which others disturbed least. */
static double run_often(const bench *b, bool is_apart)
{
	enum { N_RUNS = 21 };
	static command best[MOST_COMMANDS];
	double least_s = 0;
	size_t n_best = 0;
	for (int i = 0; i < N_RUNS; i++) {
		n_commands = 0;
		run(b, is_apart);
		const double whole_s = take_times();
		if (i && whole_s >= least_s)
			continue;
		least_s = whole_s;
		n_best = n_commands;
		memcpy(best, commands, n_best * sizeof *best);
	}
	n_commands = n_best;
	memcpy(commands, best, n_best * sizeof *best);
	return least_s;
}

/* As many rounds as make a kernel take about as long as a write. */
static cl_uint find_rounds(const bench *b)
{
	cl_uint rounds = 1;
	for (;;) {
		double of[2] = {0};
		must_cl(clSetKernelArg(b->kernel, 1, sizeof rounds, &rounds), "clSetKernelArg");
		n_commands = 0;
		run(b, true);
		take_times();
		for (size_t i = 0; i < n_commands; i++)
			of[commands[i].kind] += commands[i].to_s - commands[i].from_s;
		if (of[KERNEL] >= of[WRITE] || rounds >= 1u << 20)
			return rounds;
		rounds *= 2;
	}
}

int main(int argc, char **argv)
{
	const char *selection = "backend=opencl", *trace = NULL;
	clpac_error err;
	cl_int code;
	for (int i = 1; i < argc; i += 2)
		if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
			selection = argv[i + 1];
		else if (i + 1 < argc && strcmp(argv[i], "--trace") == 0)
			trace = argv[i + 1];
		else
			end("an option is unknown or has no value; the head of bench/overlap.c explains them");

	clpac_device_list *list;
	const clpac_device *device;
	must(clpac_devices_find(&list, &err), &err);
	must(clpac_devices_select(list, selection, 64 << 20, &device, &err), &err);
	cl_device_id id = clpac_device_opencl(device);
	if (!id)
		end("only a device of OpenCL has commands to watch");
	cl_context opencl = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
	must_cl(code, "clCreateContext");
	cl_command_queue queues[2];
	for (int i = 0; i < 2; i++) {
		queues[i] = clCreateCommandQueue(opencl, id, CL_QUEUE_PROFILING_ENABLE, &code);
		must_cl(code, "clCreateCommandQueue");
	}
	cl_program program = clCreateProgramWithSource(opencl, 1, (const char *[]){source}, NULL, &code);
	must_cl(code, "clCreateProgramWithSource");
	must_cl(clBuildProgram(program, 1, &id, "", NULL, NULL), "clBuildProgram");

	clpac_context *context;
	must(clpac_context_from_opencl(opencl, id, queues[0], NULL, &context, &err), &err);
	bench b = {.pool = clpac_context_pool(context), .compute = queues[0]};
	must(clpac_queue_from_opencl(b.pool, queues[1], &b.transfers, &err), &err);
	b.kernel = clCreateKernel(program, "work", &code);
	must_cl(code, "clCreateKernel");
	b.chunks = malloc((size_t)N_CHUNKS * CHUNK);
	if (!b.chunks)
		end("the host has no memory left");
	for (size_t i = 0; i < (size_t)N_CHUNKS * N_VALUES; i++)
		b.chunks[i] = (float)(i % 1000);

	printf("%s; %u rounds, 8 chunks of 8 MiB\n", device->name, (unsigned)find_rounds(&b));
	for (int apart = 1; apart >= 0; apart--)
		tell(apart ? "one queue" : "two queues", run_often(&b, apart));
	if (trace)
		write_trace(trace);

	free(b.chunks);
	clReleaseKernel(b.kernel);
	clReleaseProgram(program);
	clpac_queue_close(b.pool, b.transfers);
	clpac_context_close(context);
	clReleaseCommandQueue(queues[0]);
	clReleaseCommandQueue(queues[1]);
	clReleaseContext(opencl);
	clpac_devices_destroy(list);
	return EXIT_SUCCESS;
}
