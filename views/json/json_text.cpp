#include <algorithm>
#include <string_view>

#include "jobqueue/model/plain_text.h"
#include "views/json/json.h"

namespace weir {
namespace {

// Escapes what a terminal would obey; a newline is the only such outside of strings.
std::string shown(const std::string& text) {
  std::string out;
  out.reserve(text.size() + 1);
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(rest), 1);
    const std::string_view sequence = rest.substr(0, length);
    const char32_t character = code_point(sequence);
    if (is_hidden(character) && character != '\n') {
      out += json_escape(character);
    } else {
      out += sequence;
    }
    rest.remove_prefix(length);
  }
  return out;
}

}  // namespace

std::string json_text(const Json& json) {
  return shown(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
}

std::string json_line(const Json& json) {
  return shown(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace weir
