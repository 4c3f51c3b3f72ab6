// A map output with its index as a tracker finds it on disk, where a user's command may have been,
// served by a real shuffle server. The first byte is the number of index entries at the head of the
// input, the rest is the data. The same data, cut at 0xff, then goes through the merge as the
// pieces that a reducer has copied, and once more as one piece in blocks.
#include "tracker/tasktracker/run_file.h"

#include <string>
#include <vector>

#include "fuzz/scratch.h"
#include "fuzz/target.h"
#include "jobqueue/model/check.h"
#include "tracker/tasktracker/merge.h"
#include "tracker/tasktracker/shuffle_client.h"
#include "tracker/tasktracker/shuffle_server.h"

using namespace weir::tasktracker;

namespace {

constexpr std::int64_t kMostBytes = 1 << 20;
const weir::AttemptKey kAttempt{weir::TaskKey{weir::JobId(std::size_t{7}), weir::TaskKind::kMap, 0},
                                0};

struct Server {
  Server() : dirs{scratch.path()}, server({.dirs = dirs}) {
    WEIR_CHECK(make_directories(dirs.output(kAttempt)).ok(), "a directory");
    const auto started = server.start();
    WEIR_CHECK(started.ok(), "a port");
    port = *started;
  }
  weir::fuzz::Scratch scratch;
  WorkDirs dirs;
  ShuffleServer server;
  std::uint16_t port = 0;
};

void serve(std::string_view index, std::string_view data, std::uint32_t entries) {
  static const Server server;
  const std::string directory = server.dirs.output(kAttempt);
  WEIR_CHECK(write_whole_file(directory + "/file.idx", index).ok() &&
                 write_whole_file(directory + "/file.out", data).ok(),
             "files");
  for (std::uint32_t partition = 0; partition <= entries; ++partition) {
    (void)fetch_map_output("127.0.0.1", server.port, kAttempt, partition, kMostBytes);
  }
}

void merge(std::string_view data) {
  CursorMerge pieces;
  while (!data.empty()) {
    const std::size_t end = std::min(data.find('\xff'), data.size());
    pieces.add(LineCursor(data.substr(0, end)));
    data.remove_prefix(std::min(end + 1, data.size()));
  }
  pieces.start();
  while (const Line* line = pieces.next()) {
    WEIR_CHECK(line->length > 0 && line->key_length < line->length, "a line and its key");
  }
}

// The data as one piece in blocks, as a reducer has copied it to a file.
void merge_blocks(std::string_view data) {
  static const weir::fuzz::Scratch scratch;
  const std::string path = scratch.write("copied", data);
  const auto fd = open_file(path, O_RDONLY);
  WEIR_CHECK(fd.ok(), "a file");
  std::vector<char> buffer;
  BlockReader blocks;
  LineCursor cursor({fd->get(), &path, 0, static_cast<std::int64_t>(data.size()), true}, &buffer,
                    &blocks);
  for (int lines = 0; lines < 100'000 && cursor.advance(); ++lines) continue;
}

}  // namespace

void weir::fuzz::run(std::string_view input) {
  const std::size_t entries = take_choice(input, 5);
  const std::string_view index = input.substr(0, entries * kIndexEntryBytes);
  const std::string_view data = input.substr(index.size());
  serve(index, data, static_cast<std::uint32_t>(entries));
  merge(data);
  merge_blocks(data);
}
