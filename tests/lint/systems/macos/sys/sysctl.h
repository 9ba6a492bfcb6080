/* The part of macOS's header that machine_macos.c uses, with a machine's answers. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline int sysctlbyname(const char *name, void *old, size_t *bytes, void *new, size_t new_bytes)
{
	static const char model[] = "Apple M1";
	static const struct {
		const char *name;
		size_t bytes;
		uint64_t value;
	} numbers[] = {{"hw.pagesize", 8, 16384},
		       {"hw.activecpu", 4, 8},
		       {"hw.memsize", 8, (uint64_t)8 << 30},
		       {"hw.l2cachesize", 8, 12 << 20},
		       {NULL, 0, 0}};
	(void)new, (void)new_bytes;
	if (strcmp(name, "machdep.cpu.brand_string") == 0 && *bytes >= sizeof model) {
		*bytes = sizeof model;
		memcpy(old, model, sizeof model);
		return 0;
	}
	for (size_t i = 0; numbers[i].name; i++)
		if (strcmp(name, numbers[i].name) == 0 && *bytes >= numbers[i].bytes) {
			*bytes = numbers[i].bytes;
			memcpy(old, &numbers[i].value, *bytes);
			return 0;
		}
	return -1;
}
