// The program's entry: chooses the verb. Everything else is in app/cli, one file a verb.
#include <cstdio>

#include "app/cli/verb.h"

int main(int argc, char** argv) { return hloscope::cli::Main(argc, argv); }
