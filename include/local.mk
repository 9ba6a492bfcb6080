# One line per public header: pkginclude_HEADERS += %D%/clpac/file.h
nodist_pkginclude_HEADERS += %D%/clpac/version.h
pkginclude_HEADERS += %D%/clpac/async.h
pkginclude_HEADERS += %D%/clpac/context.h
pkginclude_HEADERS += %D%/clpac/device.h
pkginclude_HEADERS += %D%/clpac/estimate.h
pkginclude_HEADERS += %D%/clpac/io.h
pkginclude_HEADERS += %D%/clpac/memory.h
pkginclude_HEADERS += %D%/clpac/offsets.h
pkginclude_HEADERS += %D%/clpac/options.h
pkginclude_HEADERS += %D%/clpac/plan.h
pkginclude_HEADERS += %D%/clpac/problem.h
pkginclude_HEADERS += %D%/clpac/recording.h
pkginclude_HEADERS += %D%/clpac/result.h
pkginclude_HEADERS += %D%/clpac/signal.h
pkginclude_HEADERS += %D%/clpac/status.h
pkginclude_HEADERS += %D%/clpac/store.h
pkginclude_HEADERS += %D%/clpac/trace.h
if HAVE_OPENCL
pkginclude_HEADERS += %D%/clpac/opencl.h
endif
