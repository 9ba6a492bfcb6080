/* The facts of a device as a table, and which of them are known. */
#ifndef CLPAC_MEMORY_DEVICE_PROPERTIES_H
#define CLPAC_MEMORY_DEVICE_PROPERTIES_H

#include <stdint.h>
#include <clpac/memory/device.h>

/* A property's bit in clpac_device.known. */
#define CLPAC__KNOWS(property) ((uint64_t)1 << (property))

/* Marks every fact that is not 0, empty or false as known. */
void clpac__device_mark_known(clpac_device *device);
/* Sets a number or an answer and marks it as known; a value too large for the member becomes its largest value. */
void clpac__device_set_number(clpac_device *device, clpac_device_property property, uint64_t value);

#endif
