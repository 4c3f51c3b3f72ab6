// Bars of the screen, and its help.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "live/top_draw.h"

namespace weir::live {

const std::vector<std::string>& top_help() {
  static const std::vector<std::string> kText = {
      "weir top: the cluster as it is now",
      "",
      "  Tab              between queues and jobs",
      "  Up Down k j      the next row; PgUp PgDn Home End go farther",
      "  Enter            why the chosen job waits",
      "  /                show what has this text; Down or Enter goes to the rows,",
      "                   Esc shows all again",
      "  s                another order of the jobs",
      "  m p x r          of the chosen job: move, priority, kill, release (each asks)",
      "  h ?              this help",
      "  q ^C             quit",
      "/ j k Enter s m p x r h ? mean the same on the web pages.",
      "",
      "Bars are as wide as the cluster's slots, : is the maximum. Under capacity |",
      "is what is guaranteed, and what runs beyond it is borrowed; under fair | is",
      "the fair share. RUN/GUAR and RUN/SHARE are slots, WAIT is what wants a slot.",
      "Where containers count a queue has a line for each dimension, and in DOM its",
      "largest part of the cluster. A claim is what a queue is owed; when its time is",
      "over, tasks of others are killed for it.",
      "",
      "Any key goes back."};
  return kText;
}

ScreenLine bar(const BarFigures& figures, std::size_t columns, bool ascii) {
  const double scale = static_cast<double>(columns) / std::max(figures.whole, 1.0);
  const auto place = [&](double slots) {
    const double at = std::clamp(slots * scale, 0.0, static_cast<double>(columns));
    return static_cast<std::size_t>(std::lround(at));
  };
  std::size_t used = place(figures.running);
  if (figures.running > 0 && used == 0 && columns > 0) used = 1;
  const bool has_due = figures.due >= 0;
  const std::size_t due = has_due ? place(figures.due) : columns;
  const bool borrows = has_due && figures.lent && figures.running > figures.due;
  const std::size_t own = borrows ? std::min(used, due) : used;
  const auto mark_at = [&](double slots) {
    return slots < 0 || columns == 0 ? columns : std::min(place(slots), columns - 1);
  };
  const std::size_t due_mark = mark_at(figures.due);
  const std::size_t maximum_mark = mark_at(figures.maximum);
  ScreenLine pieces;
  for (std::size_t i = 0; i < columns; ++i) {
    Piece cell = {" ", Look::kPlain};
    if (i == due_mark) {
      cell = {ascii ? "|" : "│", Look::kMark};
    } else if (i == maximum_mark) {
      cell = {ascii ? ":" : "┊", Look::kMark};
    } else if (i < own) {
      cell = {ascii ? "#" : "█", Look::kOwn};
    } else if (i < used) {
      cell = {ascii ? "+" : "▓", Look::kBorrowed};
    } else if (has_due && i < due) {
      cell = {ascii ? "." : "·", Look::kDim};
    }
    if (!pieces.empty() && pieces.back().look == cell.look) {
      pieces.back().text += cell.text;
    } else {
      pieces.push_back(std::move(cell));
    }
  }
  return pieces;
}

// As `weir queue list` writes it.
std::string share_text(std::int64_t thousandths) {
  const std::int64_t tenths = (thousandths + 50) / 100;
  return fmt::format("{}.{}", tenths / 10, tenths % 10);
}

// What the ruling policy holds queues against.
const char* run_head(const std::vector<TopQueue>& queues) {
  const char* head = "RUN";
  for (const TopQueue& queue : queues) {
    for (const TopQueue::Slots& slots : queue.of) {
      if (slots.guarantees) return "RUN/GUAR";
      if (slots.share_thousandths) head = "RUN/SHARE";
    }
  }
  return head;
}

std::string text_of(const ScreenLine& line) {
  std::string text;
  for (const Piece& piece : line) text += piece.text;
  return text;
}

}  // namespace weir::live
