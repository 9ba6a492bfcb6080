/* Ctrl-C while the library works in Python's main thread: the wish to end is set at once, by a signal handler, and
 * Python hears of the signal as ever. */
#ifndef CLPAC_PYTHON_INTERRUPT_H
#define CLPAC_PYTHON_INTERRUPT_H

#include <stdbool.h>
#include <clpac/memory/cancel.h>

/* Lets SIGINT set a wish from now on, before Python's own handler.  Main thread only; calls nest.  False where SIGINT
 * is ignored, or calls nest too deep: nothing has changed then. */
bool clpac_py_interrupt_begin(clpac_cancel *cancel);
/* Ends the last such time.  Returns whether SIGINT came meanwhile. */
bool clpac_py_interrupt_end(void);

#endif
