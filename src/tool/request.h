/* The request that a result answers: a recording's content, and the options that decide the numbers.  It is recorded
 * in OUT.json, so that a later run knows what is done. */
#ifndef CLPAC_TOOL_REQUEST_H
#define CLPAC_TOOL_REQUEST_H

#include "tool/tool.h"

/* The options of reading, part and method that differ from their defaults, as "rate=512 seed=7", in the order of
 * run --help.  Those of device and output do not count.  Before those of another command than run stands its name, and
 * behind them are those that run does not have: "erpac rate=512 step=0.02".
 * @param[out] text to be freed with clpac__free. */
clpac_status tool_request_text(const tool_call *call, char **text, clpac_error *err);

/* The checksums of the tables of channels and of events beside the recording; "" where there is none.  Zero-terminated.
 */
clpac_status tool_request_sidecar(const char *input, char checksum[65], clpac_error *err);
clpac_status tool_request_events(const char *input, char checksum[65], clpac_error *err);

/* Whether OUT.npz, with OUT.json beside it, is the whole answer to this request.
 * @param input the recording; its checksum is computed where all else agrees.
 * @param[out] why where it is not, in a few words that go behind "OUT.npz "; "" where the file is missing. */
clpac_status tool_request_is_done(const tool_call *call, const char *input, const char *npz, const char *json,
				  bool *is_done, char why[400], clpac_error *err);

#endif
