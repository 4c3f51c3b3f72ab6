#include "cli/paths.h"

#include "cli/exit_code.h"
#include "tracker/splits/splits.h"

namespace weir::cli {

std::string absolute_path(const std::string& path) {
  return require(weir::absolute_path(path));
}

}  // namespace weir::cli
