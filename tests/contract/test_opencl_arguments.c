/* The table of stages against the kernels as a driver compiled them: number, names, address spaces and types of their
 * arguments.  A driver need not report these (OpenCL 1.2, section 5.7.3); tests/lint/stages.test, which reads the
 * kernels' text, needs no driver. */
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coupling/opencl/opencl_compute.h"
#include "coupling/stages/stages.h"
#include "targets.h"

const int runner_no_fork = 1;

static int telling[MAX_TARGETS], n_telling; /* targets whose drivers report arguments */

/* Compiled from the text, since drivers report nothing of a program loaded as a binary; NULL with the reason in
 * *err. */
static cl_program compile(const target *where, const char *source, clpac__queue **queue, clpac_error *err)
{
	cl_program program = NULL;
	static const char options[] = "-cl-std=CL1.2 -DVW=4 -DN_BINS=18 -DMAX_BINS=18 -cl-kernel-arg-info";
	cl_int code;
	if (where->backend->open(&where->device, &where->options, queue, err) != CLPAC_OK)
		return NULL;
	const clpac__opencl_queue *own = clpac__opencl_of(*queue);
	program = clCreateProgramWithSource(own->context, 1, &source, NULL, &code);
	if (program)
		code = clBuildProgram(program, 1, &own->device, options, NULL, NULL);
	if (code == CL_SUCCESS)
		return program;
	clpac__fail(err, CLPAC_ERROR_BUILD, "%s: code %d", where->label, code);
	if (program)
		clReleaseProgram(program);
	return NULL;
}

static void end(cl_program program, clpac__queue *queue)
{
	if (program)
		clReleaseProgram(program);
	if (queue)
		queue->operations->close(queue);
}

static bool driver_tells(const target *where)
{
	static const char source[] = "__kernel void k(__global float *first) { first[0] = 0.0f; }";
	clpac__queue *queue = NULL;
	cl_program program = compile(where, source, &queue, NULL);
	cl_kernel kernel = program ? clCreateKernel(program, "k", NULL) : NULL;
	char name[64];
	const bool tells =
		kernel && clGetKernelArgInfo(kernel, 0, CL_KERNEL_ARG_NAME, sizeof name, name, NULL) == CL_SUCCESS;
	if (kernel)
		clReleaseKernel(kernel);
	end(program, queue);
	return tells;
}

/* One argument of a kernel, in the driver's words. */
struct told {
	char name[64], type[128];
	cl_kernel_arg_address_qualifier space;
};

static bool ask(cl_kernel kernel, cl_uint i, struct told *out)
{
	return clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof out->name, out->name, NULL) == CL_SUCCESS &&
	       clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof out->type, out->type, NULL) ==
		       CL_SUCCESS &&
	       clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof out->space, &out->space, NULL) ==
		       CL_SUCCESS;
}

static bool is_of_kind(const struct told *told, enum clpac__argument_kind kind)
{
	const size_t length = strlen(told->type);
	switch (kind) {
	case CLPAC__ARGUMENT_BUFFER:
		return told->space == CL_KERNEL_ARG_ADDRESS_GLOBAL && length && told->type[length - 1] == '*';
	case CLPAC__ARGUMENT_UINT:
		return told->space == CL_KERNEL_ARG_ADDRESS_PRIVATE && strcmp(told->type, "uint") == 0;
	case CLPAC__ARGUMENT_FLOAT:
		return told->space == CL_KERNEL_ARG_ADDRESS_PRIVATE && strcmp(told->type, "float") == 0;
	}
	return false;
}

/* PoCL renames its built-in functions by macros, and with them every parameter of such a name: length is _cl_length
 * there. */
static bool is_named(const struct told *told, const char *name)
{
	static const char prefix[] = "_cl_";
	const size_t skipped = strncmp(told->name, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
	return strcmp(told->name + skipped, name) == 0;
}

/* Whether a kernel takes the arguments of a stage; if not, the reason. */
static bool agree(cl_kernel kernel, const clpac__stage_facts *stage, char *why, size_t size)
{
	cl_uint n = 0;
	clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL);
	struct told first = {0};
	if (n != stage->n_arguments + 1) {
		snprintf(why, size, "%s takes %u arguments, and the table has %zu beside the end of the items",
			 stage->name, n, stage->n_arguments);
		return false;
	}
	if (!ask(kernel, 0, &first) || !is_named(&first, "end_of_items") || strcmp(first.type, "ulong") != 0) {
		snprintf(why, size, "%s: the first argument is %s %s, not the end of the items", stage->name,
			 first.type, first.name);
		return false;
	}
	for (cl_uint i = 1; i < n; i++) {
		const clpac__argument *argument = &stage->arguments[i - 1];
		struct told told = {0};
		if (!ask(kernel, i, &told)) {
			snprintf(why, size, "%s: the driver reports nothing about argument %u", stage->name, i);
			return false;
		}
		if (!is_named(&told, argument->name) || !is_of_kind(&told, argument->kind)) {
			snprintf(why, size, "%s: argument %u is %s %s, and the table has %s of kind %d", stage->name, i,
				 told.type, told.name, argument->name, (int)argument->kind);
			return false;
		}
	}
	return true;
}

