// Siblings held against each other: unique names, guarantees that total 100%, all percentages or
// all slots. Then each queue against its ancestors: a guarantee that its ceiling or its parent's
// cannot hold is a warning.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conf/queues.h"
#include "conf/resources_section.h"

namespace weir {
namespace {

constexpr std::int64_t kWhole = 10'000;
using Unit = Guarantee::Unit;

// A queue's part of the cluster, for warnings only.
struct Part {
  double guaranteed[kPlaceCount] = {1, 1, 1, 1, 1, 1, 1, 1};
  double maximum[kPlaceCount] = {1, 1, 1, 1, 1, 1, 1, 1};
};

class FamilyCheck {
 public:
  FamilyCheck(const std::vector<QueueDraft>& drafts, const Space& space, Diagnostics& out)
      : drafts_(drafts), space_(space), out_(out) {}

  void run(const std::vector<std::size_t>& family, const QueueDraft* parent, const Part& part) {
    check_names(family);
    const bool known = std::none_of(family.begin(), family.end(), [this](std::size_t i) {
      return drafts_[i].guaranteed_wrong;
    });
    if (known && check_units(family)) check_totals(family, parent);
    const Totals totals = totals_of(family);
    for (const std::size_t i : family) {
      Part own = part_of(i, totals, part);
      check_reach(drafts_[i], own);
      for (const Dimension d : space_.dimensions())
        own.maximum[d.place()] = std::max(own.maximum[d.place()], own.guaranteed[d.place()]);
      check_users(drafts_[i]);
      if (drafts_[i].children.empty()) continue;
      for (const auto& [key, at] : drafts_[i].job_keys) {
        out_.warning(
            at, fmt::format(
                    "queues.{}.{} has no effect: jobs live in leaf queues, this one has children",
                    drafts_[i].path, key));
      }
      run(drafts_[i].children, &drafts_[i], own);
    }
  }

 private:
  std::string_view amounts_word() const { return space_.containers() ? "amounts" : "slots"; }

  // Of one family, so that a family of thousands stays linear work.
  struct Totals {
    std::int64_t amount[kPlaceCount] = {};
    std::int64_t unset[kPlaceCount] = {};
    std::size_t members = 0;
  };

  Totals totals_of(const std::vector<std::size_t>& family) const {
    Totals totals;
    totals.members = family.size();
    for (const std::size_t i : family) {
      for (const Dimension d : space_.dimensions()) {
        totals.amount[d.place()] += guarantee(i, d).amount;
        if (guarantee(i, d).unit == Unit::kUnset) ++totals.unset[d.place()];
      }
    }
    return totals;
  }

  const Guarantee& guarantee(std::size_t i, Dimension d) const {
    return drafts_[i].settings.guaranteed[d.place()];
  }

  void check_names(const std::vector<std::size_t>& family) {
    std::map<std::string_view, Mark> seen;
    for (const std::size_t i : family) {
      const QueueDraft& draft = drafts_[i];
      if (draft.settings.name.empty()) continue;
      const auto [first, fresh] = seen.emplace(draft.settings.name, draft.at);
      if (fresh) continue;
      out_.error(
          draft.at,
          fmt::format(
              "duplicate queue \"{}\", first at {}, allowed: names that differ among siblings",
              draft.path, to_string(first->second)));
    }
  }

  bool check_units(const std::vector<std::size_t>& family) {
    using Place = std::pair<std::size_t, Dimension>;
    std::optional<Place> percent, slots;  // the first of each
    for (const std::size_t i : family) {
      for (const Dimension d : space_.dimensions()) {
        const Unit unit = guarantee(i, d).unit;
        if (unit == Unit::kPercent && !percent) percent = Place(i, d);
        if (unit == Unit::kSlots && !slots) slots = Place(i, d);
      }
    }
    if (!percent || !slots) return true;
    const bool one_queue = percent->first == slots->first;
    const auto where = [&](const Place& place) {
      return fmt::format("({}queue \"{}\")",
                         one_queue ? fmt::format("{} of ", space_.name(place.second)) : "",
                         drafts_[place.first].path);
    };
    out_.error(drafts_[std::max(percent->first, slots->first)].guaranteed_at,
               fmt::format("guarantees mix percentages {} and {} {}, allowed: siblings that all "
                           "say percentages or all say {}",
                           where(*percent), amounts_word(), where(*slots), amounts_word()));
    return false;
  }

