/* Raw samples without a header, sample by sample over all channels: "f4:8", big-endian ">f4:8". */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "recording/read/samples.h"

static clpac_status parse(const char *text, clpac__sample_layout *layout, clpac_error *err)
{
	const char *at = text;
	char name[3] = "";
	layout->is_big_endian = *at == '>';
	layout->is_by_sample = true;
	if (*at == '<' || *at == '>')
		at++;
	size_t n = strcspn(at, ":");
	if (n == 2)
		memcpy(name, at, 2);
	layout->encoding = clpac__encoding_find(name);
	if (!layout->encoding)
		RETURN_ERROR(CLPAC_ERROR_ARGUMENT,
			     "raw samples \"%s\": the type must be one of %s, with \"<\" or \">\" before it", text,
			     clpac__encoding_names);
	at += n;
	const char *digits = *at == ':' ? at + 1 : at;
	char *end = NULL;
	errno = 0;
	unsigned long long n_channels = *digits >= '0' && *digits <= '9' ? strtoull(digits, &end, 10) : 0;
	if (n_channels == 0 || *end || errno || n_channels > SIZE_MAX / layout->encoding->bytes)
		RETURN_ERROR(
			CLPAC_ERROR_ARGUMENT,
			"raw samples \"%s\": a colon and the number of channels must follow the type, as in \"f4:8\"",
			text);
	layout->n_channels = (size_t)n_channels;
	return CLPAC_OK;
}

clpac_status clpac__read_raw(clpac__source *source, const clpac_read_options *options, clpac_recording **out,
			     clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac_recording *made = NULL;
	clpac__sample_layout layout = {0};
	TRY(parse(options->raw, &layout, err));
	uint64_t row = (uint64_t)layout.n_channels * layout.encoding->bytes;
	if (source->bytes % row)
		FAIL(CLPAC_ERROR_FORMAT,
		     "%s has %llu bytes, which is no multiple of %zu channels of %zu bytes (raw samples \"%s\"): check "
		     "type and channels",
		     source->path, (unsigned long long)source->bytes, layout.n_channels, layout.encoding->bytes,
		     options->raw);
	layout.n_samples = (size_t)(source->bytes / row);
	TRY(clpac_recording_create("raw", &made, err));
	TRY(clpac__numbered_channels_read(source, &layout, NULL, "", 0, made, err));
	*out = made, made = NULL;
done:
	clpac_recording_destroy(made);
	return st;
}
