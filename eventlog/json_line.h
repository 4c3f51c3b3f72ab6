// One JSON object on one line, written key by key in a fixed order: `{"t": 0, "event": "launch"}`.
// Made for logs of millions of lines whose bytes must be the same at every run: no tree is built
// and the buffer is used again. Text is escaped as JSON asks; bytes that are no ASCII pass as they
// are. One thread.
#pragma once

#include <cstdint>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace weir {

class JsonLine {
 public:
  explicit JsonLine(std::ostream& out) : out_(out) {}

  JsonLine& begin() {
    buffer_.clear();
    buffer_.push_back('{');
    return *this;
  }
  JsonLine& add(std::string_view key, std::int64_t value) {
    open(key);
    fmt::format_to(std::back_inserter(buffer_), "{}", value);
    return *this;
  }
  JsonLine& add(std::string_view key, std::string_view text) {
    open(key);
    append_text(text);
    return *this;
  }
  JsonLine& add_true(std::string_view key) {
    open(key);
    buffer_.append(std::string_view("true"));
    return *this;
  }
  // With at most three decimals, whole numbers as such.
  JsonLine& add_number(std::string_view key, double value) {
    open(key);
    std::string text = fmt::format("{:.3f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    buffer_.append(std::string_view(text));
    return *this;
  }
  JsonLine& add_null(std::string_view key) {
    open(key);
    buffer_.append(std::string_view("null"));
    return *this;
  }
  void end() {
    buffer_.append(std::string_view("}\n"));
    out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  }

 private:
  void open(std::string_view key) {
    if (buffer_.size() > 1) buffer_.append(std::string_view(", "));
    append_text(key);
    buffer_.append(std::string_view(": "));
  }
  void append_text(std::string_view text) {
    buffer_.push_back('"');
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        buffer_.push_back('\\');
        buffer_.push_back(c);
      } else if (static_cast<unsigned char>(c) < 0x20) {
        fmt::format_to(std::back_inserter(buffer_), "\\u{:04x}", static_cast<unsigned>(c));
      } else {
        buffer_.push_back(c);
      }
    }
    buffer_.push_back('"');
  }

  std::ostream& out_;
  fmt::memory_buffer buffer_;
};

}  // namespace weir
