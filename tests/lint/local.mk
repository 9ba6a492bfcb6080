# Rules with a script: a rule that cannot be checked is skipped with its reason, never passed.
# A lint is one line: clpac_lints += %D%/topic.test
EXTRA_DIST += %D%/systems/macos/mach/mach.h %D%/systems/macos/sys/sysctl.h %D%/systems/windows/windows.h
EXTRA_DIST += %D%/lint.sh %D%/tools.sh %D%/circles.txt %D%/abi.txt %D%/checks.txt
clpac_lints += %D%/abi.test
clpac_lints += %D%/checks.test
clpac_lints += %D%/contraction.test
clpac_lints += %D%/declared.test
clpac_lints += %D%/exports.test
clpac_lints += %D%/hardening.test
clpac_lints += %D%/headers.test
clpac_lints += %D%/helpers.test
clpac_lints += %D%/kernel-portability.test
clpac_lints += %D%/kernels.test
clpac_lints += %D%/launches.test
clpac_lints += %D%/format.test
clpac_lints += %D%/links.test
clpac_lints += %D%/listed.test
clpac_lints += %D%/manners.test
clpac_lints += %D%/manual.test
clpac_lints += %D%/metainfo.test
clpac_lints += %D%/mutation.test
clpac_lints += %D%/names.test
clpac_lints += %D%/null.test
clpac_lints += %D%/opencl-header.test
clpac_lints += %D%/prose.test
clpac_lints += %D%/shell.test
clpac_lints += %D%/skips.test
clpac_lints += %D%/stages.test
clpac_lints += %D%/structure.test
clpac_lints += %D%/systems.test
clpac_lints += %D%/variables.test
clpac_lints += %D%/versions.test

# abi - records the present binary interface, for abi.test to compare with.
abi: all
	$(abs_top_srcdir)/scripts/abi.py . >abi.part && mv abi.part $(srcdir)/%D%/abi.txt
.PHONY: abi
