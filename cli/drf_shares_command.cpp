#include "cli/drf_shares_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/shares_input.h"
#include "cli/table.h"
#include "fair/drf_shares.h"

namespace weir::cli {
namespace {

constexpr std::size_t kMostEntries = 100'000;
constexpr std::size_t kMostLevels = 20;
// Of one claimant, so that the sum of all stays far below 2^62.
constexpr std::int64_t kMostDemand = 1'000'000'000'000;
constexpr std::string_view kAmount = "a whole number, 0 to 1000000000000";
constexpr std::string_view kMemory = "memory_mb";
constexpr std::string_view kLeafKeys[] = {"name", "demand", "min", "weight", "max"};
constexpr std::string_view kPoolKeys[] = {"name", "policy", "children", "min", "weight", "max"};
constexpr std::string_view kExample =
    "[{\"name\": \"a\", \"demand\": {\"memory_mb\": 4096, \"vcores\": 1}}]";

struct Total {
  std::vector<std::string> names;  // memory_mb, vcores, then as they are given
  std::vector<std::int64_t> amounts;

  std::size_t size() const { return names.size(); }
};

struct Pool {
  std::string name;
  double weight = 1;
  DrfClaimant claimant;
  bool has_children = false;
  Contested contested = Contested::kAll;
  std::vector<Pool> children;
  std::vector<Share> share;
};

[[noreturn]] void refuse_total(std::string_view what, std::string_view why) {
  throw wrong_use(
      fmt::format("--total {}: {}, allowed: up to {} dimensions with 0 to {} each, like "
                  "memory_mb=18432,vcores=9",
                  what.substr(0, 60), why, kMostDimensions, kMostOfDimension));
}

bool is_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 60 && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), fits);
}

int place_of(std::string_view name) {
  return name == kMemory ? 0 : name == "vcores" ? 1 : 2;
}

std::pair<std::string, std::int64_t> read_dimension(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) refuse_total(text, "no NAME=AMOUNT");
  const std::string_view name = text.substr(0, equals);
  const std::string_view digits = text.substr(equals + 1);
  if (!is_name(name)) refuse_total(text, "not the name of a dimension");
  std::int64_t amount = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, amount);
  if (error == std::errc::result_out_of_range && digits[0] != '-') refuse_total(text, "too large");
  if (end != last || digits.empty()) refuse_total(text, "not a whole number");
  if (error != std::errc() || amount < 0) refuse_total(text, "negative");
  if (amount > kMostOfDimension) refuse_total(text, "too large");
  return {std::string(name), amount};
}

Total read_total(std::string_view text) {
  std::vector<std::pair<std::string, std::int64_t>> dimensions;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    dimensions.push_back(read_dimension(text.substr(begin, comma - begin)));
    for (std::size_t i = 0; i + 1 < dimensions.size(); ++i) {
      if (dimensions[i].first == dimensions.back().first)
        refuse_total(text, dimensions[i].first + " twice");
    }
    if (dimensions.size() > kMostDimensions) refuse_total(text, "too many dimensions");
    begin = comma + 1;
  }
  std::stable_sort(dimensions.begin(), dimensions.end(), [](const auto& a, const auto& b) {
    return place_of(a.first) < place_of(b.first);
  });
  Total total;
  for (auto& [name, amount] : dimensions) {
    total.names.push_back(std::move(name));
    total.amounts.push_back(amount);
  }
  return total;
}

class Reader {
 public:
  explicit Reader(const Total& total) : total_(total) {}

  std::vector<Pool> read(const Json& list, const std::string& within, std::size_t level) {
    std::vector<Pool> pools;
    for (const Json& item : list) {
      if (++count_ > kMostEntries)
        throw wrong_use(fmt::format("standard input: more than {} entries", kMostEntries));
      pools.push_back(read_pool(item, fmt::format("entry {}{}", pools.size() + 1, within), level));
    }
    std::vector<double> weights;
    for (const Pool& pool : pools) weights.push_back(pool.weight);
    const std::vector<std::int64_t> scaled = scaled_weights(weights);
    for (std::size_t i = 0; i < pools.size(); ++i) pools[i].claimant.weight = scaled[i];
    return pools;
  }

