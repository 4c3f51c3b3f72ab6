#include <iostream>

#include "lab/app.h"

int main(int argc, char** argv) {
  return weir::cli::run_lab({argv + 1, argv + argc}, std::cout, std::cerr,
                            weir::cli::detect_terminal(), std::cin);
}
