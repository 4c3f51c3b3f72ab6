// The bounds of a frame, to the byte.
#include "tracker/rpc/frame.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using Kind = FrameHead::Kind;

Kind kind_of(std::uint32_t length, std::uint32_t most) {
  char header[kFrameHeaderBytes];
  write_big_endian_32(length, header);
  return inspect_frame({header, sizeof header}, most).kind;
}

TEST(Frame, MayHaveItsMostBytesAndNotOneMore) {
  EXPECT_EQ(kind_of(1000, 1000), Kind::kIncomplete);
  EXPECT_EQ(kind_of(1001, 1000), Kind::kOversize);
}

// Version, name's length, sequence number, the end of the arguments: 13 bytes.
TEST(Frame, TheShortestMessageIsOne) {
  EXPECT_EQ(kind_of(13, 1000), Kind::kIncomplete);
  EXPECT_EQ(kind_of(12, 1000), Kind::kMalformed);
}

}  // namespace
}  // namespace weir
