#include "live/event_parser.h"

namespace weir::live {

bool EventParser::feed(std::string_view piece,
                       const std::function<void(const ServerEvent&)>& take) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    if (end == std::string_view::npos) {
      rest_ += piece;
      break;
    }
    if (rest_.empty()) {
      line(piece.substr(0, end), take);
    } else {
      rest_ += piece.substr(0, end);
      const std::string whole = std::move(rest_);
      rest_.clear();
      line(whole, take);
    }
    piece.remove_prefix(end + 1);
  }
  return rest_.size() + event_.data.size() <= kMostBytes;
}

void EventParser::line(std::string_view text,
                       const std::function<void(const ServerEvent&)>& take) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.empty()) {
    if (any_data_) {
      if (event_.name.empty()) event_.name = "message";
      take(event_);
    }
    event_.name.clear();
    event_.data.clear();
    any_data_ = false;
    return;
  }
  const std::size_t colon = text.find(':');
  const std::string_view field = text.substr(0, colon);
  std::string_view value = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "event") event_.name = value;
  if (field == "id") event_.id = value;
  if (field == "data") {
    if (any_data_) event_.data += '\n';
    event_.data += value;
    any_data_ = true;
  }
}

}  // namespace weir::live