 private:
  Pool read_pool(const Json& item, std::string which, std::size_t level) {
    if (!item.is_object())
      throw wrong_use(fmt::format("standard input: {} is no object, allowed: {{{}}}", which,
                                  fmt::join(kLeafKeys, ", ")));
    const auto name = item.find("name");
    if (name == item.end()) refuse_without(which, "name", "each has a name");
    if (!name->is_string()) refuse(which, "name", *name, "text");
    Pool pool;
    pool.name = name->get<std::string>();
    which += fmt::format(" ({})", pool.name.substr(0, 60));
    pool.has_children = item.contains("children");
    pool.claimant.demand.resize(total_.size());
    pool.claimant.minimum.resize(total_.size());
    pool.claimant.maximum.resize(total_.size());
    for (const auto& [key, value] : item.items()) read_key(pool, which, key, value);
    if (pool.has_children) {
      read_children(pool, which, item["children"], level);
    } else if (!item.contains("demand")) {
      refuse_without(which, "demand", "each has a demand, or children");
    }
    check_bounds(pool, which);
    return pool;
  }

  void read_key(Pool& pool, const std::string& which, const std::string& key, const Json& value) {
    if (key == "demand" && !pool.has_children) {
      for (const auto& [d, amount] : read_amounts(which, key, value)) {
        if (amount > 0 && total_.amounts[d] == 0)
          refuse(which, key + "." + total_.names[d], amount, "0, its --total is 0");
        pool.claimant.demand[d] = amount;
      }
    } else if (key == "min") {
      for (const auto& [d, amount] : read_amounts(which, key, value))
        pool.claimant.minimum[d] = amount;
    } else if (key == "max") {
      if (value.is_null()) return;
      for (const auto& [d, amount] : read_amounts(which, key, value))
        pool.claimant.maximum[d] = amount;
    } else if (key == "weight") {
      pool.weight = read_weight(which, value);
    } else if (key == "policy" && pool.has_children) {
      if (value != "drf" && value != "fair") refuse(which, key, value, "drf, fair");
      if (value == "fair") pool.contested = Contested::kFirst;
      if (value == "fair" && total_.names[0] != kMemory)
        refuse(which, key, value, "drf, as --total has no memory_mb");
    } else if (key != "name" && key != "children") {
      if (pool.has_children) refuse_key(which, key, kPoolKeys);
      refuse_key(which, key, kLeafKeys);
    }
  }

  void read_children(Pool& pool, const std::string& which, const Json& list, std::size_t level) {
    if (!list.is_array()) refuse(which, "children", list, "a list of entries");
    if (level == kMostLevels) refuse(which, "children", list, fmt::format("{} levels", level));
    pool.children = read(list, " of " + pool.name.substr(0, 60), level + 1);
    for (const Pool& child : pool.children) {
      const auto wanted = wanted_above(total_.amounts, child.claimant);
      for (std::size_t d = 0; d < total_.size(); ++d) pool.claimant.demand[d] += wanted[d];
    }
  }

  std::vector<std::pair<std::size_t, std::int64_t>> read_amounts(const std::string& which,
                                                                 const std::string& key,
                                                                 const Json& value) const {
    if (!value.is_object())
      refuse(which, key, value,
             fmt::format("an object with an amount for each of {}", fmt::join(total_.names, ", ")));
    std::vector<std::pair<std::size_t, std::int64_t>> amounts;
    for (const auto& [name, amount] : value.items()) {
      const auto place = std::find(total_.names.begin(), total_.names.end(), name);
      if (place == total_.names.end())
        throw wrong_use(fmt::format(
            "standard input: unknown dimension \"{}\" in {} of {}, allowed: {} (those of --total)",
            name.substr(0, 60), key, which, fmt::join(total_.names, ", ")));
      const std::string where = key + "." + name;
      const std::int64_t number = whole_number(which, where, amount, kAmount);
      if (number > kMostDemand) refuse(which, where, amount, kAmount);
      amounts.emplace_back(place - total_.names.begin(), number);
    }
    return amounts;
  }