  // A queue whose name is wrong has none yet.
  std::string called(std::size_t i) const {
    const QueueDraft& draft = drafts_[i];
    return draft.settings.name.empty() ? "the queue at " + to_string(draft.at)
                                       : draft.settings.name;
  }

  // Finds what is wrong per class, and tells it once if both classes have the same fault.
  void check_totals(const std::vector<std::size_t>& family, const QueueDraft* parent) {
    std::map<Dimension, std::string> problems;
    for (const Dimension d : space_.dimensions()) problems[d] = total_problem(family, d);
    const auto first = std::find_if(family.begin(), family.end(), [&](std::size_t i) {
      return std::any_of(space_.dimensions().begin(), space_.dimensions().end(),
                         [&](Dimension d) { return guarantee(i, d).unit != Unit::kUnset; });
    });
    if (first == family.end()) return;
    const std::string where =
        parent == nullptr ? "the top queues" : "the queues under " + parent->path;
    const std::string& any = problems.begin()->second;
    const bool same = std::all_of(problems.begin(), problems.end(),
                                  [&](const auto& problem) { return problem.second == any; });
    bool wrong = false;
    for (const auto& [d, problem] : problems) {
      if (problem.empty() || (same && wrong)) continue;
      wrong = true;
      const std::string_view all = space_.containers() ? "the" : "map and reduce";
      out_.error(drafts_[*first].guaranteed_at,
                 fmt::format("{} guarantees of {} {}", same ? all : space_.name(d), where,
                             problem));
    }
    if (wrong) return;
    const bool amounts =
        std::any_of(space_.dimensions().begin(), space_.dimensions().end(),
                    [&](Dimension d) { return guarantee(*first, d).unit == Unit::kSlots; });
    if (amounts && space_.containers()) {
      out_.warning(drafts_[*first].guaranteed_at,
                   fmt::format("guarantees of {} in amounts are ratios, scaled to what there is",
                               where));
    } else if (amounts) {
      out_.warning(
          drafts_[*first].guaranteed_at,
          fmt::format("guarantees of {} in slots are ratios, scaled to the slots there are",
                      where));
    }
    warn_of_nothing_left(family);
  }

  std::string total_problem(const std::vector<std::size_t>& family, Dimension d) const {
    std::int64_t total = 0;
    std::vector<std::string> unset;
    std::vector<std::string> parts;
    bool slots = false;
    for (const std::size_t i : family) {
      const Guarantee& g = guarantee(i, d);
      slots = slots || g.unit == Unit::kSlots;
      if (g.unit == Unit::kUnset) {
        unset.push_back(called(i));
      } else {
        total += g.amount;
        parts.push_back(fmt::format("{} {}", called(i), format_percent(g.amount)));
      }
    }
    if (parts.empty()) return {};
    if (slots) {
      if (unset.empty()) return {};
      return fmt::format("are in {0} but missing for {1}, allowed: {0} for every sibling",
                         amounts_word(), listed(unset));
    }
    if (total == kWhole || (total < kWhole && !unset.empty())) return {};
    return fmt::format("total {} ({}), allowed: {}", format_percent(total), listed(parts),
                       unset.empty() ? "exactly 100%"
                                     : "100% at most, the rest is for " + listed(unset));
  }

  static std::string listed(std::vector<std::string> names) {
    constexpr std::size_t kMostShown = 8;
    const std::size_t count = names.size();
    if (count > kMostShown) names.resize(kMostShown);
    return fmt::format("{}{}", fmt::join(names, ", "),
                       count > kMostShown ? fmt::format(" and {} more", count - kMostShown) : "");
  }

