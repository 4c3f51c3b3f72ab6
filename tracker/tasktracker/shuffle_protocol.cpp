#include "tracker/tasktracker/shuffle_protocol.h"

#include <charconv>

#include "tracker/tasktracker/attempt_id.h"
#include "tracker/tasktracker/text.h"

namespace weir::tasktracker {
namespace {

constexpr std::string_view kBlocks = "blocks";

std::string_view take_word(std::string_view& text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(std::min(space + 1, text.size()));
  return word;
}

template <class Integer>
bool parse_number(std::string_view word, Integer& into) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), into);
  return !word.empty() && error == std::errc() && end == word.data() + word.size() &&
         !(into < Integer{0});
}

}  // namespace

std::string encode(const ShuffleRequest& request) {
  std::string line(kShuffleMagic);
  if (request.kind == ShuffleRequest::Kind::kMapOutput) {
    line += "MAP " + attempt_name(request.attempt) + " " + std::to_string(request.partition);
  } else {
    line += "LOG " + attempt_name(request.attempt) + " " + request.log + " " +
            std::to_string(request.most_bytes) + " " + std::to_string(request.from);
    if (request.to > 0) line += " " + std::to_string(request.to);
  }
  return line + "\n";
}

std::string encode(const ShuffleAnswer& answer) {
  if (!answer.ok) return "NO " + printable(answer.reason, kMaxShuffleAnswer - 8) + "\n";
  return "OK " + std::to_string(answer.bytes) + " " + std::to_string(answer.crc) + " " +
         std::to_string(answer.lines) +
         (answer.size ? " " + std::to_string(*answer.size) : std::string()) +
         (answer.in_blocks ? " " + std::string(kBlocks) : std::string()) + "\n";
}

std::optional<ShuffleRequest> parse_shuffle_request(std::string_view line) {
  if (!line.starts_with(kShuffleMagic)) return std::nullopt;
  line.remove_prefix(kShuffleMagic.size());
  ShuffleRequest request;
  const std::string_view verb = take_word(line);
  const auto attempt = parse_attempt_name(take_word(line));
  if (!attempt) return std::nullopt;
  request.attempt = *attempt;
  if (verb == "MAP") {
    request.kind = ShuffleRequest::Kind::kMapOutput;
    if (attempt->task.kind != TaskKind::kMap || !parse_number(line, request.partition))
      return std::nullopt;
  } else if (verb == "LOG") {
    request.kind = ShuffleRequest::Kind::kLog;
    request.log = take_word(line);
    // A closed list, since it becomes a file name.
    if (request.log != "stdout" && request.log != "stderr" && request.log != "syslog")
      return std::nullopt;
    if (!parse_number(take_word(line), request.most_bytes)) return std::nullopt;
    if (!line.empty() && !parse_number(take_word(line), request.from)) return std::nullopt;
    if (!line.empty() && !parse_number(line, request.to)) return std::nullopt;
  } else {
    return std::nullopt;
  }
  return request;
}

std::optional<ShuffleAnswer> parse_shuffle_answer(std::string_view line) {
  ShuffleAnswer answer;
  const std::string_view verdict = take_word(line);
  if (verdict == "NO") {
    answer.reason = line;
    return answer;
  }
  if (verdict != "OK") return std::nullopt;
  answer.ok = true;
  if (!parse_number(take_word(line), answer.bytes) || !parse_number(take_word(line), answer.crc) ||
      !parse_number(take_word(line), answer.lines)) {
    return std::nullopt;
  }
  if (line.empty()) return answer;
  if (!parse_number(take_word(line), answer.size.emplace())) return std::nullopt;
  answer.in_blocks = line == kBlocks;
  if (!line.empty() && !answer.in_blocks) return std::nullopt;
  return answer;
}

}  // namespace weir::tasktracker
