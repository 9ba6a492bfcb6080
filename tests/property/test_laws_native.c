/* The laws of plans and of the modulation index on the native backend: every instruction set, one thread and three. */
#include "runner.h"

#include "contract/places.h"
#include "all_shifts_laws.h"
#include "epoch_laws.h"
#include "erpac_laws.h"
#include "measure_laws.h"
#include "cluster_laws.h"
#include "coarse_laws.h"
#include "coupling_laws.h"
#include "coupling_option_laws.h"
#include "pair_laws.h"
#include "plan_laws.h"
#include "signal_laws.h"
#include "shared_slot_laws.h"
#include "stretch_laws.h"
#include "variant_laws.h"
#include "window_laws.h"

const char *skip_reason(void)
{
	return places_missing("native");
}

Suite *suite(void)
{
	Suite *s = suite_create("laws on native devices");
	suite_add_tcase(s, plan_laws(places_find("native")));
	suite_add_tcase(s, window_laws(places_find("native")));
	suite_add_tcase(s, coarse_laws(places_find("native")));
	suite_add_tcase(s, coupling_laws(places_find("native")));
	suite_add_tcase(s, coupling_option_laws(places_find("native")));
	suite_add_tcase(s, all_shifts_laws(places_find("native"), 5));
	suite_add_tcase(s, all_shifts_arrangement_laws(places_find("native")));
	suite_add_tcase(s, measure_laws(places_find("native"), 5));
	suite_add_tcase(s, measure_arrangement_laws(places_find("native")));
	suite_add_tcase(s, epoch_laws(places_find("native")));
	suite_add_tcase(s, erpac_laws(places_find("native")));
	suite_add_tcase(s, stretch_laws(places_find("native"), 24));
	suite_add_tcase(s, stretch_arrangement_laws(places_find("native")));
	suite_add_tcase(s, pair_laws(places_find("native"), 16));
	suite_add_tcase(s, pair_arrangement_laws(places_find("native")));
	suite_add_tcase(s, variant_laws(places_find("native"), 18));
	suite_add_tcase(s, variant_arrangement_laws(places_find("native")));
	suite_add_tcase(s, shared_slot_laws(places_find("native")));
	suite_add_tcase(s, cluster_laws(places_find("native")));
	suite_add_tcase(s, signal_laws(places_find("native")));
	return s;
}
