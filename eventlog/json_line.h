// One JSON object on one line, written key by key in a fixed order: `{"t": 0, "event": "launch"}`.
// Made for logs of millions of lines whose bytes must be the same at every run: no tree is built
// and the buffer is used again. Text is escaped as JSON asks, and so is what steers a terminal
// (jobqueue/model/plain_text.h); bytes that are no UTF-8, which JSON cannot hold, become U+FFFD.
// One thread.
#pragma once

#include <cstdint>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "jobqueue/model/plain_text.h"

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
  // Amounts by name, as an object.
  template <class Amounts>
  JsonLine& add_amounts(std::string_view key, const Amounts& amounts) {
    open(key);
    buffer_.push_back('{');
    bool first = true;
    for (const auto& [name, amount] : amounts) {
      if (!first) buffer_.append(std::string_view(", "));
      first = false;
      append_text(name);
      fmt::format_to(std::back_inserter(buffer_), ": {}", amount);
    }
    buffer_.push_back('}');
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
    while (!text.empty()) {
      const char c = text[0];
      std::size_t length = 1;
      if (c == '"' || c == '\\') {
        buffer_.push_back('\\');
        buffer_.push_back(c);
      } else if (c >= 0x20 && c < 0x7f) {
        buffer_.push_back(c);
      } else {
        length = append_character(text);
      }
      text.remove_prefix(length);
    }
    buffer_.push_back('"');
  }
  // The bytes of `text` that it took.
  std::size_t append_character(std::string_view text) {
    const std::size_t length = utf8_length(text);
    const std::string_view sequence = text.substr(0, length);
    if (length == 0) {
      buffer_.append(std::string_view("\xef\xbf\xbd"));
    } else if (const char32_t character = code_point(sequence); is_hidden(character)) {
      buffer_.append(json_escape(character));
    } else {
      buffer_.append(sequence);
    }
    return length == 0 ? 1 : length;
  }

  std::ostream& out_;
  fmt::memory_buffer buffer_;
};

}  // namespace weir
