/** @file devices.h
 *  The devices of a machine as a file, to be examined on another one.  In the library libclpac-io.
 *
 *  Every function may be called from any thread on different objects.
 *
 *  NULL where a pointer is required, and forked processes: clpac/status.h has the rules.
 */
#ifndef CLPAC_DEVICES_H
#define CLPAC_DEVICES_H

#include <clpac/memory/device.h>
#include <clpac/status.h>
#include <clpac/write.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Writes all known facts of a machine's platforms and devices as JSON, to be examined elsewhere.  doc/machines.md
 * lists the members.
 *  @param options only overwrite is used; NULL: an existing file is CLPAC_ERROR_IO with EEXIST.
 *  Errors: CLPAC_ERROR_IO (native_code is errno), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_devices_write(const clpac_device_list *list, const char *path, const clpac_write_options *options,
				 clpac_error *err);
/** The same as text.  @param[out] text to be freed with clpac_text_free.  Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_devices_json(const clpac_device_list *list, char **text, clpac_error *err);
/** Reads such a file: the list of devices of the machine that wrote it, in the same order and with the same marks, so
 *  that a selection can be tried on it.  Do not open its devices: their numbers stand for other devices here.
 *  @param[out] out to be destroyed with clpac_devices_destroy.
 *  Errors: CLPAC_ERROR_IO, CLPAC_ERROR_FORMAT with the place and the fault (another format, a newer version of this
 *  one, an implausibly large list or file, a device twice), CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac_devices_read(const char *path, clpac_device_list **out, clpac_error *err);

#ifdef __cplusplus
}
#endif
#endif
