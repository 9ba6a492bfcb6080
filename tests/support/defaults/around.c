#include "runner.h"

const runner_fixture runner_around = {NULL, NULL};
