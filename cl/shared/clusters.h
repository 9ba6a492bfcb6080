/* How maps are divided into clusters (surrogate_clusters.cl), in words that kernels and the host read.
 *
 * Valid as C11 and as OpenCL C.
 */
#ifndef CLPAC_SHARED_CLUSTERS_H
#define CLPAC_SHARED_CLUSTERS_H

/* Neighbours of a cell before it. */
#define CLPAC_LINK_LEFT 1u
#define CLPAC_LINK_UP 2u

/* In the word of a cell that does not hold its cluster's mass; the rest is the complement of another cell's place. */
#define CLPAC_TIED 0x80000000u

/* A limit above every standardized statistic. */
#define CLPAC_NO_CLUSTER 3e38f

#endif
