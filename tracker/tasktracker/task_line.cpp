#include "tracker/tasktracker/task_line.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "tracker/tasktracker/task_spec_codec.h"

namespace weir::tasktracker {
namespace {

constexpr std::string_view kVerb = "task ";
constexpr std::size_t kMostSpecBytes = 32u << 20;

// False: the line is closed.
Result<bool> read_more(TaskLine& line) {
  std::array<char, 16384> bytes;
  ssize_t n;
  while ((n = ::read(line.commands.get(), bytes.data(), bytes.size())) < 0 && errno == EINTR) {
  }
  if (n < 0) return system_error("commands");
  line.unread.append(bytes.data(), static_cast<std::size_t>(n));
  return n > 0;
}

// The next command without its newline.
Result<std::optional<std::string>> next_command(TaskLine& line) {
  std::size_t newline;
  while ((newline = line.unread.find('\n')) == std::string::npos) {
    if (line.unread.size() > kLongestCommand) return data_error("a command without an end");
    const auto more = read_more(line);
    if (!more) return more.error();
    if (!*more) return std::optional<std::string>();
  }
  std::string command = line.unread.substr(0, newline);
  line.unread.erase(0, newline + 1);
  return std::optional(std::move(command));
}

Result<std::size_t> size_in(std::string_view command) {
  std::size_t size = 0;
  const char* const end = command.data() + command.size();
  const auto [stop, error] = std::from_chars(command.data() + kVerb.size(), end, size);
  if (error != std::errc() || stop != end || size > kMostSpecBytes)
    return data_error("description of " + std::string(command.substr(kVerb.size())) + " bytes");
  return size;
}

}  // namespace

std::string task_command(const TaskSpec& spec) {
  const std::string bytes = encode_task_spec(spec);
  return std::string(kVerb) + std::to_string(bytes.size()) + "\n" + bytes;
}

Result<std::optional<TaskSpec>> next_task(TaskLine& line) {
  for (;;) {
    const auto command = next_command(line);
    if (!command) return command.error();
    if (!*command) return std::optional<TaskSpec>();
    if (!(*command)->starts_with(kVerb)) continue;
    const auto size = size_in(**command);
    if (!size) return size.error();
    while (line.unread.size() < *size) {
      const auto more = read_more(line);
      if (!more) return more.error();
      if (!*more) return std::optional<TaskSpec>();
    }
    auto spec = decode_task_spec(std::string_view(line.unread).substr(0, *size));
    line.unread.erase(0, *size);
    if (!spec) return spec.error();
    return std::optional(std::move(*spec));
  }
}

}  // namespace weir::tasktracker
