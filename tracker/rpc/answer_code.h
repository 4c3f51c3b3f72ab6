// How a call was answered, as its reply's bytes say: by a value, by an error of ours and which, or
// by an exception of the framework's. A look at a few bytes at the front: nothing is parsed again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir {

struct AnswerCode {
  bool understood = true;  // false: there is no such method
  std::size_t code = 0;    // as CallCounters has them
};

// `frame`: a reply with its length, in the strict binary protocol.
AnswerCode answer_code(std::string_view frame);
// OK, BUSY...; EXCEPTION: one of the framework's.
std::string answer_code_name(std::size_t code);

}  // namespace weir
