/* Instruction sets that this CPU can run.  A new one needs a row here, one in coupling/native/native_compute.c, and a
 * library in that folder's local.mk.
 */
#include "config.h"

#include "memory/native/isa.h"

#include <stdio.h>
#include <string.h>

static bool always(void)
{
	return true;
}

/* The built-ins ask the CPU and, by xgetbv, whether the system saves the wide registers. */
#ifdef HAVE_ISA_AVX2
static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif
#ifdef HAVE_ISA_AVX512
static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("fma");
}
#endif

static const clpac__isa all[] = {
#ifdef HAVE_ISA_AVX512
	{"avx512", has_avx512, 16},
#endif
#ifdef HAVE_ISA_AVX2
	{"avx2", has_avx2, 8},
#endif
	{"baseline", always, 4},
};

const clpac__isa *clpac__isa_get(size_t i)
{
	for (size_t row = 0; row < sizeof all / sizeof *all; row++)
		if (all[row].is_here() && i-- == 0)
			return &all[row];
	return NULL;
}

void clpac__isa_names(char *text, size_t size)
{
	size_t used = 0;
	const clpac__isa *isa;
	for (size_t i = 0; (isa = clpac__isa_get(i)) && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", isa->name);
}

clpac_status clpac__isa_find(const char *name, const clpac__isa **out, clpac_error *err)
{
	const clpac__isa *isa;
	bool is_auto = !name || !*name || strcmp(name, "auto") == 0;
	for (size_t i = 0; (isa = clpac__isa_get(i)); i++) {
		if (is_auto || strcmp(isa->name, name) == 0) {
			*out = isa;
			return CLPAC_OK;
		}
	}
	char names[64];
	clpac__isa_names(names, sizeof names);
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "instruction_set \"%s\" is not among those of this build that this CPU can run: auto %s",
			   name, names);
}
