// Amounts as a column holds them, and what is no such text.
#include "jobqueue/store/amounts_text.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

TEST(AmountsText, ComesBackAsItWas) {
  for (const Resources& amounts :
       {Resources{}, Resources{{0, 0, 1024, 1}}, Resources{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}}) {
    EXPECT_EQ(parse_amounts(amounts_text(amounts)), amounts);
  }
  EXPECT_EQ(amounts_text(Resources{{0, 0, 1024, 1}}), "0 0 1024 1");
}

TEST(AmountsText, OtherTextIsRefused) {
  for (const char* text : {"x", "1,2", "1  2", "-1", "1 ", "1 2 3 4 5 6 7 8 9 10 11",
                           "99999999999999999999"}) {
    EXPECT_EQ(parse_amounts(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace weir
