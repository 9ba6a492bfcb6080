/* The laws of plans and of the modulation index on native devices: each instruction set, with one thread or three. */
#include "runner.h"

#include "contract/places.h"
#include "all_shifts_laws.h"
#include "epoch_laws.h"
#include "erpac_laws.h"
#include "fused_laws.h"
#include "life_laws.h"
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
#include "sweeps.h"
#include "slab_laws.h"

const char *skip_reason(void)
{
	return places_missing("native");
}

/* Where sweeps are sampled every instruction set computes drawn problems of each kind, and one way every other law. */
Suite *suite(void)
{
	Suite *s = suite_create("laws on native devices");
	const size_t all = places_find("native"), some = places_sample("native");
	suite_add_tcase(s, plan_laws(some));
	suite_add_tcase(s, plan_arrangement_laws(some));
	suite_add_tcase(s, fused_laws(all));
	suite_add_tcase(s, life_laws(some));
	suite_add_tcase(s, slab_laws(some));
	suite_add_tcase(s, coarse_laws(all));
	suite_add_tcase(s, coupling_laws(some));
	suite_add_tcase(s, coupling_option_laws(some));
	suite_add_tcase(s, all_shifts_laws(all, (size_t)sweep_of(5, 3)));
	suite_add_tcase(s, all_shifts_arrangement_laws(some));
	suite_add_tcase(s, measure_laws(all, (size_t)sweep_of(5, 3)));
	suite_add_tcase(s, measure_arrangement_laws(some));
	suite_add_tcase(s, epoch_laws(some));
	suite_add_tcase(s, epoch_arrangement_laws(some));
	suite_add_tcase(s, erpac_laws(some));
	suite_add_tcase(s, erpac_arrangement_laws(some));
	suite_add_tcase(s, stretch_laws(all, (size_t)sweep_of(24, 6)));
	suite_add_tcase(s, stretch_arrangement_laws(some));
	suite_add_tcase(s, pair_laws(some, (size_t)sweep_of(16, 4)));
	suite_add_tcase(s, pair_arrangement_laws(some));
	suite_add_tcase(s, variant_laws(all, (size_t)sweep_of(18, 3)));
	suite_add_tcase(s, variant_arrangement_laws(some));
	suite_add_tcase(s, shared_slot_laws(some));
	suite_add_tcase(s, cluster_laws(some));
	suite_add_tcase(s, signal_laws(all));
	return s;
}
