// Whose request comes next, and whose is refused.
#include "tracker/port/request_lines.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

using Lines = RequestLines<std::string>;
using Room = Lines::Room;

std::string order(Lines& lines) {
  std::string out;
  while (!lines.empty()) out += lines.pop() + " ";
  return out;
}

TEST(RequestLines, AddressesTakeTurnsAndSoDoTheirUsers) {
  Lines lines(100);
  for (int i = 0; i < 3; ++i) lines.push({"a", "eve"}, "eve" + std::to_string(i));
  lines.push({"a", "ann"}, "ann");
  for (int i = 0; i < 2; ++i) lines.push({"b", "bob"}, "bob" + std::to_string(i));
  EXPECT_EQ(lines.size(), 6u);
  EXPECT_EQ(order(lines), "eve0 bob0 ann bob1 eve1 eve2 ");
}

TEST(RequestLines, OneLineKeepsItsOrderAndMayBeUsedAgain) {
  Lines lines(100);
  for (const char* item : {"1", "2"}) lines.push({"", ""}, item);
  EXPECT_EQ(lines.pop(), "1");
  lines.push({"", ""}, "3");
  EXPECT_EQ(order(lines), "2 3 ");
  lines.push({"", ""}, "4");
  EXPECT_EQ(order(lines), "4 ");
}

// How many the asker may post.
std::size_t fill(Lines& lines, const Asker& asker, Room end) {
  std::size_t posted = 0;
  Room room = Room::kEnough;
  while ((room = lines.room(asker)) == Room::kEnough) {
    lines.push(asker, "x");
    ++posted;
  }
  EXPECT_EQ(room, end);
  return posted;
}

TEST(RequestLines, NobodyHasMoreThanHeLeavesForOthers) {
  Lines lines(16);
  EXPECT_EQ(fill(lines, {"a", "eve"}, Room::kUserFull), 4u);   // of the 8 that "a" may have
  EXPECT_EQ(fill(lines, {"a", "mallory"}, Room::kUserFull), 2u);
  EXPECT_EQ(fill(lines, {"a", "ann"}, Room::kUserFull), 1u);
  EXPECT_EQ(fill(lines, {"a", "zoe"}, Room::kAddressFull), 1u);
  EXPECT_EQ(fill(lines, {"b", "bob"}, Room::kUserFull), 2u);   // of 4
  EXPECT_EQ(fill(lines, {"", ""}, Room::kAllFull), 6u);        // the JobTracker's own
  EXPECT_EQ(lines.room({"c", "carol"}), Room::kAllFull);
  lines.pop();
  EXPECT_EQ(lines.room({"", ""}), Room::kEnough);
  EXPECT_EQ(lines.waiting("a"), 7u);
  EXPECT_EQ(lines.waiting(Asker{"a", "mallory"}), 2u);
  EXPECT_EQ(lines.waiting(Asker{"d", "dan"}), 0u);
}

TEST(RequestLines, WhatIsTakenOutLeavesTheOthersTheirTurns) {
  Lines lines(16);
  for (const char* item : {"1", "2", "3"}) lines.push({"a", "eve"}, item);
  lines.push({"a", "ann"}, "ann");
  lines.push({"b", "bob"}, "bob");
  const auto is = [](const std::string& text) {
    return [text](const std::string& item) { return item == text; };
  };
  EXPECT_EQ(lines.take({"a", "eve"}, is("2")), (std::vector<std::string>{"2"}));
  EXPECT_EQ(lines.take({"b", "bob"}, is("bob")), (std::vector<std::string>{"bob"}));
  EXPECT_EQ(lines.take({"b", "bob"}, is("bob")), (std::vector<std::string>{}));
  EXPECT_EQ(lines.take({"a", "ann"}, is("ann")), (std::vector<std::string>{"ann"}));
  EXPECT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines.waiting("a"), 2u);
  lines.push({"b", "bob"}, "again");
  EXPECT_EQ(order(lines), "1 again 3 ");
}

}  // namespace
}  // namespace weir
