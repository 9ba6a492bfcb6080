# Laws, and random problems against the oracle.
# One line each: clpac_tests += %D%/test_topic        clpac_test_scripts += %D%/topic.test
