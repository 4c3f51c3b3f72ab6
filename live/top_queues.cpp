#include "live/top_queues.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "jobqueue/model/counted.h"
#include "views/amount_text.h"
#include "views/text_width.h"

namespace weir::live {

bool is_slots(const std::string& kind) {
  return kind == "map" || kind == "reduce";
}

std::string head_of(const std::string& kind) {
  if (is_slots(kind)) return kind == "map" ? "Maps" : "Reduces";
  return kind == "memory_mb" ? "memory" : kind;
}

namespace {

constexpr std::size_t kOfSlots = 10;    // columns of RUN/GUAR
constexpr std::size_t kOfAmounts = 15;  // 131072/98304.0
constexpr std::size_t kWait = 6;        // and of what waits
constexpr std::size_t kWaitAmounts = 9;
constexpr std::size_t kDimension = 8;
constexpr std::size_t kDominant = 7;

std::size_t name_columns(std::size_t columns) {
  return std::clamp<std::size_t>(columns / 4, 12, 40);
}

bool counts_slots(const TopModel& model) {
  return is_slots(model.kinds.front());
}

std::string percent_text(std::int64_t thousandths) {
  return fmt::format("{}.{}%", thousandths / 10, thousandths % 10);
}

}  // namespace

std::size_t queue_lines(const TopModel& model) {
  return counts_slots(model) ? 1 : model.kinds.size();
}

std::string queue_text(const TopModel& model, const TopQueue& queue) {
  std::string text =
      fmt::format(" {}: {} running, {} pending, {} waiting", queue.name,
                  counted(queue.jobs_running, "job"), queue.jobs_pending, queue.jobs_waiting);
  for (std::size_t i = 0; i < std::min(queue.of.size(), model.kinds.size()); ++i) {
    const TopQueue::Slots& slots = queue.of[i];
    const std::string& kind = model.kinds[i];
    text += is_slots(kind) ? fmt::format("; {}s {} running", kind, slots.running)
                           : fmt::format("; {} running", amount_text(kind, slots.running));
    if (slots.guarantees) {
      text += fmt::format(" of {} allocated, {} guaranteed", slots.allocated, slots.guaranteed);
    }
    if (slots.maximum) text += fmt::format(", at most {}", *slots.maximum);
    if (slots.reserved > 0) text += fmt::format(", {} reserved", slots.reserved);
  }
  return text;
}

ScreenLine QueueRows::head(std::size_t count, bool here) const {
  const std::size_t names = name_columns(size_.columns);
  const std::size_t rest = size_.columns - std::min(size_.columns, names);
  const auto figures = [&](std::size_t columns, std::size_t wait) {
    return right(run_head(model_.queues), columns) + right("WAIT ", wait + 1);
  };
  const auto head = [&](const std::string& what, std::size_t columns, const std::string& end) {
    return left(what, columns - std::min(columns, end.size())) + end;
  };
  const std::string slots = figures(kOfSlots, kWait);
  const std::string text =
      counts_slots(model_)
          ? head("MAPS", rest / 2, slots) + head("REDUCES", rest / 2, slots)
          : head("", rest, figures(kOfAmounts, kWaitAmounts) + right("DOM ", kDominant));
  return {{left(fmt::format("{}QUEUES ({})", here ? ">" : " ", count), names), Look::kHead},
          {left(text, rest), Look::kHead}};
}

std::vector<ScreenLine> QueueRows::rows(const TopQueue& queue, bool chosen) const {
  const std::size_t names = name_columns(size_.columns);
  const std::size_t rest = size_.columns - std::min(size_.columns, names);
  const auto depth = static_cast<std::size_t>(
      std::count(queue.name.begin(), queue.name.end(), '.'));
  const std::size_t dot = queue.name.rfind('.');
  const std::string indent(2 * std::min<std::size_t>(depth, 6), ' ');
  std::string name = shown(dot == std::string::npos ? queue.name : queue.name.substr(dot + 1));
  if (queue.stopped) name += " (stopped)";
  const std::size_t room = names - std::min(names, indent.size());
  const Look look = chosen ? Look::kChosen : queue.leaf ? Look::kPlain : Look::kBold;
  ScreenLine line = {{padded(indent + truncated_middle(name, room), names), look}};
  if (!counts_slots(model_)) return rows_of_amounts(queue, std::move(line), rest);
  return {row_of_slots(queue, std::move(line), rest)};
}

ScreenLine QueueRows::row_of_slots(const TopQueue& queue, ScreenLine line,
                                   std::size_t columns) const {
  for (std::size_t i = 0; i < std::min(queue.of.size(), model_.slots.size()); ++i) {
    for (Piece& piece : figures(queue.of[i], i, {columns / 2, kOfSlots, kWait}))
      line.push_back(std::move(piece));
  }
  return line;
}

// The queue's name and its largest part of the cluster stand in the first line.
std::vector<ScreenLine> QueueRows::rows_of_amounts(const TopQueue& queue, ScreenLine line,
                                                   std::size_t columns) const {
  const std::size_t bars = columns - std::min(columns, kDimension + kDominant);
  std::vector<ScreenLine> lines;
  for (std::size_t i = 0; i < model_.kinds.size(); ++i) {
    if (i > 0) line = {{std::string(name_columns(size_.columns), ' ')}};
    line.push_back({left(head_of(model_.kinds[i]), kDimension), Look::kDim});
    if (i < std::min(queue.of.size(), model_.slots.size())) {
      for (Piece& piece : figures(queue.of[i], i, {bars, kOfAmounts, kWaitAmounts}))
        line.push_back(std::move(piece));
    }
    if (i == 0 && queue.dominant_thousandths)
      line.push_back({right(percent_text(*queue.dominant_thousandths), kDominant - 1)});
    lines.push_back(std::move(line));
  }
  return lines;
}

// A bar, what it runs beside what it is held against, and what waits.
std::vector<Piece> QueueRows::figures(const TopQueue::Slots& slots, std::size_t kind,
                                      Columns columns) const {
  BarFigures drawn;
  drawn.running = static_cast<double>(slots.running);
  drawn.whole = static_cast<double>(std::max<std::int64_t>(model_.slots[kind].total, 1));
  std::string used = std::to_string(slots.running);
  if (slots.guarantees) {
    drawn.due = static_cast<double>(slots.guaranteed);
    used += "/" + std::to_string(slots.guaranteed);
  } else if (slots.share_thousandths) {
    drawn.due = static_cast<double>(*slots.share_thousandths) / 1000;
    drawn.lent = false;
    used += "/" + share_text(*slots.share_thousandths);
  }
  if (slots.maximum) drawn.maximum = static_cast<double>(*slots.maximum);
  const std::size_t texts = columns.run + columns.wait + 1;
  std::vector<Piece> pieces =
      bar(drawn, columns.all > texts ? columns.all - texts : 0, size_.ascii);
  pieces.push_back({right(used, columns.run)});
  pieces.push_back({right(std::to_string(slots.pending), columns.wait) + " ",
                    slots.pending > 0 ? Look::kWarn : Look::kDim});
  return pieces;
}

}  // namespace weir::live
