#include "cli/shares_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "cli/exit_code.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/table.h"
#include "conf/values.h"
#include "fair/shares.h"

namespace weir::cli {
namespace {

constexpr std::int64_t kMostTotal = 4'000'000'000;  // what a Share holds, with room for sums
constexpr std::size_t kMostClaimants = 1'000'000;
constexpr std::size_t kMostInputBytes = 256'000'000;
constexpr std::string_view kClaimantKeys[] = {"name", "demand", "min", "weight", "max"};

struct Claim {
  std::string name;
  double weight = 1;
  ShareClaimant claimant;
};

std::string read_input(std::istream& in) {
  std::string text;
  char buffer[1 << 16];
  while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMostInputBytes)
      throw wrong_use(fmt::format("standard input: more than {} bytes", kMostInputBytes));
  }
  return text;
}

Json parse_input(const std::string& text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(
                                        std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0));
    const auto line = std::count(text.begin(), end, '\n') + 1;
    const auto newline = std::find(std::make_reverse_iterator(end), text.rend(), '\n');
    const auto column = end - newline.base() + 1;
    throw wrong_use(fmt::format(
        "standard input:{}:{}: not JSON, allowed: a list like "
        "[{{\"name\": \"a\", \"demand\": 50, \"min\": 10, \"weight\": 1, \"max\": 40}}]",
        line, column));
  }
}

[[noreturn]] void refuse(const std::string& which, std::string_view key, const Json& value,
                         std::string_view allowed) {
  std::string shown = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (shown.size() > 60) shown = shown.substr(0, 60) + "...";
  throw wrong_use(
      fmt::format("standard input: {} of {} is {}, allowed: {}", key, which, shown, allowed));
}

// Whole slots; 46.0 is 46.
std::int64_t slots_of(const std::string& which, std::string_view key, const Json& value) {
  constexpr double kExact = 9'007'199'254'740'992;  // 2^53
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(INT64_MAX)) return static_cast<std::int64_t>(number);
  } else if (value.is_number_float()) {
    const auto number = value.get<double>();
    if (number >= 0 && number <= kExact && std::trunc(number) == number)
      return static_cast<std::int64_t>(number);
  }
  refuse(which, key, value, "a whole number of slots, at least 0");
}

Claim read_claim(const Json& item, std::size_t nth) {
  std::string which = fmt::format("entry {}", nth + 1);
  if (!item.is_object())
    throw wrong_use(fmt::format("standard input: {} is no object, allowed: {{{}}}", which,
                                fmt::join(kClaimantKeys, ", ")));
  Claim claim;
  bool has_name = false;
  if (const auto name = item.find("name"); name != item.end()) {
    if (!name->is_string()) refuse(which, "name", *name, "text");
    claim.name = name->get<std::string>();
    has_name = true;
    which += fmt::format(" ({})", claim.name.substr(0, 60));
  }
  for (const auto& [key, value] : item.items()) {
    if (key == "demand") {
      claim.claimant.demand = slots_of(which, key, value);
    } else if (key == "min") {
      claim.claimant.minimum = slots_of(which, key, value);
    } else if (key == "max") {
      if (!value.is_null()) claim.claimant.maximum = slots_of(which, key, value);
    } else if (key == "weight") {
      claim.weight = value.is_number() ? value.get<double>() : 0;
      if (!(claim.weight > 0 && claim.weight <= 1e9))
        refuse(which, key, value, "a number above 0 and up to 1000000000");
    } else if (key != "name") {
      const auto meant = nearest(key, kClaimantKeys);
      throw wrong_use(fmt::format("standard input: unknown key \"{}\" in {}{}, allowed: {}",
                                  key.substr(0, 60), which,
                                  meant ? fmt::format(", did you mean \"{}\"?", *meant) : "",
                                  fmt::join(kClaimantKeys, ", ")));
    }
  }
  if (!has_name || !item.contains("demand"))
    throw wrong_use(
        fmt::format("standard input: {} has no {}, allowed: each has a name and a "
                    "demand",
                    which, has_name ? "demand" : "name"));
  if (claim.claimant.maximum < claim.claimant.minimum)
    refuse(which, "max", item["max"], fmt::format("at least its min, {}", claim.claimant.minimum));
  return claim;
}

// Weights are in any unit that all share: the heaviest becomes 2^49 to 2^50, so that the others
// lose nothing that a share of many millions of slots would show.
void scale_weights(std::vector<Claim>& claims) {
  double heaviest = 0;
  for (const Claim& claim : claims) heaviest = std::max(heaviest, claim.weight);
  int exponent = 0;
  std::frexp(heaviest, &exponent);
  for (Claim& claim : claims) {
    claim.claimant.weight =
        std::max<std::int64_t>(1, std::llround(std::ldexp(claim.weight, 50 - exponent)));
  }
}

int shares(Context& context, std::int64_t total, bool table) {
  const Json input = parse_input(read_input(std::cin));
  if (!input.is_array() || input.size() > kMostClaimants)
    throw wrong_use(fmt::format("standard input: {}, allowed: a list of up to {} objects",
                                input.is_array() ? "too long a list" : "no list", kMostClaimants));
  std::vector<Claim> claims;
  claims.reserve(input.size());
  for (const Json& item : input) claims.push_back(read_claim(item, claims.size()));
  scale_weights(claims);
  std::vector<ShareClaimant> claimants;
  claimants.reserve(claims.size());
  for (const Claim& claim : claims) claimants.push_back(claim.claimant);
  const std::vector<Share> dealt = fair_shares(share_of_slots(total), claimants);
  if (table) {
    Table rows({{.header = "NAME", .least_width = 10}, {.header = "SHARE", .right = true}});
    for (std::size_t i = 0; i < claims.size(); ++i) {
      rows.add({claims[i].name, fmt::format("{:.2f}", static_cast<double>(dealt[i]) /
                                                          static_cast<double>(kWholeSlot))});
    }
    context.out << rows.render(context.columns());
    return kExitDone;
  }
  Json output = Json::array();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    output.push_back({{"name", claims[i].name},
                      {"share", static_cast<double>(dealt[i]) / static_cast<double>(kWholeSlot)}});
  }
  print_json(context.out, output);
  return kExitDone;
}

}  // namespace

void add_shares_command(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "shares", "the fair shares of claimants, as the fair policy computes them");
  command->group("Simulation");
  const auto total = std::make_shared<std::int64_t>(0);
  command->add_option("--total", *total, "slots to share out")
      ->required()
      ->check(CLI::Range(std::int64_t{0}, kMostTotal));
  // JSON unless a table is asked for: it answers scripts.
  const auto format = std::make_shared<std::string>("json");
  command->add_option("-o,--output-format", *format, "json, or a table for people")
      ->type_name("table|json")
      ->check(CLI::IsMember({"table", "json"}));
  command->footer(
      "Standard input is a JSON list of {name, demand, min, weight, max} in slots; min is 0, "
      "weight "
      "1 and max\nunlimited unless they say otherwise. The output is a JSON list of {name, share} "
      "in the same order.\n"
      "Examples:\n"
      "  echo '[{\"name\": \"a\", \"demand\": 46, \"min\": 50}, {\"name\": \"b\", \"demand\": "
      "90}]' "
      "| weir shares --total 100");
  command->callback([&context, total, format] {
    context.action = [&context, total, format] {
      return shares(context, *total, *format == "table");
    };
  });
}

}  // namespace weir::cli
