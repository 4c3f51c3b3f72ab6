// Where a command writes what was asked for: a file, or stdout for "-". What could not be written
// is told when it is closed. One thread.
#pragma once

#include <fstream>
#include <memory>
#include <ostream>
#include <string>

#include "cli/context.h"

namespace weir::cli {

class Sink {
 public:
  Sink(Context& context, const std::string& name);
  // None for a name that was not given.
  static std::unique_ptr<Sink> of(Context& context, const std::string& name);
  std::ostream& stream() { return *stream_; }
  void close();

 private:
  std::string name_;
  std::ofstream file_;
  std::ostream* stream_ = nullptr;
};

}  // namespace weir::cli
