// The reading side of the decision log: newest first, from the three rings at once, in words.
#include <algorithm>
#include <charconv>
#include <utility>

#include "tracker/published/decision_log.h"

namespace weir {
namespace {

using Segments = std::vector<std::shared_ptr<const DecisionSegment>>;

// Walks one ring backwards, over what it held when the walk began.
class Walk {
 public:
  explicit Walk(Segments segments) : segments_(std::move(segments)) {
    segment_ = segments_.size();
    step_back();
  }
  const DecisionRecord* record() const {
    return segment_ == segments_.size() ? nullptr : &segments_[segment_]->at(place_);
  }
  const DecisionSegment& segment() const { return *segments_[segment_]; }
  void next() {
    if (place_ > 0) {
      --place_;
    } else {
      step_back();
    }
  }
  // Before that number: whole segments are not looked into.
  void skip_to(std::int64_t before) {
    while (record() != nullptr && record()->number >= before) {
      if (segment().at(0).number >= before) {
        step_back();
      } else {
        next();
      }
    }
  }

 private:
  // To the last record of the segment before.
  void step_back() {
    while (segment_ > 0) {
      --segment_;
      const std::size_t size = segments_[segment_]->size();
      place_ = size - 1;
      if (size > 0) return;
    }
    segment_ = segments_.size();
  }

  const Segments segments_;
  std::size_t segment_ = 0;  // segments_.size(): at the end
  std::size_t place_ = 0;
};

template <std::size_t kWalks>
Walk& newest_of(Walk (&walks)[kWalks]) {
  Walk* newest = &walks[0];
  for (Walk& walk : walks) {
    const DecisionRecord* record = walk.record();
    const DecisionRecord* known = newest->record();
    if (record != nullptr && (known == nullptr || record->number > known->number)) newest = &walk;
  }
  return *newest;
}

bool is_or_below(std::string_view path, std::string_view queue) {
  if (!path.starts_with(queue)) return false;
  return path.size() == queue.size() || path[queue.size()] == '.';
}

// A kill is the business of whose task it is, and of who gains.
bool about_queue(const DecisionRecord& record, const DecisionSegment& names,
                 const std::string& queue) {
  if (record.queue != 0 && is_or_below(names.name_at(record.queue), queue)) return true;
  if (record.kind != DecisionKind::kKill) return false;
  return (record.leaf != 0 && is_or_below(names.name_at(record.leaf), queue)) ||
         (record.other != 0 && is_or_below(names.name_at(record.other), queue));
}

std::optional<std::string> text_of(const DecisionSegment& names, std::uint16_t name) {
  if (name == 0) return std::nullopt;
  return names.name_at(name);
}

void put_what_is_its_own(const DecisionRecord& record, const DecisionSegment& names,
                         const WallClock& wall, DecisionView& out) {
  const auto text = text_of(names, record.text);
  const auto other = text_of(names, record.other);
  switch (record.kind) {
    case DecisionKind::kLaunch:
      out.locality = text;
      out.speculative = record.flag;
      break;
    case DecisionKind::kKill:
      out.for_whom = other;
      if (record.more > 0) out.slots = record.more;
      out.container = container_of(names.name_at(record.by));
      if (record.claim != 0) out.claim = record.claim;
      [[fallthrough]];
    case DecisionKind::kFinish:
    case DecisionKind::kFail:
      out.ran_ms = record.amount;
      out.reason = text;
      break;
    case DecisionKind::kClaim:
    case DecisionKind::kClaimMet:
    case DecisionKind::kClaimDropped:
    case DecisionKind::kClaimResumed:
      out.slots = record.amount;
      out.deadline_ms = record.more == kNever ? -1 : wall.at(record.more);
      out.claim = record.claim;
      break;
    case DecisionKind::kTracker:
      out.map_slots = record.amount;
      out.reduce_slots = record.more;
      [[fallthrough]];
    case DecisionKind::kJob:
    case DecisionKind::kQueue:
      out.state = other;
      out.reason = text;
      break;
    case DecisionKind::kGangStart:
      out.tasks = record.amount;
      break;
    case DecisionKind::kMove:
      out.pool = other;
      break;
    case DecisionKind::kPriority:
      out.priority = text;
      break;
    case DecisionKind::kPolicy:
      out.policy = text;
      break;
    case DecisionKind::kStart:
    case DecisionKind::kRefused:
      out.what = other;
      [[fallthrough]];
    default:
      out.reason = text;
  }
}

DecisionView view_of(const DecisionRecord& record, const DecisionSegment& names,
                     const WallClock& wall) {
  DecisionView out;
  out.number = record.number;
  out.at_ms = wall.at(record.at);
  out.event = kDecisionKinds[static_cast<std::size_t>(record.kind)];
  if (record.job != DecisionRecord::kNone) out.job = JobId(record.job);
  const auto kind = static_cast<TaskKind>(record.task_kind);
  const bool of_task = record.task != DecisionRecord::kNone;
  if (of_task) {
    out.task = (is_group(kind)             ? names.name_at(record.group) + "."
                : kind == TaskKind::kMap ? "m"
                                           : "r") +
               std::to_string(record.task);
  }
  const bool of_claim =
      record.kind >= DecisionKind::kClaim && record.kind <= DecisionKind::kClaimResumed;
  if (record.attempt != DecisionRecord::kNone) out.attempt = record.attempt;
  if (out.attempt) out.resource_class = is_group(kind) ? "container" : name(kind);
  if (of_claim) out.resource_class = record.text == 0 ? name(kind) : names.name_at(record.text);
  out.tracker = text_of(names, record.tracker);
  out.queue = text_of(names, record.queue);
  out.user = text_of(names, record.user);
  if (record.kind != DecisionKind::kKill) out.by = text_of(names, record.by);
  put_what_is_its_own(record, names, wall, out);
  return out;
}

void add_up(const std::vector<Amount>& had, std::int64_t ran_ms, std::vector<Amount>& sum) {
  for (const Amount& each : had) {
    auto same = std::find_if(sum.begin(), sum.end(), [&](const Amount& known) {
      return known.dimension == each.dimension;
    });
    if (same == sum.end()) same = sum.insert(sum.end(), {each.dimension, 0});
    same->amount += each.amount * ran_ms;
  }
}

// Which kinds are asked for, as bits.
Result<std::uint32_t> kinds_of(const DecisionFilter& filter) {
  if (filter.kinds.empty()) return ~std::uint32_t{0};
  std::uint32_t bits = 0;
  for (const std::string& kind : filter.kinds) {
    const auto& all = DecisionLog::kinds();
    const auto found = std::find(all.begin(), all.end(), kind);
    if (found == all.end()) {
      std::string there;
      for (const std::string& known : all) there += (there.empty() ? "" : ", ") + known;
      return Error{ErrorCode::kBadRequest, "no kind of decision is called '" + kind + "'", there,
                   {}};
    }
    bits |= std::uint32_t{1} << (found - all.begin());
  }
  return bits;
}

}  // namespace

std::string container_text(const std::vector<Amount>& container) {
  std::string text;
  for (const Amount& each : container) {
    text += (text.empty() ? "" : ",") + each.dimension + "=" + std::to_string(each.amount);
  }
  return text;
}

std::vector<Amount> container_of(std::string_view text) {
  std::vector<Amount> container;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t equals = part.rfind('=');
    if (equals == std::string_view::npos) continue;
    std::int64_t amount = 0;
    std::from_chars(part.data() + equals + 1, part.data() + part.size(), amount);
    container.push_back({std::string(part.substr(0, equals)), amount});
  }
  return container;
}

