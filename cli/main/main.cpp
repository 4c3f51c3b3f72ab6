#include "cli/app.h"

int main(int argc, char** argv) {
  return weir::cli::weir_main(argc, argv);
}
