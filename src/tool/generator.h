/* A signal with known coupling: the phase of a slow oscillation drives the amplitude of a fast one, in pink noise. */
#ifndef CLPAC_TOOL_GENERATOR_H
#define CLPAC_TOOL_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

typedef enum tool_driver {
	TOOL_DRIVER_NOISE = 0, /* narrow-band noise: its phase wanders, as in a brain */
	TOOL_DRIVER_SINE,      /* a pure line, whose coupling circular shifts cannot break */
	TOOL_DRIVER_SAWTOOTH   /* a sawtooth whose cycles differ in length, and no fast oscillation at all */
} tool_driver;

typedef struct tool_signal {
	double rate_hz;
	double phase_hz;     /* centre of the driver */
	double amplitude_hz; /* the carrier */
	double strength;     /* 0 none .. 1 the fast oscillation vanishes in the driver's trough */
	double noise;	     /* root mean square of the background; the driver's is 1 */
	tool_driver driver;
	uint64_t seed;
} tool_signal;

/* Writes one channel.  The same numbers on every machine: only +, -, *, / and sqrt of doubles enter. */
void tool_signal_write(const tool_signal *signal, uint64_t channel, float *samples, size_t n_samples);

#endif
