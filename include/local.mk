# A public header is one line: those of libclpac-memory in memory/, those of the other libraries in clpac/ itself.
nodist_pkginclude_HEADERS += %D%/clpac/version.h
pkginclude_HEADERS += %D%/clpac/status.h

memoryincludedir = $(pkgincludedir)/memory
memoryinclude_HEADERS =
memoryinclude_HEADERS += %D%/clpac/memory/async.h
memoryinclude_HEADERS += %D%/clpac/memory/buffer.h
memoryinclude_HEADERS += %D%/clpac/memory/cancel.h
memoryinclude_HEADERS += %D%/clpac/memory/context.h
memoryinclude_HEADERS += %D%/clpac/memory/device.h
memoryinclude_HEADERS += %D%/clpac/memory/estimate.h
memoryinclude_HEADERS += %D%/clpac/memory/handles.h
memoryinclude_HEADERS += %D%/clpac/memory/limit.h
memoryinclude_HEADERS += %D%/clpac/memory/offsets.h
memoryinclude_HEADERS += %D%/clpac/memory/options.h
memoryinclude_HEADERS += %D%/clpac/memory/own.h
memoryinclude_HEADERS += %D%/clpac/memory/pool.h
memoryinclude_HEADERS += %D%/clpac/memory/pressure.h
memoryinclude_HEADERS += %D%/clpac/memory/queue.h
memoryinclude_HEADERS += %D%/clpac/memory/statistics.h
memoryinclude_HEADERS += %D%/clpac/memory/store.h
memoryinclude_HEADERS += %D%/clpac/memory/trace.h

pkginclude_HEADERS += %D%/clpac/bands.h
pkginclude_HEADERS += %D%/clpac/estimate.h
pkginclude_HEADERS += %D%/clpac/cautions.h
pkginclude_HEADERS += %D%/clpac/compare.h
pkginclude_HEADERS += %D%/clpac/erpac.h
pkginclude_HEADERS += %D%/clpac/group.h
pkginclude_HEADERS += %D%/clpac/measure.h
pkginclude_HEADERS += %D%/clpac/null.h
pkginclude_HEADERS += %D%/clpac/plan.h
pkginclude_HEADERS += %D%/clpac/problem.h
pkginclude_HEADERS += %D%/clpac/result.h
pkginclude_HEADERS += %D%/clpac/signal.h
if HAVE_OPENCL
memoryinclude_HEADERS += %D%/clpac/memory/opencl.h
pkginclude_HEADERS += %D%/clpac/opencl.h
endif
if BUILD_PROGRAM
pkginclude_HEADERS += %D%/clpac/analysis.h
pkginclude_HEADERS += %D%/clpac/devices.h
pkginclude_HEADERS += %D%/clpac/plot.h
pkginclude_HEADERS += %D%/clpac/read.h
pkginclude_HEADERS += %D%/clpac/recording.h
pkginclude_HEADERS += %D%/clpac/recording_store.h
pkginclude_HEADERS += %D%/clpac/write.h
endif
