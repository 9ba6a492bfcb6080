/* The facts of this computer for the native device.  Everything specific to Linux is in machine.c, to macOS in
 * machine_macos.c, to Windows in machine_windows.c; each is empty on the other systems.
 */
#ifndef CLPAC_MEMORY_NATIVE_MACHINE_H
#define CLPAC_MEMORY_NATIVE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct clpac__machine {
	char name[128], vendor[128]; /* of the CPU; "" unknown */
	unsigned cores;		     /* usable by this process, at least 1: affinity mask and CPU quota */
	unsigned clock_mhz;	     /* now; 0 unknown */
	uint64_t memory_bytes;	     /* usable by this process: physical memory or the limits of its control groups */
	uint64_t free_bytes;	     /* of that, free without swapping; 0 unknown */
	uint64_t cache_bytes;	     /* last level, as seen by one core; 0 unknown */
} clpac__machine;

/* Reads the machine's facts. root is put before /proc and /sys: "" for the computer itself, a folder of recorded files
 * in tests (the affinity mask is always this process's); not used on other systems.  Unreadable facts stay 0.
 * Cost: less than a millisecond. */
void clpac__machine_look(const char *root, clpac__machine *out);

/* free_bytes alone.  Cost: about 50 us. */
uint64_t clpac__machine_free_bytes(const char *root);

/* Of the card at a PCI address, as "0000:03:00.0", what displays and other processes leave of its memory.  False where
 * the system does not tell: other systems than Linux, other drivers than AMD's. */
bool clpac__machine_card_free_bytes(const char *root, const char *pci, uint64_t *bytes);

#endif
