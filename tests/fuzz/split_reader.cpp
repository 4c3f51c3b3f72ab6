// A user's input file, plain or compressed: three splits of a plain one must give the file. The
// first byte says whether it is compressed, and how; the next two are where it is cut.
#include "tracker/tasktracker/split_reader.h"

#include <string>

#include "fuzz/scratch.h"
#include "fuzz/target.h"
#include "jobqueue/model/check.h"
#include "tracker/splits/packed_files.h"

using namespace weir::tasktracker;

namespace {

constexpr std::size_t kMostUnpacked = 4 << 20;  // of a small file that unpacks to a huge one

// False: it cannot be read to its end.
bool read_split(const std::string& path, std::size_t offset, std::size_t length, std::string& out) {
  auto reader =
      open_split(path, static_cast<std::int64_t>(offset), static_cast<std::int64_t>(length));
  if (!reader) return false;
  char bytes[4096];
  while (out.size() < kMostUnpacked) {
    const auto read = (*reader)->read(bytes);
    if (!read) return false;
    if (*read == 0) return true;
    out.append(bytes, *read);
  }
  return true;
}

}  // namespace

void weir::fuzz::run(std::string_view input) {
  static const Scratch scratch;
  const std::size_t format = take_choice(input, 4);
  const std::size_t a = take_choice(input, 256), b = take_choice(input, 256);
  std::string all;
  if (format > 0) {
    const std::string name = "input" + std::string(weir::kPackedFiles[format - 1]);
    (void)read_split(scratch.write(name, input), 0, input.size(), all);
    return;
  }
  const std::string path = scratch.write("input", input);
  const std::size_t first = input.size() * std::min(a, b) / 256;
  const std::size_t second = input.size() * std::max(a, b) / 256;
  WEIR_CHECK(read_split(path, 0, first, all) && read_split(path, first, second - first, all) &&
                 read_split(path, second, input.size() - second, all),
             "a plain file can be read");
  WEIR_CHECK(all == input, "splits laid side by side give the file");
}
