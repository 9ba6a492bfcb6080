#include "runner.h"

const int runner_no_fork = 0;
