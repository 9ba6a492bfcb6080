EXTRA_DIST += %D%/abi.py %D%/declarations.py %D%/check.sh %D%/check-device.sh %D%/check-devices.sh %D%/device-page.sh %D%/oclgrind-verdict.sh %D%/common.sh %D%/fuzz.sh %D%/quickstart.sh
