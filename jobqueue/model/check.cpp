#include "jobqueue/model/check.h"

#include <cstdio>
#include <cstdlib>

namespace weir {

void check_failed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: check failed: %s (%s)\n", file, line, message, condition);
  std::abort();
}

}  // namespace weir
