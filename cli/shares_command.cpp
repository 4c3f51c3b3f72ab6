#include "cli/shares_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "cli/drf_shares_command.h"
#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/shares_input.h"
#include "cli/table.h"
#include "fair/shares.h"

namespace weir::cli {
namespace {

constexpr std::string_view kSlotsAllowed =
    "a whole number of slots, 0 to 9223372036854775807";
constexpr std::int64_t kMostTotal = 4'000'000'000;  // what a Share holds, with room for sums
constexpr std::size_t kMostClaimants = 1'000'000;
constexpr std::string_view kClaimantKeys[] = {"name", "demand", "min", "weight", "max"};

struct Claim {
  std::string name;
  double weight = 1;
  ShareClaimant claimant;
};

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
      claim.claimant.demand =
          whole_number(which, key, value, kSlotsAllowed);
    } else if (key == "min") {
      claim.claimant.minimum =
          whole_number(which, key, value, kSlotsAllowed);
    } else if (key == "max") {
      if (!value.is_null())
        claim.claimant.maximum =
            whole_number(which, key, value, kSlotsAllowed);
    } else if (key == "weight") {
      claim.weight = read_weight(which, value);
    } else if (key != "name") {
      refuse_key(which, key, kClaimantKeys);
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

std::int64_t read_slots(const std::string& text) {
  std::int64_t slots = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
  if (error != std::errc() || end != text.data() + text.size() || slots < 0 || slots > kMostTotal)
    throw wrong_use(fmt::format(
        "--total {}: not a number of slots, allowed: 0 to {}, or with --drf dimensions like "
        "memory_mb=18432,vcores=9",
        text.substr(0, 60), kMostTotal));
  return slots;
}

int shares(Context& context, std::int64_t total, bool table) {
  const Json input =
      read_list("[{\"name\": \"a\", \"demand\": 50, \"min\": 10, \"weight\": 1, \"max\": 40}]",
                kMostClaimants);
  std::vector<Claim> claims;
  claims.reserve(input.size());
  for (const Json& item : input) claims.push_back(read_claim(item, claims.size()));
  std::vector<double> weights;
  for (const Claim& claim : claims) weights.push_back(claim.weight);
  const std::vector<std::int64_t> scaled = scaled_weights(weights);
  std::vector<ShareClaimant> claimants;
  claimants.reserve(claims.size());
  for (std::size_t i = 0; i < claims.size(); ++i) {
    claimants.push_back(claims[i].claimant);
    claimants.back().weight = scaled[i];
  }
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
  const auto total = std::make_shared<std::string>();
  command->add_option("--total", *total, "slots to share out; with --drf NAME=AMOUNT,...")
      ->type_name("N")
      ->required();
  const auto drf = std::make_shared<bool>(false);
  command->add_flag("--drf", *drf, "by dominant resource, in several dimensions");
  // JSON unless a table is asked for: it answers scripts.
  const auto format = std::make_shared<std::string>("json");
  command->add_option("-o,--output-format", *format, "json, or a table for people")
      ->type_name("table|json")
      ->check(CLI::IsMember({"table", "json"}));
  command->footer(
      "Standard input is a JSON list of {name, demand, min, weight, max} in slots; min is 0, "
      "weight "
      "1 and max\nunlimited unless they say otherwise. The output is a JSON list of {name, share} "
      "in the same order.\nWith --drf demand, min, max and share are objects, an amount for each "
      "dimension, and an entry may be a\npool: {name, policy: drf or fair, children: [...], min, "
      "weight, max}.\n"
      "Examples:\n"
      "  echo '[{\"name\": \"a\", \"demand\": 46, \"min\": 50}, {\"name\": \"b\", \"demand\": "
      "90}]' | weir shares --total 100\n"
      "  weir shares --drf --total memory_mb=18432,vcores=9 -o table < claimants.json");
  command->callback([&context, total, drf, format] {
    context.action = [&context, total, drf, format] {
      const bool table = *format == "table";
      if (*drf) return drf_shares_of_input(context, *total, table);
      return shares(context, read_slots(*total), table);
    };
  });
}

}  // namespace weir::cli
