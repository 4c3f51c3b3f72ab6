#include "fuzz/thrift_tree.h"

namespace weir::fuzz {
namespace {

constexpr int kMostDepth = 24;
constexpr std::size_t kFrameHeader = 4;

// Bytes of a fixed type; 0: it is none.
int width_of(std::uint8_t type) {
  switch (type) {
    case 2:
    case 3:
      return 1;
    case 6:
      return 2;
    case 8:
      return 4;
    case 4:
    case 10:
      return 8;
    default:
      return 0;
  }
}

class Parser {
 public:
  explicit Parser(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number(int width) {
    if (bytes_.size() < static_cast<std::size_t>(width)) return fail();
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i) value = value << 8 | static_cast<unsigned char>(bytes_[i]);
    bytes_.remove_prefix(width);
    return value;
  }

  std::string text() {
    const std::size_t size = number(4);
    if (size > bytes_.size()) fail();
    if (!good) return {};
    std::string text(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return text;
  }

  ThriftValue value(std::uint8_t type, int depth) {
    ThriftValue value;
    value.type = type;
    if (depth > kMostDepth) fail();
    if (const int width = width_of(type)) {
      value.number = number(width);
    } else if (type == 11) {
      value.bytes = text();
    } else if (type == 12) {
      while (good) {
        const auto field_type = static_cast<std::uint8_t>(number(1));
        if (field_type == 0) break;
        const auto field = static_cast<std::int16_t>(number(2));
        value.members.push_back(this->value(field_type, depth + 1));
        value.members.back().field = field;
      }
    } else if (type >= 13 && type <= 15) {
      if (type == 13) value.key_type = static_cast<std::uint8_t>(number(1));
      value.element_type = static_cast<std::uint8_t>(number(1));
      for (std::size_t left = number(4); good && left > 0; --left) {
        if (type == 13) value.members.push_back(this->value(value.key_type, depth + 1));
        value.members.push_back(this->value(value.element_type, depth + 1));
      }
    } else {
      fail();
    }
    return value;
  }

  bool good = true;

 private:
  std::uint64_t fail() {
    good = false;
    return 0;
  }
  std::string_view bytes_;
};

void put(std::string& out, std::uint64_t number, int width) {
  for (int shift = 8 * (width - 1); shift >= 0; shift -= 8)
    out.push_back(static_cast<char>(number >> shift));
}

void put_value(std::string& out, const ThriftValue& value) {
  if (const int width = width_of(value.type)) return put(out, value.number, width);
  if (value.type == 11) {
    put(out, value.bytes.size(), 4);
    out += value.bytes;
    return;
  }
  if (value.type == 12) {
    for (const ThriftValue& field : value.members) {
      put(out, field.type, 1);
      put(out, static_cast<std::uint16_t>(field.field), 2);
      put_value(out, field);
    }
    return put(out, 0, 1);
  }
  if (value.type == 13) put(out, value.key_type, 1);
  put(out, value.element_type, 1);
  put(out, value.type == 13 ? value.members.size() / 2 : value.members.size(), 4);
  for (const ThriftValue& member : value.members) put_value(out, member);
}

}  // namespace

std::optional<ThriftMessage> parse_message(std::string_view bytes) {
  Parser parser(bytes);
  ThriftMessage message;
  message.head = static_cast<std::uint32_t>(parser.number(4));
  message.method = parser.text();
  message.sequence = static_cast<std::uint32_t>(parser.number(4));
  message.arguments = parser.value(12, 0);
  if (!parser.good) return std::nullopt;
  return message;
}

std::string write_message(const ThriftMessage& message) {
  std::string out;
  put(out, message.head, 4);
  put(out, message.method.size(), 4);
  out += message.method;
  put(out, message.sequence, 4);
  put_value(out, message.arguments);
  return out;
}

std::vector<std::string_view> cut_frames(std::string_view bytes) {
  std::vector<std::string_view> frames;
  while (bytes.size() > kFrameHeader) {
    const std::size_t size = Parser(bytes).number(kFrameHeader);
    if (size > bytes.size() - kFrameHeader) break;
    frames.push_back(bytes.substr(kFrameHeader, size));
    bytes.remove_prefix(kFrameHeader + size);
  }
  return frames;
}

std::string write_frame(std::string_view payload) {
  std::string frame;
  put(frame, payload.size(), kFrameHeader);
  return frame.append(payload);
}

}  // namespace weir::fuzz
