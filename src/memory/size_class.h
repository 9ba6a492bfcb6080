/* Size classes as numbers from 0 on, for tables indexed by class.  clpac/memory.h says what a class is. */
#ifndef CLPAC_MEMORY_SIZE_CLASS_H
#define CLPAC_MEMORY_SIZE_CLASS_H

#include <stdbool.h>
#include <clpac/memory.h>

/* A power of two up to CLPAC_MAX_CLASSES_PER_OCTAVE. */
bool clpac__classes_per_octave_is_good(unsigned classes_per_octave);

/* Position of a class among all classes; class_bytes is a result of clpac_size_class with the same, nonzero
 * classes_per_octave. */
unsigned clpac__size_class_index(size_t class_bytes, unsigned classes_per_octave);

/* One more than the largest index. */
unsigned clpac__size_class_count(unsigned classes_per_octave);

#endif
