// How the daemons write their logs: "[time] [level] message", and the message as plain text on one
// line, whatever of users' and peers' words is in it. It is done here, for every line, so that no
// message has to think of it.
#pragma once

#include <spdlog/formatter.h>

#include <memory>

namespace weir {

std::unique_ptr<spdlog::formatter> log_line_formatter();

}  // namespace weir
