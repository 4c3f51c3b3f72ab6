#include "jobqueue/model/ok_exits.h"

#include <charconv>

namespace weir {
namespace {

// What a shell ends with: it could not run a program, or a signal ended one.
constexpr std::size_t kNotRun = 126, kLastSignal = 128 + 64;

Error refusal(std::string_view key, std::string_view value, const char* allowed) {
  return {ErrorCode::kBadRequest, std::string(key) + " is '" + std::string(value) + "'",
          std::string("allowed: ") + allowed};
}

}  // namespace

Result<OkExits> OkExits::parse(std::string_view statuses) {
  OkExits out;
  for (std::string_view rest = statuses;;) {
    const auto comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    unsigned status = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), status);
    if (error != std::errc() || stop != word.data() + word.size() || status > 255)
      return refusal(kOkExitConf, statuses, "numbers from 0 to 255, with commas: 0,1");
    out.ok_.set(status);
    if (comma == std::string_view::npos) return out;
    rest.remove_prefix(comma + 1);
  }
}

Result<OkExits> OkExits::of(const std::map<std::string, std::string>& conf) {
  OkExits out;
  if (const auto named = conf.find(std::string(kOkExitConf)); named != conf.end()) {
    auto parsed = parse(named->second);
    if (!parsed) return parsed.error();
    out = *parsed;
  }
  const auto fails = conf.find(std::string(kExitFailsConf));
  if (fails == conf.end() || fails->second == "true") return out;
  if (fails->second != "false") return refusal(fails->first, fails->second, "true or false");
  const OkExits named = out;
  out.ok_.set();
  for (std::size_t bad = kNotRun; bad <= kLastSignal; ++bad) out.ok_[bad] = named.ok_[bad];
  return out;
}

}  // namespace weir
