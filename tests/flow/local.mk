# From a file to a result: the library as a whole, and the program.
# One line each: clpac_tests += %D%/test_topic        clpac_test_scripts += %D%/topic.test
clpac_test_scripts += %D%/examples.test
clpac_test_scripts += %D%/readme.test
