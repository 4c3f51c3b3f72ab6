#include "bench/tasks/slot_gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::bench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SlotGaps, AnEndIsFollowedByTheStartThatTakesItsSlot) {
  // Two slots: the first end, at 10 ms, lets the third begin at 13; the second, at 20, the fourth.
  const std::vector<CommandSpan> spans = {
      {0, 10'000'000}, {0, 20'000'000}, {13'000'000, 30'000'000}, {21'000'000, 40'000'000}};
  EXPECT_THAT(slot_gaps_ms(spans, 2), ElementsAre(1, 3));
}

TEST(SlotGaps, TheOrderOfTheListDoesNotMatter) {
  const std::vector<CommandSpan> spans = {
      {21'000'000, 40'000'000}, {0, 20'000'000}, {13'000'000, 30'000'000}, {0, 10'000'000}};
  EXPECT_THAT(slot_gaps_ms(spans, 2), ElementsAre(1, 3));
}

TEST(SlotGaps, NoneWhereNobodyWaits) {
  EXPECT_THAT(slot_gaps_ms({{0, 1}, {0, 2}}, 2), IsEmpty());
  EXPECT_THAT(slot_gaps_ms({}, 2), IsEmpty());
}

TEST(SlotGaps, ASpanIsTwoNumbersInOrder) {
  const auto span = parse_span("12\n15\n");
  ASSERT_TRUE(span);
  EXPECT_EQ(span->begin_ns, 12);
  EXPECT_EQ(span->end_ns, 15);
  EXPECT_FALSE(parse_span("12\n"));
  EXPECT_FALSE(parse_span("15\n12\n"));
  EXPECT_FALSE(parse_span("sh: date: not found\n"));
}

}  // namespace
}  // namespace weir::bench