  void check_bounds(const Pool& pool, const std::string& which) const {
    for (std::size_t d = 0; d < total_.size(); ++d) {
      const auto& [minimum, maximum] =
          std::pair(pool.claimant.minimum[d], pool.claimant.maximum[d]);
      if (minimum && maximum && *maximum < *minimum)
        refuse(which, "max." + total_.names[d], *maximum,
               fmt::format("at least its min, {}", *minimum));
    }
  }

  [[noreturn]] static void refuse_without(const std::string& which, std::string_view key,
                                          std::string_view allowed) {
    throw wrong_use(fmt::format("standard input: {} has no {}, allowed: {}", which, key, allowed));
  }

  const Total& total_;
  std::size_t count_ = 0;
};

void deal(std::vector<Pool>& pools, const Total& total, const std::vector<Share>& divide,
          Contested contested) {
  std::vector<DrfClaimant> claimants;
  claimants.reserve(pools.size());
  for (const Pool& pool : pools) claimants.push_back(pool.claimant);
  const DrfShares shares = drf_shares(total.amounts, divide, claimants, contested);
  for (std::size_t i = 0; i < pools.size(); ++i) {
    Pool& pool = pools[i];
    pool.share = shares.of[i];
    if (!pool.has_children) continue;
    deal(pool.children, total, divided_below(shares, divide, i), pool.contested);
  }
}

double shown(Share share) {
  return static_cast<double>(thousandths(share)) / 1000;
}

Json json_of(const std::vector<Pool>& pools, const Total& total) {
  Json list = Json::array();
  for (const Pool& pool : pools) {
    Json item = {{"name", pool.name}, {"share", Json::object()}};
    for (std::size_t d = 0; d < total.size(); ++d)
      item["share"][total.names[d]] = shown(pool.share[d]);
    if (pool.has_children) item["children"] = json_of(pool.children, total);
    list.push_back(std::move(item));
  }
  return list;
}

// A line for each dimension: eight columns of amounts would be wider than a terminal.
void add_rows(Table& table, const std::vector<Pool>& pools, const Total& total,
              const std::string& indent) {
  for (const Pool& pool : pools) {
    for (std::size_t d = 0; d < total.size(); ++d) {
      const double part = total.amounts[d] > 0
                              ? 100 * shown(pool.share[d]) / static_cast<double>(total.amounts[d])
                              : 0;
      table.add({d == 0 ? indent + pool.name : "", total.names[d],
                 fmt::format("{}", pool.claimant.demand[d]),
                 fmt::format("{:.3f}", shown(pool.share[d])), fmt::format("{:.1f}%", part)});
    }
    add_rows(table, pool.children, total, indent + "  ");
  }
}

}  // namespace

int drf_shares_of_input(Context& context, const std::string& total_text, bool as_table) {
  const Total total = read_total(total_text);
  std::vector<Pool> pools = Reader(total).read(read_list(kExample, kMostEntries), "", 1);
  std::vector<Share> all;
  for (const std::int64_t amount : total.amounts) all.push_back(share_of_slots(amount));
  deal(pools, total, all, Contested::kAll);
  if (!as_table) {
    print_json(context.out, json_of(pools, total));
    return kExitDone;
  }
  Table table({{.header = "NAME", .least_width = 10},
               {.header = "DIMENSION", .least_width = 9},
               {.header = "DEMAND", .right = true, .rank = 1},
               {.header = "SHARE", .right = true},
               {.header = "OF TOTAL", .right = true}});
  add_rows(table, pools, total, "");
  context.out << table.render(context.columns());
  return kExitDone;
}

}  // namespace weir::cli
