/* The shapes of a channel's slow waves, and the share of its indices that remains without them. */
#ifndef CLPAC_COUPLING_CAUTIONS_CAUTION_SHAPES_H
#define CLPAC_COUPLING_CAUTIONS_CAUTION_SHAPES_H

#include "coupling/cautions/caution_search.h"
#include "coupling/signal/wave_shape.h"

/* The highest p_max of a cell that is looked at. */
#define CLPAC__CAUTION_SIGNIFICANT 0.05
/* A cell is marked where less of its excess remains without the shape of a slow wave.  Of coupled signals that were
 * made 98 % of the cells keep more, of sharp waves most keep less than 0.5 (decision 0123). */
#define CLPAC__CAUTION_MARKED 0.75f

/* Phase bins of every step-th coarse sample. */
typedef struct clpac__caution_bins {
	size_t step; /* 0: there are none */
	unsigned char *each;
	double counts[CLPAC_MAX_BINS];
} clpac__caution_bins;

/* A band that is locked to the events. */
typedef struct clpac__caution_lock {
	clpac_band band;
	double times; /* 0: none is */
} clpac__caution_lock;

/* A wave, and a way to take its shape off. */
typedef struct clpac__caution_way {
	int way;
	size_t wave;
} clpac__caution_way;

/* The slow waves of a channel, and the share of its indices that remains without their shapes. */
typedef struct clpac__caution_shapes {
	const double *x;       /* the coarse samples, or parts of them, */
	size_t n;	       /* so many */
	double *parts;	       /* owned: room for parts */
	unsigned char *wanted; /* cells that are significant in a map whose amplitudes are the channel's: (p, a) */
	float *strengths;      /* of wanted cells, the least excess of a map by its null's mean; 0: unknown */
	float *remaining;      /* (p, a); NaN where it is not wanted */
	double *of_bands;      /* frequency of the wave in each phase band; 0 where none is wanted */
	double *waves;	       /* each frequency once, ascending */
	size_t n_waves;
	clpac__wave_harmonics *harmonics; /* of each wave, in the samples that were looked at first; NULL before that */
	clpac__wave_turns *turns;	  /* of each phase band; none where none is wanted */
	clpac__caution_bins *bins;	  /* of each phase band */
	double *z, *power;		  /* (2, n_coarse), n_coarse: analytic signal of a band */
	double *amplitudes;		  /* n_coarse */
	double *whole;			  /* index of each phase band with all of the amplitude */
	clpac__wave_shape *shape;
	clpac__caution_way best, best_here;   /* which left least, in the band before and in this one, */
	double least;			      /* and how much of all cells */
	bool is_named;			      /* the channel, by a source that makes no waves */
	bool is_second;			      /* look at a band: no way is passed over */
	size_t *needs;			      /* samples, of each amplitude band; 0: it is not measured, */
	size_t *seen;			      /* and those in which it was */
	double *left[CLPAC__SHAPE_WAYS];      /* what each left of the cells that were open: (way, wave) */
	clpac__caution_lock phase, amplitude; /* of what is locked to events, the clearest */
} clpac__caution_shapes;

void clpac__caution_shapes_clear(const clpac__caution_search *s, clpac__caution_shapes *of);

/* Whether a cell is significant, or without surrogates the highest of its map. */
bool clpac__caution_is_wanted(const clpac__caution_search *s, size_t row, size_t segment, size_t cell);

/* Notes the wanted cells of a channel; returns whether there is any. */
bool clpac__caution_find_wanted(const clpac__caution_search *s, size_t channel, size_t segment,
				clpac__caution_shapes *of);

/* Measures what remains in the wanted cells of the series that is loaded: in few samples, and where these do not tell
 * whether a wave makes the cells, in as many as they need.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac__caution_measure(clpac__caution_search *s, clpac__caution_shapes *of, clpac_error *err);

/* Measures anew, in all samples, the amplitude bands of which parts mark some cells and leave others: a wave makes all
 * cells of a band alike.  Errors: as above. */
clpac_status clpac__caution_measure_divided(clpac__caution_search *s, clpac__caution_shapes *of, clpac_error *err);

/* Makes the phase of a band in the samples that are looked at, unless it is there.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac__caution_find_turns(const clpac__caution_search *s, clpac__caution_shapes *of, size_t ph,
				       clpac_error *err);

/* Samples that the cells of an amplitude band need: as many as leave the weakest of them significant. */
size_t clpac__caution_samples_for(const clpac__caution_search *s, const clpac__caution_shapes *of, size_t am);

/* Samples of a first look at bands that need so many: fewer where that saves time. */
size_t clpac__caution_first_samples(const clpac__caution_search *s, size_t n);

/* Samples that are enough for each cell that is strong. */
size_t clpac__caution_few_samples(const clpac__caution_search *s);

/* Lays parts of the series side by side, which lie evenly in it and go over into each other, so many samples in all at
 * least; or takes all of it where that is hardly more. */
void clpac__caution_take_parts(const clpac__caution_search *s, clpac__caution_shapes *of, size_t n);

/* Warns of a wave with odd harmonics and no even ones, which nothing but corners, cut tops or points make. */
void clpac__caution_look_for_odd_harmonics(clpac__caution_search *s, size_t channel, const clpac__caution_shapes *of);

/* Warns of phases and amplitudes that keep step with events. */
void clpac__caution_warn_of_locks(clpac__caution_search *s, size_t channel, const clpac__caution_shapes *of);

/* Warns of other sources that may have made the significant cells of the series that is loaded.
 * Errors: CLPAC_ERROR_NO_MEMORY. */
clpac_status clpac__caution_look_for_disturbances(clpac__caution_search *s, size_t channel, clpac__caution_shapes *of,
						  clpac_error *err);

/* Writes what remains in the maps of a channel, marks cells of which little does, and warns of them.
 * Errors: CLPAC_ERROR_NO_MEMORY, CLPAC_ERROR_CANCELLED. */
clpac_status clpac__caution_mark(clpac__caution_search *s, size_t channel, size_t segment, clpac__caution_shapes *of,
				 clpac_error *err);

#endif
