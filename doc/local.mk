# Manual pages: dist_man_MANS += %D%/clpac.1
# Other pages and pictures: EXTRA_DIST += %D%/page.md
# Examples, two lines each, compiled with every `make check` and linked as an application would be:
#     clpac_examples += %D%/examples/name
#     %C%_examples_name_LDADD = libclpac.la libclpac-memory.la
dist_man_MANS += %D%/clpac.1 %D%/clpac.7 %D%/clpac-analysis.3 %D%/clpac-snapshot.1
EXTRA_DIST += %D%/README.md %D%/site %D%/glossary.md %D%/install.md %D%/library.md %D%/tutorial.md %D%/bids.md %D%/tensorpac.md %D%/cluster.md %D%/examples/cluster/Snakefile %D%/examples/comodulogram.m %D%/design.md %D%/maths.md %D%/decisions %D%/devices.md %D%/performance.md %D%/reliability.md %D%/measurements %D%/machines.md %D%/memory.md %D%/opencl.md %D%/pictures
EXTRA_DIST += %D%/gallery.md
EXTRA_DIST += %D%/ports.md %D%/releases.md
clpac_examples =
clpac_examples += %D%/examples/coupling %D%/examples/memory/offsets %D%/examples/memory/own %D%/examples/own_phases %D%/examples/several
%C%_examples_coupling_LDADD = libclpac.la libclpac-memory.la -lm
%C%_examples_memory_offsets_LDADD = libclpac-memory.la
%C%_examples_memory_own_LDADD = libclpac-memory.la
%C%_examples_own_phases_LDADD = libclpac.la libclpac-memory.la -lm
%C%_examples_several_LDADD = libclpac.la libclpac-memory.la
if HAVE_OPENCL
clpac_examples += %D%/examples/interop %D%/examples/memory/store
%C%_examples_interop_LDADD = libclpac.la libclpac-memory.la $(OPENCL_LIBS)
%C%_examples_memory_store_LDADD = libclpac-memory.la $(OPENCL_LIBS)
endif

# make site - README.md, the pages and the manual pages as a site in site/pages.
site:
	@bash $(srcdir)/scripts/site.sh .
.PHONY: site

# Manual pages of the functions of libclpac-memory, from the comments of its headers.
EXTRA_DIST += %D%/man3.awk
function_headers = $(memoryinclude_HEADERS) include/clpac/status.h
noinst_DATA = %D%/man3/made
%D%/man3/made: %D%/man3.awk $(function_headers)
	$(AM_V_GEN)rm -rf %D%/man3 && $(MKDIR_P) %D%/man3 && \
	headers=; for header in $(function_headers); do headers="$$headers $(srcdir)/$$header"; done; \
	$(AWK) -v version='$(PACKAGE_VERSION)' -v folder=%D%/man3 -f $(srcdir)/%D%/man3.awk $$headers && touch $@

install-function-pages: %D%/man3/made
	$(MKDIR_P) '$(DESTDIR)$(man3dir)' && $(INSTALL_DATA) %D%/man3/*.3 '$(DESTDIR)$(man3dir)'
# Pages, pictures and examples are installed in folders as here, so that their links lead somewhere.
install-pages:
	cd $(srcdir) && find doc -type f \( -name '*.md' -o -path 'doc/pictures/*' -o -path 'doc/examples/*' \) | while read -r page; do \
		$(MKDIR_P) "$(DESTDIR)$(docdir)/`dirname $$page`" && $(INSTALL_DATA) $$page "$(DESTDIR)$(docdir)/$$page" || exit; done
install-data-local: install-function-pages install-pages
uninstall-local: %D%/man3/made
	rm -rf '$(DESTDIR)$(docdir)/doc'
	for page in %D%/man3/*.3; do rm -f '$(DESTDIR)$(man3dir)/'`basename $$page`; done
.PHONY: install-function-pages install-pages install-data-local uninstall-local

doxygen:
	$(DOXYGEN) %D%/Doxyfile
.PHONY: doxygen
