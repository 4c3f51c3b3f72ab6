#include "live/screen_text.h"

#include <algorithm>

#include "jobqueue/model/plain_text.h"
#include "views/text_width.h"

namespace weir::live {

std::string ScreenText::shown(const std::string& text) const {
  std::string plain = plain_text(text);
  if (!size_.ascii) return plain;
  std::string result;
  for (const char c : plain) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) result += c;
    if (byte >= 0xC0) result += '?';
  }
  return result;
}

std::string ScreenText::left(const std::string& text, std::size_t columns) const {
  return padded(truncated(shown(text), columns), columns);
}

// A queue's dotted path: what comes last is kept.
std::string ScreenText::path(const std::string& queue, std::size_t columns) const {
  return padded(truncated_path(shown(queue), columns), columns);
}

std::string ScreenText::padded(std::string cut, std::size_t columns) const {
  if (const std::size_t at = cut.find("…"); size_.ascii && at != std::string::npos)
    cut.replace(at, 3, "~");
  const std::size_t width = display_width(cut);
  return cut + std::string(columns - std::min(columns, width), ' ');
}

std::string ScreenText::right(const std::string& text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return std::string(columns - std::min(columns, width), ' ') + text;
}

}  // namespace weir::live
