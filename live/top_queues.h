// The queues on the screen of `weir top`: a line each with bars of maps and reduces, or where
// containers count a line for each dimension. Pure; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "live/screen_text.h"
#include "live/top_draw.h"
#include "live/top_model.h"

namespace weir::live {

bool is_slots(const std::string& kind);
// What is counted: "Maps", "memory", "gpu".
std::string head_of(const std::string& kind);
// How many lines a queue has.
std::size_t queue_lines(const TopModel& model);
// A queue in full, for the line of what is chosen.
std::string queue_text(const TopModel& model, const TopQueue& queue);

class QueueRows : ScreenText {
 public:
  QueueRows(const TopModel& model, ScreenSize size) : ScreenText(size), model_(model) {}

  ScreenLine head(std::size_t count, bool here) const;
  std::vector<ScreenLine> rows(const TopQueue& queue, bool chosen) const;

 private:
  ScreenLine row_of_slots(const TopQueue& queue, ScreenLine line, std::size_t columns) const;
  std::vector<ScreenLine> rows_of_amounts(const TopQueue& queue, ScreenLine line,
                                          std::size_t columns) const;
  struct Columns {
    std::size_t all = 0, run = 0, wait = 0;
  };
  std::vector<Piece> figures(const TopQueue::Slots& slots, std::size_t kind,
                             Columns columns) const;

  const TopModel& model_;
};

}  // namespace weir::live