static cl_kernel kernel_of(cl_program program, const clpac__stage_facts *stage)
{
	cl_int code;
	cl_kernel kernel = clCreateKernel(program, stage->name, &code);
	ck_assert_msg(kernel, "%s: %d", stage->name, code);
	return kernel;
}

static cl_program compile_stages(int i, clpac__queue **queue)
{
	clpac_error err;
	char *source = NULL;
	ck_assert_msg(clpac__opencl_source(CLPAC__OPENCL_ALL, &source, &err) == CLPAC_OK, "%s", err.text);
	cl_program program = compile(targets_get((size_t)telling[i]), source, queue, &err);
	ck_assert_msg(program, "%s", err.text);
	free(source);
	return program;
}

TEST_EACH(each_kernel_takes_the_arguments_of_its_stage, n_telling)
{
	clpac__queue *queue = NULL;
	cl_program program = compile_stages(_i, &queue);
	cl_uint n = 0;
	ck_assert_int_eq(clCreateKernelsInProgram(program, 0, NULL, &n), CL_SUCCESS);
	ck_assert_uint_eq(n, CLPAC__STAGE_COUNT);
	for (unsigned stage = 0; stage < CLPAC__STAGE_COUNT; stage++) {
		char why[512] = "";
		cl_kernel kernel = kernel_of(program, clpac__stage_get(stage));
		ck_assert_msg(agree(kernel, clpac__stage_get(stage), why, sizeof why), "%s", why);
		clReleaseKernel(kernel);
	}
	end(program, queue);
}

TEST_EACH(a_table_that_differs_is_noticed, n_telling)
{
	char why[512];
	clpac__queue *queue = NULL;
	cl_program program = compile_stages(_i, &queue);
	clpac__stage_facts extend = *clpac__stage_get(CLPAC__STAGE_extend);
	clpac__argument changed[CLPAC__MAX_ARGUMENTS];
	cl_kernel kernel = kernel_of(program, &extend);
	const clpac__argument *right = extend.arguments;
	const size_t bytes = extend.n_arguments * sizeof *right;
	extend.arguments = changed;

	memcpy(changed, right, bytes);
	ck_assert(agree(kernel, &extend, why, sizeof why));
	changed[2] = right[3]; /* two numbers, swapped */
	changed[3] = right[2];
	ck_assert(!agree(kernel, &extend, why, sizeof why));
	memcpy(changed, right, bytes);
	changed[0] = right[1]; /* two buffers */
	changed[1] = right[0];
	ck_assert(!agree(kernel, &extend, why, sizeof why));
	for (size_t i = 0; i < extend.n_arguments; i++)
		for (int kind = CLPAC__ARGUMENT_BUFFER; kind <= CLPAC__ARGUMENT_FLOAT; kind++) {
			memcpy(changed, right, bytes);
			changed[i].kind = (enum clpac__argument_kind)kind;
			ck_assert_int_eq(agree(kernel, &extend, why, sizeof why), right[i].kind == changed[i].kind);
		}
	memcpy(changed, right, bytes);
	extend.n_arguments--;
	ck_assert(!agree(kernel, &extend, why, sizeof why));
	clReleaseKernel(kernel);
	end(program, queue);
}

const char *skip_reason(void)
{
	const size_t n = targets_find("opencl");
	if (!n)
		return "no OpenCL device that can be used (clpac devices says why)";
	for (size_t i = 0; i < n; i++)
		if (driver_tells(targets_get(i)))
			telling[n_telling++] = (int)i;
		else
			printf("# %s: the driver does not report the arguments of its kernels\n",
			       targets_get(i)->label);
	return n_telling ? NULL : "no driver here tells the arguments of its kernels (clGetKernelArgInfo)";
}
