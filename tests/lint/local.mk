# Rules with a script: a rule that cannot be checked is skipped with its reason, never passed.
EXTRA_DIST += %D%/systems/macos/mach/mach.h %D%/systems/macos/sys/sysctl.h %D%/systems/windows/windows.h
EXTRA_DIST += %D%/lint.sh %D%/layers.txt %D%/abi.txt
clpac_test_scripts += %D%/abi.test
clpac_test_scripts += %D%/declared.test
clpac_test_scripts += %D%/exports.test
clpac_test_scripts += %D%/hardening.test
clpac_test_scripts += %D%/headers.test
clpac_test_scripts += %D%/helpers.test
clpac_test_scripts += %D%/kernel-portability.test
clpac_test_scripts += %D%/kernels.test
clpac_test_scripts += %D%/launches.test
clpac_test_scripts += %D%/layers.test
clpac_test_scripts += %D%/format.test
clpac_test_scripts += %D%/links.test
clpac_test_scripts += %D%/listed.test
clpac_test_scripts += %D%/manners.test
clpac_test_scripts += %D%/manual.test
clpac_test_scripts += %D%/null.test
clpac_test_scripts += %D%/opencl-header.test
clpac_test_scripts += %D%/shell.test
clpac_test_scripts += %D%/stages.test
clpac_test_scripts += %D%/systems.test
clpac_test_scripts += %D%/variables.test

# abi - records the present binary interface, for abi.test to compare with.
abi: all
	$(abs_top_srcdir)/scripts/abi.py . >abi.part && mv abi.part $(srcdir)/%D%/abi.txt
.PHONY: abi
