EXTRA_DIST += %D%/check.sh %D%/common.sh %D%/fuzz.sh %D%/quickstart.sh
