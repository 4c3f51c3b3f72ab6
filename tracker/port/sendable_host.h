// Which host people are told to go to, by what a port listens on. Any thread.
#pragma once

#include <string>

namespace weir {

bool is_any_host(const std::string& host);       // 0.0.0.0, ::, or none
bool is_loopback_host(const std::string& host);  // localhost, or an address of this machine alone
// That of "listens on all" is the machine's own name: what can be sent to somebody elsewhere.
std::string sendable_host(const std::string& listens);

}  // namespace weir
