# A kernel file is one line: cl_kernels += %D%/stage.cl
# A shared header, values only, valid as C11 and as OpenCL C, is one line: cl_kernels += %D%/shared/topic.h
#
# For OpenCL each file becomes an array of lines, clpac__cl_stage, clpac__cl_topic (src/coupling/opencl/kernel_source.c declares
# them).  The native backend includes the same files as C (src/coupling/native/local.mk).
cl_kernels =
cl_kernels += %D%/prelude.cl
cl_kernels += %D%/shared/phase_bin.h
cl_kernels += %D%/shared/entropy.h
cl_kernels += %D%/shared/each_bin.h
cl_kernels += %D%/shared/together.h
cl_kernels += %D%/shared/maps.h
cl_kernels += %D%/shared/clusters.h
cl_kernels += %D%/shared/measures.h
cl_kernels += %D%/shared/radices.h
cl_kernels += %D%/centre.cl
cl_kernels += %D%/extend.cl
cl_kernels += %D%/widen.cl
cl_kernels += %D%/transform_rows.cl
cl_kernels += %D%/response.cl
cl_kernels += %D%/select_bands.cl
cl_kernels += %D%/noise.cl
cl_kernels += %D%/hilbert.cl
cl_kernels += %D%/phase_bins.cl
cl_kernels += %D%/coarse_bins.cl
cl_kernels += %D%/settle_bins.cl
cl_kernels += %D%/phase_edges.cl
cl_kernels += %D%/phase_line.cl
cl_kernels += %D%/edge_lists.cl
cl_kernels += %D%/amplitude.cl
cl_kernels += %D%/amplitude_prefix.cl
cl_kernels += %D%/bin_sums.cl
cl_kernels += %D%/bin_tiles.cl
cl_kernels += %D%/bin_means.cl
cl_kernels += %D%/modulation_index.cl
cl_kernels += %D%/slab_sums.cl
cl_kernels += %D%/all_shifts.cl
cl_kernels += %D%/linear_measures.cl
cl_kernels += %D%/slow_amplitude.cl
cl_kernels += %D%/used_samples.cl
cl_kernels += %D%/variants.cl
cl_kernels += %D%/linear_variants.cl
cl_kernels += %D%/erpac.cl
cl_kernels += %D%/cell_spreads.cl
cl_kernels += %D%/surrogate_moments.cl
cl_kernels += %D%/surrogate_maxima.cl
cl_kernels += %D%/surrogate_statistics.cl
cl_kernels += %D%/surrogate_clusters.cl
cl_kernels += %D%/store.cl
cl_kernels += %D%/steps.cl

EXTRA_DIST += $(cl_kernels)
CLEANFILES += %D%/embedded.c
if HAVE_OPENCL
nodist_libclpac_core_la_SOURCES += %D%/embedded.c
endif

# Names are relative to the source folder, so that the output does not depend on the place of the build.
%D%/embedded.c: $(cl_kernels) build-aux/embed-cl.sh %D%/local.mk
	$(AM_V_GEN)$(MKDIR_P) %D% && \
	(cd $(srcdir) && $(SHELL) build-aux/embed-cl.sh $(cl_kernels)) > $@.tmp && \
	mv -f $@.tmp $@
