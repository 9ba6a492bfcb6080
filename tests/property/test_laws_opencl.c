/* The laws of plans and of the modulation index on every OpenCL device of this machine. */
#include "runner.h"

#include "contract/places.h"
#include "all_shifts_laws.h"
#include "epoch_laws.h"
#include "erpac_laws.h"
#include "fused_laws.h"
#include "life_laws.h"
#include "measure_laws.h"
#include "cluster_laws.h"
#include "coupling_laws.h"
#include "coupling_option_laws.h"
#include "pair_laws.h"
#include "plan_laws.h"
#include "signal_laws.h"
#include "shared_slot_laws.h"
#include "stretch_laws.h"
#include "variant_laws.h"
#include "step_laws.h"
#include "slab_laws.h"

const int runner_no_fork = 1;
const char *skip_reason(void)
{
	return places_missing("opencl");
}

Suite *suite(void)
{
	Suite *s = suite_create("laws on OpenCL devices");
	suite_add_tcase(s, plan_laws(places_find("opencl")));
	suite_add_tcase(s, plan_arrangement_laws(places_find("opencl")));
	suite_add_tcase(s, step_laws(places_find("opencl")));
	suite_add_tcase(s, fused_laws(places_find("opencl")));
	suite_add_tcase(s, life_laws(places_find("opencl")));
	suite_add_tcase(s, slab_laws(places_find("opencl")));
	suite_add_tcase(s, coupling_laws(places_find("opencl")));
	suite_add_tcase(s, coupling_option_laws(places_find("opencl")));
	suite_add_tcase(s, all_shifts_laws(places_find("opencl"), 2));
	suite_add_tcase(s, all_shifts_arrangement_laws(places_find("opencl")));
	suite_add_tcase(s, measure_laws(places_find("opencl"), 2));
	suite_add_tcase(s, measure_arrangement_laws(places_find("opencl")));
	suite_add_tcase(s, epoch_laws(places_find("opencl")));
	suite_add_tcase(s, epoch_arrangement_laws(places_find("opencl")));
	suite_add_tcase(s, erpac_laws(places_find("opencl")));
	suite_add_tcase(s, erpac_arrangement_laws(places_find("opencl")));
	suite_add_tcase(s, stretch_laws(places_find("opencl"), 6));
	suite_add_tcase(s, stretch_arrangement_laws(places_find("opencl")));
	suite_add_tcase(s, pair_laws(places_find("opencl"), 4));
	suite_add_tcase(s, pair_arrangement_laws(places_find("opencl")));
	suite_add_tcase(s, variant_laws(places_find("opencl"), 3));
	suite_add_tcase(s, variant_arrangement_laws(places_find("opencl")));
	suite_add_tcase(s, shared_slot_laws(places_find("opencl")));
	suite_add_tcase(s, cluster_laws(places_find("opencl")));
	suite_add_tcase(s, signal_laws(places_find("opencl")));
	return s;
}
