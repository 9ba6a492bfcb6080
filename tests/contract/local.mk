# What every backend, engine or reader has to keep; run on each that is there, SKIP with a reason otherwise.
# One line each: clpac_tests += %D%/test_topic        clpac_test_scripts += %D%/topic.test