const std::vector<std::string>& DecisionLog::kinds() {
  static const std::vector<std::string> all(std::begin(kDecisionKinds), std::end(kDecisionKinds));
  return all;
}

Result<DecisionPage> DecisionLog::read(const DecisionFilter& filter, const WallClock& wall) const {
  const auto kinds = kinds_of(filter);
  if (!kinds) return kinds.error();
  DecisionPage page;
  page.complete_since = wall.at(complete_since(*kinds));
  Walk walks[] = {Walk(busy_.segments()), Walk(jobs_.segments()), Walk(rare_.segments())};
  if (filter.before > 0) {
    for (Walk& walk : walks) walk.skip_to(filter.before);
  }
  const TimeMs since = filter.since > 0 ? wall.engine_at(filter.since) : 0;
  for (;;) {
    Walk& newest = newest_of(walks);
    if (newest.record() == nullptr) break;
    const DecisionRecord& record = *newest.record();
    if (record.at < since) break;  // all further ones are older
    const bool wanted =
        (*kinds >> static_cast<int>(record.kind) & 1) != 0 &&
        (!filter.job || record.job == filter.job->value) &&
        (filter.queue.empty() || about_queue(record, newest.segment(), filter.queue));
    if (wanted) {
      page.more = page.decisions.size() == filter.limit;
      if (page.more) break;
      page.decisions.push_back(view_of(record, newest.segment(), wall));
    }
    newest.next();
  }
  return page;
}

std::int64_t DecisionLog::count_kills(std::int64_t after, KillCounts& counts) const {
  std::int64_t last = after;
  for (Walk rare(rare_.segments()); const DecisionRecord* record = rare.record(); rare.next()) {
    if (record->number <= after) break;
    last = std::max(last, record->number);
    if (record->kind != DecisionKind::kKill || !record->flag) continue;
    // Tasks of applications have no class: there all of them are added up.
    const std::size_t kind = std::min<std::size_t>(record->task_kind, kTaskKindCount - 1);
    ++counts[rare.segment().name_at(record->leaf)][kind];
  }
  return last;
}

KillSum DecisionLog::kills_since(TimeMs since) const {
  KillSum sum;
  for (Walk rare(rare_.segments()); const DecisionRecord* record = rare.record(); rare.next()) {
    if (record->at < since) break;
    if (record->kind != DecisionKind::kKill || !record->flag) continue;
    ++sum.attempts;
    // Without a number: from before a kill's slots were noted.
    sum.slot_ms += std::max<std::int64_t>(1, record->more) * record->amount;
    add_up(container_of(rare.segment().name_at(record->by)), record->amount, sum.amounts_ms);
  }
  return sum;
}

}  // namespace weir
