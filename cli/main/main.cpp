#include "cli/app.h"

int main(int argc, char** argv) { return weir::weir_main(argc, argv); }
