#include "tracker/rpc/log_lines.h"

#include <spdlog/pattern_formatter.h>

#include "jobqueue/model/plain_text.h"

namespace weir {

namespace {
class PlainMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& line) override {
    const std::string text = plain_text({message.payload.data(), message.payload.size()});
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<PlainMessage>();
  }
};
}  // namespace

std::unique_ptr<spdlog::formatter> log_line_formatter() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<PlainMessage>('*').set_pattern("[%Y-%m-%d %H:%M:%S.%e] [%^%l%$] %*");
  return formatter;
}

}  // namespace weir