  void warn_of_nothing_left(const std::vector<std::size_t>& family) {
    const Totals totals = totals_of(family);
    for (const std::size_t i : family) {
      for (const Dimension d : space_.dimensions()) {
        if (guarantee(i, d).unit != Unit::kUnset || share(i, totals, d) > 0) continue;
        out_.warning(
            drafts_[i].at,
            fmt::format("queue \"{}\" is guaranteed no {}: its siblings' percentages total 100%",
                        drafts_[i].path, words_of(space_, d)));
      }
    }
  }

  // The queue's part of its parent.
  double share(std::size_t i, const Totals& family, Dimension d) const {
    const std::int64_t total = family.amount[d.place()];
    const std::int64_t unset = family.unset[d.place()];
    const Guarantee& own = guarantee(i, d);
    switch (own.unit) {
      case Unit::kPercent:
        return static_cast<double>(own.amount) / static_cast<double>(kWhole);
      case Unit::kSlots:
        return total == 0 ? 1.0 / static_cast<double>(family.members)
                          : static_cast<double>(own.amount) / static_cast<double>(total);
      case Unit::kUnset:
        return static_cast<double>(std::max<std::int64_t>(0, kWhole - total)) /
               static_cast<double>(kWhole * unset);
    }
    return 0;
  }

  // The most that the queue may have of its parent's; an amount is no part that is known here.
  double ceiling(const QueueSettings& queue, Dimension d) const {
    std::int64_t hundredths = queue.maximum_hundredths.value_or(kWhole);
    if (queue.maximum && (*queue.maximum)[d].unit == Unit::kPercent)
      hundredths = (*queue.maximum)[d].amount;
    return static_cast<double>(hundredths) / static_cast<double>(kWhole);
  }

  Part part_of(std::size_t i, const Totals& family, const Part& parent) const {
    Part own;
    for (const Dimension d : space_.dimensions()) {
      own.guaranteed[d.place()] = parent.guaranteed[d.place()] * share(i, family, d);
      own.maximum[d.place()] = parent.maximum[d.place()] * ceiling(drafts_[i].settings, d);
    }
    return own;
  }

  void check_reach(const QueueDraft& draft, const Part& own) {
    constexpr double kTolerance = 1e-9;
    const auto reach = [&](Dimension d) {
      return std::pair(own.guaranteed[d.place()], own.maximum[d.place()]);
    };
    const auto& all = space_.dimensions();
    const bool same = std::all_of(all.begin(), all.end(),
                                  [&](Dimension d) { return reach(d) == reach(all.front()); });
    const QueueSettings& queue = draft.settings;
    for (const Dimension d : all) {
      const auto [guaranteed, maximum] = reach(d);
      if (guaranteed <= maximum + kTolerance) continue;
      const std::string what =
          space_.containers() ? std::string(space_.name(d)) : words_of(space_, d);
      out_.warning(queue.maximum_hundredths || queue.maximum ? draft.maximum_at : draft.at,
                   fmt::format("queue \"{}\" has a maximum of {:.2f}% of the cluster{} but is "
                               "guaranteed {:.2f}%; the guarantee is the maximum then",
                               draft.path, maximum * 100, same ? "" : fmt::format("'s {}", what),
                               guaranteed * 100));
    }
  }

  void check_users(const QueueDraft& draft) {
    const UserLimit& limit = draft.settings.user_limit;
    const std::int64_t factor = limit.factor_millionths.value_or(1'000'000);
    if (limit.mode != UserLimit::Mode::kHard || factor >= 1'000'000) return;
    const std::int64_t users = (1'000'000 + factor - 1) / factor;
    out_.warning(
        draft.at,
        fmt::format("queue \"{}\" has a hard user limit of factor {}: fewer than {} active users "
                    "leave part of its guarantee unused",
                    draft.path, format_millionths(factor), users));
  }

  const std::vector<QueueDraft>& drafts_;
  const Space& space_;
  Diagnostics& out_;
};

}  // namespace

void check_queues(const std::vector<QueueDraft>& drafts, const Space& space, Diagnostics& out) {
  std::vector<std::size_t> top;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (!drafts[i].parent) top.push_back(i);
  }
  if (!top.empty()) FamilyCheck(drafts, space, out).run(top, nullptr, Part{});
}

}  // namespace weir
