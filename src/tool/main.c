/* clpac: main() alone; commands.c has the program. */
#include <signal.h>
#include "tool/commands.h"

int main(int argc, char **argv)
{
	/* A file or a pipe that takes no more is an error like any other, with its line and its exit code. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	return tool_main(argc, argv);
}
