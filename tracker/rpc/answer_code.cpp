#include "tracker/rpc/answer_code.h"

#include <cstdint>

#include "common_types.h"
#include "tracker/metrics/call_counters.h"

namespace weir {
namespace {

constexpr std::uint8_t kTypeStop = 0, kTypeI32 = 8, kTypeStruct = 12;
constexpr std::uint8_t kReply = 2;
constexpr std::uint32_t kUnknownMethod = 1;  // of a TApplicationException
constexpr std::size_t kHeadBytes = 4;

// Reads on; what is not there reads as 0.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  std::uint32_t number(std::size_t size) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value = value << 8 | (i < bytes_.size() ? static_cast<std::uint8_t>(bytes_[i]) : 0u);
    skip(size);
    return value;
  }
  void skip(std::size_t size) { bytes_.remove_prefix(size < bytes_.size() ? size : bytes_.size()); }

 private:
  std::string_view bytes_;
};

}  // namespace

AnswerCode answer_code(std::string_view frame) {
  Bytes bytes(frame);
  bytes.skip(kHeadBytes);
  const bool reply = (bytes.number(4) & 0xff) == kReply;
  bytes.skip(bytes.number(4));  // the method's name
  bytes.skip(4);                // the call's number
  if (!reply) {                 // its message, then its type
    std::uint32_t type = 0;
    for (int field = 0; field < 2 && type == 0; ++field) {
      const std::uint32_t kind = bytes.number(1);
      const std::uint32_t id = bytes.number(2);
      if (kind == kTypeI32 && id == 2) {
        type = bytes.number(4);
      } else {
        bytes.skip(bytes.number(4));
      }
    }
    return {type != kUnknownMethod, CallCounters::kFault};
  }
  // One field: the value has the id 0, an error another; without a field nothing was to be said.
  const std::uint32_t kind = bytes.number(1);
  if (kind == kTypeStop || bytes.number(2) == 0 || kind != kTypeStruct) return {};
  const bool code_first = bytes.number(1) == kTypeI32 && bytes.number(2) == 1;
  return {true, code_first ? bytes.number(4) : CallCounters::kFault};
}

std::string answer_code_name(std::size_t code) {
  if (code == 0) return "OK";
  const auto& names = wire::_ErrorCode_VALUES_TO_NAMES;
  const auto found = names.find(static_cast<int>(code));
  return found == names.end() ? "EXCEPTION" : found->second;
}

}  // namespace weir
