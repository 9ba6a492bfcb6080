/* The facts of a device as a table, and which of them are known. */
#ifndef CLPAC_DEVICE_PROPERTIES_H
#define CLPAC_DEVICE_PROPERTIES_H

#include <stdint.h>
#include <clpac/memory/device.h>

/* A property's bit in clpac_device.known. */
#define CLPAC__KNOWS(property) ((uint64_t)1 << (property))

/* Marks what is not 0, not empty and not false as known. */
void clpac__device_mark_known(clpac_device *device);
/* Sets a number or an answer, which is known from then on; what the member cannot hold becomes its largest value. */
void clpac__device_set_number(clpac_device *device, clpac_device_property property, uint64_t value);

#endif
