#include "tracker/splits/packed_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weir {
namespace {

constexpr std::string_view kPackedOtherwise[] = {".lz4", ".snappy", ".deflate", ".lzo", ".xz",
                                                 ".Z"};

bool is_packed_otherwise(std::string_view path) {
  return std::any_of(std::begin(kPackedOtherwise), std::end(kPackedOtherwise),
                     [path](std::string_view end) { return path.ends_with(end); });
}

}  // namespace

std::string packed_files_read_raw(const std::vector<std::string>& files) {
  const auto first = std::find_if(files.begin(), files.end(), is_packed_otherwise);
  if (first == files.end()) return "";
  const auto more = std::count_if(first + 1, files.end(), is_packed_otherwise);
  return fmt::format("input {} {} compressed in a way that is not read: the mapper gets raw bytes; "
                     "{} are unpacked",
                     *first, more == 0 ? "looks" : fmt::format("and {} more look", more),
                     fmt::join(kPackedFiles, ", "));
}

}  // namespace weir
