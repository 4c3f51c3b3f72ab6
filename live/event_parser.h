// Server-sent events out of the pieces of a stream: `event:`, `data:` and `id:` lines, an empty
// line ends one. Comments and fields that are not known are passed over. An event larger than the
// limit ends the reading: false. Pure but for what it keeps of the last piece; one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace weir::live {

struct ServerEvent {
  std::string name;  // "message" if none was said
  std::string data;
  std::string id;  // the last one said
};

class EventParser {
 public:
  static constexpr std::size_t kMostBytes = 32 << 20;

  bool feed(std::string_view piece, const std::function<void(const ServerEvent&)>& take);

 private:
  void line(std::string_view text, const std::function<void(const ServerEvent&)>& take);

  std::string rest_;
  ServerEvent event_;
  bool any_data_ = false;
};

}  // namespace weir::live
