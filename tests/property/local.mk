# Laws, and random problems against the oracle.
# One line each: clpac_tests += %D%/test_topic        clpac_test_scripts += %D%/topic.test
clpac_tests += %D%/test_pool_failures
clpac_tests += %D%/test_pool_model
clpac_tests += %D%/test_pool_threads
