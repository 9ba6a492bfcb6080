/* What a run asks of OpenCL's driver: its commands counted, and their time on the device.
 *
 * Linking launches.c into a program that exports its names (-export-dynamic) is enough: clpac and clFFT then call its
 * functions in place of the loader's.  They only pass the call on until launches_begin().
 */
#ifndef CLPAC_BENCH_LAUNCHES_H
#define CLPAC_BENCH_LAUNCHES_H

/* Queues that are made from now on tell times. */
void launches_watch(void);

/* Counts from 0. */
void launches_begin(void);

/* Stops counting, and prints two members of a JSON object:
 *
 *     "launches"   commands and calls; "bytes_written" to the device and "bytes_read" from it; "device_s", the sum of
 * all commands' times; "device_span_s", from the start of the first to the end of the last "commands"   for each kernel
 * and kind of transfer: how often, seconds in all, the least and most groups of a launch and items of a group (0: the
 * driver's choice)
 */
void launches_end(void);

#endif
