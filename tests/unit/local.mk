# One concept of one file, on the host, in milliseconds.
# One line each: clpac_tests += %D%/test_topic        clpac_test_scripts += %D%/topic.test
clpac_test_scripts += %D%/embed.test
clpac_tests += %D%/test_isa
clpac_tests += %D%/test_length
clpac_tests += %D%/test_machine
clpac_tests += %D%/test_threads
