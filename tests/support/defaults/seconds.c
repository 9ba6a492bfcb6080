#include "runner.h"

const int runner_seconds = 0;
