// Which input files are compressed: by the end of their names, as Hadoop tells them apart. Such a
// file has no place inside where one could begin to read, so it is one split, however large. Pure,
// any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

inline constexpr std::string_view kPackedFiles[] = {".gz", ".zst", ".bz2"};

inline bool is_packed(std::string_view path) {
  return std::any_of(std::begin(kPackedFiles), std::end(kPackedFiles),
                     [path](std::string_view end) { return path.ends_with(end); });
}

// A line that names what looks compressed in another way, and is not unpacked; empty: nothing does.
std::string packed_files_read_raw(const std::vector<std::string>& files);

}  // namespace weir
