#include "tracker/tasktracker/text.h"

namespace weir::tasktracker {
namespace {

// Length of the UTF-8 sequence at the front, 0 if there is none that is valid (surrogates and
// overlong forms pass as invalid where their lead byte says so; the rest is harmless to print).
std::size_t utf8_length(std::string_view bytes) {
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || length > bytes.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(bytes[i]) & 0xc0) != 0x80) return 0;
  }
  const auto second = static_cast<unsigned char>(bytes[1]);
  const bool bad = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) ||
                   (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90);
  return bad ? 0 : length;
}

}  // namespace

std::string printable(std::string_view bytes, std::size_t limit, bool keep_newlines) {
  std::string text;
  while (!bytes.empty() && text.size() < limit) {
    const auto c = static_cast<unsigned char>(bytes[0]);
    std::size_t length = 1;
    if (c >= 0x80) {
      length = utf8_length(bytes);
      if (length > 0 && text.size() + length > limit) break;
      if (length > 0) text.append(bytes.substr(0, length));
    } else if ((c >= 0x20 && c != 0x7f) || c == '\t' || (c == '\n' && keep_newlines)) {
      text.push_back(static_cast<char>(c));
    } else {
      length = 0;
    }
    if (length == 0) text.push_back('?');
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace weir::tasktracker
