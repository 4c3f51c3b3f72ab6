// The screen of `weir top` as lines: a pure function of what is known and what is looked at, for a
// size. Never more lines than the screen has, none wider than it, and nothing of a user that a
// terminal would obey. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/top_model.h"
#include "live/top_view.h"

namespace weir::live {

enum class Look : std::uint8_t {
  kPlain, kBold, kDim, kOwn, kBorrowed, kMark, kGood, kWarn, kBad, kHead, kChosen,
};

struct Piece {
  std::string text;
  Look look = Look::kPlain;
};
using ScreenLine = std::vector<Piece>;

struct ScreenSize {
  std::size_t columns = 80, rows = 24;
  bool ascii = false;  // the terminal has no other characters
};

std::vector<ScreenLine> draw(const TopModel& model, const TopView& view, ScreenSize size,
                             std::int64_t now_ms);
// A bar of so many columns for `whole` slots: used up to the guarantee, used beyond it, marks of
// what is due (the guarantee, or the fair share) and of the maximum. Beyond a share nothing is
// borrowed.
struct BarFigures {
  double running = 0, due = -1, maximum = -1, whole = 1;  // -1: there is none
  bool lent = true;  // what runs beyond what is due is others'
};
ScreenLine bar(const BarFigures& figures, std::size_t columns, bool ascii);

// A fair share as `weir queue list` writes it.
std::string share_text(std::int64_t thousandths);
// The head of what queues run, beside what the ruling policy holds them against.
const char* run_head(const std::vector<TopQueue>& queues);

const std::vector<std::string>& top_help();

// The text of a line, for tests.
std::string text_of(const ScreenLine& line);

}  // namespace weir::live
