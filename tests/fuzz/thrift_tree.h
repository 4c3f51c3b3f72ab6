// A Thrift message in the strict binary protocol as a tree that can be changed and written again:
// what the mutator of frames works on, so that its changes keep the lengths and types around them
// right and reach the handlers. The protocol describes itself, so no IDL is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::fuzz {

// Wire types: 2 bool, 3 byte, 4 double, 6 i16, 8 i32, 10 i64, 11 string, 12 struct, 13 map, 14 set,
// 15 list.
struct ThriftValue {
  std::uint8_t type = 0;
  std::int16_t field = 0;            // its number in the struct that it stands in
  std::uint64_t number = 0;          // of the fixed types
  std::string bytes;                 // of a string
  std::uint8_t key_type = 0;         // of a map
  std::uint8_t element_type = 0;     // of a map, set, list
  std::vector<ThriftValue> members;  // fields; elements; keys and values in turn
};

struct ThriftMessage {
  std::uint32_t head = 0x80010001;  // version and kind
  std::string method;
  std::uint32_t sequence = 0;
  ThriftValue arguments;
};

std::optional<ThriftMessage> parse_message(std::string_view bytes);
std::string write_message(const ThriftMessage& message);

// The payloads of the whole frames at the front of `bytes`.
std::vector<std::string_view> cut_frames(std::string_view bytes);
std::string write_frame(std::string_view payload);

}  // namespace weir::fuzz
