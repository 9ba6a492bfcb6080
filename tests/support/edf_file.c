/* EDF and BDF files made by tests. */
#include "edf_file.h"

#include "assertions.h"
#include "test_thread.h"
#include <string.h>

edf_file edf_good(int is_bdf)
{
	edf_file file = {
		.is_bdf = is_bdf,
		.version = is_bdf ? "\xff"
				    "BIOSEMI"
				  : "0       ",
		.head_bytes = "1024",
		.reserved = is_bdf ? "BDF+C" : "EDF+C",
		.n_records = "3",
		.seconds = "1",
		.n_signals = "3",
		.signals =
			{
				{"Fz", "uV", "-100", "100", is_bdf ? "-8388608" : "-32768",
				 is_bdf ? "8388607" : "32767", "4", 4},
				{"Cz", "mV", "-1.5", "2.5", "-2048", "2047", "2", 2},
				{is_bdf ? "BDF Annotations" : "EDF Annotations", "", "-1", "1", "-32768", "32767", "16",
				 16},
			},
		.records = 3,
	};
	EDF_LIST(&file, 0,
		 "+0\x14\x14\0+0.5\x15"
		 "0.25\x14start\x14");
	EDF_LIST(&file, 1, "+1\x14\x14");
	EDF_LIST(&file, 2,
		 "+2\x14\x14\0+2.5\x14"
		 "end\x14");
	return file;
}

int edf_digital(size_t signal, size_t i)
{
	return (int)(signal * 1000 + i * 7) % 4096 - 2048;
}

static size_t count_signals(const edf_file *file)
{
	size_t n = 0;
	while (n < 4 && file->signals[n].label)
		n++;
	return n;
}

static void add_signal_fields(bytes *to, const edf_file *file)
{
	size_t n = count_signals(file);
	static const size_t widths[] = {16, 80, 8, 8, 8, 8, 8, 80, 8, 32};
	for (size_t f = 0; f < COUNT(widths); f++)
		for (size_t i = 0; i < n; i++) {
			const edf_signal *s = &file->signals[i];
			const char *texts[] = {s->label,	"",
					       s->unit,		s->physical_min,
					       s->physical_max, s->digital_min,
					       s->digital_max,	"",
					       s->samples,	""};
			bytes_add_field(to, texts[f], widths[f]);
		}
}

bytes edf_bytes(const edf_file *file)
{
	bytes made = {0};
	size_t n = count_signals(file), each = file->is_bdf ? 3 : 2;
	bytes_add(&made, file->version, 8);
	bytes_add_field(&made, "X X X X", 80);
	bytes_add_field(&made, "Startdate 01-JAN-2020 X X X", 80);
	bytes_add_field(&made, file->start ? file->start : "01.01.2000.00.00", 16);
	bytes_add_field(&made, file->head_bytes, 8);
	bytes_add_field(&made, file->reserved, 44);
	bytes_add_field(&made, file->n_records, 8);
	bytes_add_field(&made, file->seconds, 8);
	bytes_add_field(&made, file->n_signals, 4);
	add_signal_fields(&made, file);
	for (size_t record = 0; record < file->records; record++)
		for (size_t i = 0; i < n; i++) {
			const edf_signal *s = &file->signals[i];
			if (strstr(s->label, "Annotations")) {
				static const unsigned char nothing[64];
				size_t room = s->n * each, length = file->list_bytes[record];
				ck_assert_uint_le(length, room);
				bytes_add(&made, file->lists[record], length);
				bytes_add(&made, nothing, room - length);
				continue;
			}
			for (size_t k = 0; k < s->n; k++)
				bytes_add_number(&made, (uint64_t)edf_digital(i, record * s->n + k), each, 0);
		}
	return made;
}

const char *edf_write(const edf_file *file)
{
	bytes made = edf_bytes(file);
	const char *path = files_write(file->is_bdf ? "made.bdf" : "made.edf", made.data, made.n);
	bytes_free(&made);
	return path;
}
