// Takes the body of a shuffle server's answer, part by part, and checks it as it comes: against the
// checksum, and where it is in blocks that each unpacks, that together they are as long as was
// said, and that the last byte ends a line. So what has been taken can be merged, whoever sent it.
// Nothing is held but one part. Blocking, for the thread of the connection.
#pragma once

#include <functional>
#include <string_view>

#include "tracker/tasktracker/block_reader.h"
#include "tracker/tasktracker/shuffle_client.h"

namespace weir::tasktracker {

class ShuffleIntake {
 public:
  // A part as it came, and the lines in it.
  using Part = std::function<Status(std::string_view stored, std::string_view lines)>;

  ShuffleIntake();
  // An Error of `part` is passed on.
  Status take(ShuffleConnection& connection, const ShuffleAnswer& answer, const Part& part);

 private:
  Status take_lines(ShuffleConnection& connection, const ShuffleAnswer& answer, const Part& part);
  Status take_blocks(ShuffleConnection& connection, const ShuffleAnswer& answer, const Part& part);
  Status check_end(const ShuffleAnswer& answer) const;

  BlockReader blocks_;
  RawBuffer buffer_;
  std::uint32_t crc_ = 0;
  char last_ = '\n';
};

}  // namespace weir::tasktracker
