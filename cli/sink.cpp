#include "cli/sink.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "cli/exit_code.h"
#include "cli/format.h"

namespace weir::cli {

Sink::Sink(Context& context, const std::string& name) : name_(name), stream_(&context.out) {
  if (name == "-") return;
  file_.open(name, std::ios::binary | std::ios::trunc);
  if (!file_) {
    throw wrong_use(
        fmt::format("{}: cannot be written: {}", printable(name), std::strerror(errno)));
  }
  stream_ = &file_;
}

std::unique_ptr<Sink> Sink::of(Context& context, const std::string& name) {
  return name.empty() ? nullptr : std::make_unique<Sink>(context, name);
}

void Sink::close() {
  stream_->flush();
  if (!*stream_ && stream_ == &file_) {
    throw CliFailure(kExitNotSo, fmt::format("{}: could not be written", printable(name_)));
  }
}

}  // namespace weir::cli
