EXTRA_DIST += %D%/check.sh %D%/common.sh %D%/quickstart.sh
