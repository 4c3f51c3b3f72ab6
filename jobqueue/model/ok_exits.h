// With which statuses a job's commands may end. 0 is always one; others are named by
// `weir.ok.exit=0,1`, as of grep, which ends with 1 where nothing matches. As Hadoop's streaming
// says it, `stream.non.zero.exit.is.failure=false` takes any, but for 126 to 192, by which a shell
// says that it could not run a program, or that a signal ended one. A command that a signal ended
// has failed. Pure, any thread.
#pragma once

#include <bitset>
#include <map>
#include <string>
#include <string_view>

#include "jobqueue/model/result.h"

namespace weir {

class OkExits {
 public:
  OkExits() { ok_.set(0); }
  // Of a job with this conf.
  static Result<OkExits> of(const std::map<std::string, std::string>& conf);
  // "0,1"
  static Result<OkExits> parse(std::string_view statuses);
  bool contains(int status) const { return ok_[static_cast<std::size_t>(status & 0xFF)]; }

 private:
  std::bitset<256> ok_;
};

inline constexpr std::string_view kOkExitConf = "weir.ok.exit";
inline constexpr std::string_view kExitFailsConf = "stream.non.zero.exit.is.failure";

}  // namespace weir
