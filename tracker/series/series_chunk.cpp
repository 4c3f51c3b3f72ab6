#include "tracker/series/series_chunk.h"

#include <optional>
#include <utility>

namespace weir {
namespace {

constexpr char kForm = 2;
constexpr std::size_t kFigures = 10;
constexpr char kFirstForm = 1;
constexpr std::size_t kFirstFigures = 7;  // the first so many

using Members = std::array<std::int64_t SeriesFigures::*, kFigures>;
constexpr Members kMembers = {&SeriesFigures::guaranteed,
                              &SeriesFigures::allocated,
                              &SeriesFigures::running,
                              &SeriesFigures::pending,
                              &SeriesFigures::share,
                              &SeriesFigures::claims,
                              &SeriesFigures::kills,
                              &SeriesFigures::running_thousandths,
                              &SeriesFigures::lent_thousandths,
                              &SeriesFigures::borrowed_thousandths};

void put(std::string& bytes, std::uint64_t value) {  // seven bits a byte, the lowest first
  while (value >= 0x80) {
    bytes.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes.push_back(static_cast<char>(value));
}

std::optional<std::uint64_t> take(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

// So that small differences are small numbers, whatever their sign. Differences wrap.
std::uint64_t folded(std::uint64_t difference) {
  return (difference << 1) ^ (0 - (difference >> 63));
}
std::uint64_t unfolded(std::uint64_t value) {
  return (value >> 1) ^ (0 - (value & 1));
}

std::uint64_t difference(std::int64_t to, std::int64_t from) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

// One more point after `point`, which becomes it; false: there is none, or it cannot be read.
bool take_point(std::string_view& bytes, std::size_t figures, SeriesPoint& point,
                std::uint64_t& steps) {
  const auto head = take(bytes);
  if (!head || (*head >> 1) >= SeriesChunk::kSteps) return false;
  steps = (*head >> 1) + 1;
  if ((*head & 1) == 0) return true;
  const auto changed = take(bytes);
  if (!changed) return false;
  for (std::size_t i = 0; i < kTaskKindCount * figures; ++i) {
    if ((*changed >> i & 1) == 0) continue;
    const auto by = take(bytes);
    if (!by) return false;
    std::int64_t& figure = point.of[i / figures].*kMembers[i % figures];
    figure = static_cast<std::int64_t>(static_cast<std::uint64_t>(figure) + unfolded(*by));
  }
  return true;
}

}  // namespace

void SeriesChunk::add(const SeriesPoint& point) {
  if (!last_) {
    last_ = std::make_unique<SeriesPoint>();
    last_->at = start_ - step_;
    each([this](const SeriesPoint& there) { *last_ = there; });
  }
  if (bytes_.empty()) bytes_.push_back(kForm);
  std::uint64_t changed = 0;
  std::string differences;
  for (std::size_t i = 0; i < kTaskKindCount * kFigures; ++i) {
    const std::int64_t to = point.of[i / kFigures].*kMembers[i % kFigures];
    const std::int64_t from = last_->of[i / kFigures].*kMembers[i % kFigures];
    if (to == from) continue;
    changed |= std::uint64_t{1} << i;
    put(differences, folded(difference(to, from)));
  }
  const auto gap = static_cast<std::uint64_t>((point.at - last_->at) / step_ - 1);
  put(bytes_, gap << 1 | (changed != 0 ? 1 : 0));
  if (changed != 0) {
    put(bytes_, changed);
    bytes_ += differences;
  }
  *last_ = point;
  last_at_ = point.at;
  changed_ = true;
}

void SeriesChunk::seal() {
  last_.reset();
  bytes_.shrink_to_fit();
}

void SeriesChunk::each(const std::function<void(const SeriesPoint&)>& visit) const {
  std::string_view rest = bytes_;
  if (rest.empty() || (rest.front() != kForm && rest.front() != kFirstForm)) return;
  const std::size_t figures = rest.front() == kForm ? kFigures : kFirstFigures;
  rest.remove_prefix(1);
  SeriesPoint point;
  point.at = start_ - step_;
  std::uint64_t steps = 0;
  while (!rest.empty() && take_point(rest, figures, point, steps)) {
    point.at += static_cast<std::int64_t>(steps) * step_;
    if (point.at >= end()) return;
    visit(point);
  }
}

// Written once more, so that only what can be read is in it, and in the form of now.
SeriesChunk SeriesChunk::read(DurationMs step, TimeMs start, std::string_view bytes) {
  SeriesChunk stored(step, start);
  stored.bytes_ = bytes;
  SeriesChunk out(step, start);
  stored.each([&](const SeriesPoint& point) { out.add(point); });
  out.changed_ = false;
  out.seal();
  return out;
}

}  // namespace weir
