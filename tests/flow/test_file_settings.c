/* Settings of readers, writers and plots, which a later version may lengthen. */
#include "runner.h"

#include <clpac/devices.h>
#include <clpac/plot.h>
#include <clpac/read.h>
#include <clpac/recording.h>
#include <clpac/write.h>
#include "newer.h"

TEST(settings_of_readers_and_writers_are_checked)
{
	clpac_recording *recording = NULL;
	clpac_result *result = NULL;
	clpac_device_list *list = NULL;
	clpac_error e;
	const clpac_result_shape shape = {.n_channels = 1, .n_segments = 1, .n_phase_bands = 1, .n_amplitude_bands = 1};
	assert_works(clpac_devices_find(&list, &e), e);
	assert_works(clpac_result_create(&shape, 1u << CLPAC_MI, &result, &e), e);
	check_input(clpac_read_options, clpac_recording_read("/nowhere/at.all", given, &recording, &err), (void)0);
	check_input(clpac_write_options, clpac_result_write_npz(result, "/nowhere/at.all", given, &err), (void)0);
	check_input(clpac_write_options, clpac_result_write_json(result, "/nowhere/at.all", given, &err), (void)0);
	check_input(clpac_write_options, clpac_result_write_csv(result, "/nowhere/at.all", given, &err), (void)0);
	check_input(clpac_write_options, clpac_devices_write(list, "/nowhere/at.all", given, &err), (void)0);
	check_input(clpac_plot_options, clpac_result_plot(result, "/nowhere/at.png", given, &err), (void)0);
	clpac_devices_destroy(list);
	clpac_result_destroy(result);
}
