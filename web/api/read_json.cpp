#include "web/api/read_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "jobqueue/model/plain_text.h"
#include "web/api/refusal.h"

namespace weir::web {
namespace {

// A tree takes up to twenty times the bytes of its text when it is made of empty lists alone.
std::size_t most_values(std::string_view text) {
  return 10'000 + text.size() / 6;
}

std::string shown(std::string_view key) {
  return plain_text(key.substr(0, 64));
}

// Where a byte stands in the text, for people.
std::string place_of(std::string_view text, std::size_t at) {
  text = text.substr(0, std::min(at, text.size()));
  const std::size_t line = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const std::size_t begin = text.rfind('\n') + 1;  // 0 in the first line
  return fmt::format("line {}, column {}", line + 1, std::max<std::size_t>(text.size() - begin, 1));
}

// Reads the text and says how far: the parser asks for no byte before it needs it.
class Reader {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Reader(const char* at, const char** read) : at_(at), read_(read) {}
  reference operator*() const { return *at_; }
  Reader& operator++() {
    *read_ = ++at_;
    return *this;
  }
  Reader operator++(int) {
    const Reader before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Reader& a, const Reader& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** read_;
};

// Where a string begins that ends just before `end`.
std::size_t begin_of_string(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;  // its closing quote
  for (;;) {
    at = text.rfind('"', at - 1);
    std::size_t escapes = 0;
    while (at > escapes && text[at - 1 - escapes] == '\\') ++escapes;
    if (escapes % 2 == 0) return at;
  }
}

class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::string_view text) : text_(text), values_left_(most_values(text)) {}

  Json take() { return std::move(root_); }
  Reader begin() { return {text_.data(), &read_}; }
  Reader end() { return {text_.data() + text_.size(), &read_}; }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // not of this format
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool end_object() override {
    check_keys(open_.back()->get_ref<const Json::object_t&>(), keys_end_.back());
    return close();
  }
  bool key(string_t& name) override {
    key_ = std::move(name);
    keys_end_.back().push_back(static_cast<std::size_t>(read_ - text_.data()));
    return true;
  }
  bool parse_error(std::size_t at, const std::string& token,
                   const nlohmann::json::exception& error) override {
    const std::string where = place_of(text_, at);
    if (error.id == kNumberOutOfRange)
      refuse(fmt::format("the body, {}: the number {} is too large", where, shown(token)),
             "a number up to 1.8e308");
    refuse(fmt::format("the body is no JSON: {}, near '{}'", where, shown(last_of(token))),
           "a JSON object");
  }

 private:
  static constexpr int kNumberOutOfRange = 406;  // of the library

  static std::string_view last_of(std::string_view token) {
    return token.substr(token.size() - std::min<std::size_t>(token.size(), 20));
  }

  Json& put(Json value) {
    if (values_left_-- == 0)
      refuse("the body: too many values for its length", "a body of this API");
    if (open_.empty()) return root_ = std::move(value);
    Json& in = *open_.back();
    if (in.is_array()) {
      in.push_back(std::move(value));
      return in.back();
    }
    // Appended as to the vector that it is: the map's own way compares it with each key.
    auto& members = static_cast<Json::object_t::Container&>(in.get_ref<Json::object_t&>());
    return members.emplace_back(std::move(key_), std::move(value)).second;
  }
  bool add(Json value) {
    put(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (open_.size() == kMostJsonDepth) {
      refuse(fmt::format("the body: more than {} levels of lists and objects", kMostJsonDepth),
             "a flatter body");
    }
    open_.push_back(&put(std::move(value)));
    keys_end_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_end_.pop_back();
    return true;
  }
  // What is said twice may be said in two ways: which one counts is not ours to guess.
  void check_keys(const Json::object_t& object, const std::vector<std::size_t>& ends) const {
    std::vector<std::string_view> keys;
    keys.reserve(object.size());
    for (const auto& member : object) keys.push_back(member.first);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice == keys.end()) return;
    const auto same = [&](const auto& member) { return member.first == *twice; };
    const auto first = std::find_if(object.begin(), object.end(), same);
    const auto second = std::find_if(std::next(first), object.end(), same);
    const std::size_t end = ends[static_cast<std::size_t>(second - object.begin())];
    refuse(fmt::format("the body, {}, says '{}' twice",
                       place_of(text_, begin_of_string(text_, end) + 1), shown(*twice)),
           "each key once");
  }

  const std::string_view text_;
  std::size_t values_left_;
  Json root_;
  std::vector<Json*> open_;  // each in the one before
  std::vector<std::vector<std::size_t>> keys_end_;  // of each that is open, in the text
  std::string key_;
  const char* read_ = nullptr;  // up to here
};

}  // namespace

Json read_json_object(std::string_view text) {
  Builder builder(text);
  Json::sax_parse(builder.begin(), builder.end(), &builder);
  Json body = builder.take();
  if (!body.is_object()) refuse("the body is no object", "a JSON object like {\"name\": ...}");
  return body;
}

}  // namespace weir::web
