// The directory of a local cluster, which is all that is known of one that --keep left running:
//   pids       its processes (see local_processes.h); there until --stop has ended them
//   ports      "CLIENT TRACKER HTTP\n", written by the JobTracker once it listens
//   jobtracker.arguments
//              what its JobTracker is started with, each ended by a NUL, so that by hand
//              `xargs -0 weir < DIR/jobtracker.arguments` starts it again
// A JobTracker that somebody started by hand on the cluster's store belongs to the cluster like one
// that is in `pids`: the store's lock says which process that is. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/local_processes.h"

namespace weir::cli {

inline constexpr const char* kLocalJobTracker = "jobtracker";  // its name in `pids`

struct LocalPorts {
  std::uint16_t client = 0, tracker = 0, http = 0;  // http: 0 if there are no web pages
  friend bool operator==(const LocalPorts&, const LocalPorts&) = default;
};
// Nothing while the file is not complete.
std::optional<LocalPorts> parse_port_file(const std::string& text);

std::string arguments_text(const std::vector<std::string>& arguments);
std::vector<std::string> parse_arguments(const std::string& text);
// What stands behind an option; empty if it is not there.
std::string argument_of(const std::vector<std::string>& arguments, const std::string& option);
// The same, but with this value.
std::vector<std::string> with_argument(std::vector<std::string> arguments,
                                       const std::string& option, const std::string& value);

class LocalDirectory {
 public:
  explicit LocalDirectory(const std::string& path);  // as typed

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string log(const LocalProcess& process) const { return file(process.name + ".log"); }

  bool kept() const;  // --keep made it, and --stop has not ended it
  std::optional<LocalPorts> ports() const;
  std::vector<std::string> arguments() const;  // of its JobTracker; empty: not known
  // Those that live, the JobTracker first if it does.
  std::vector<LocalProcess> processes() const;

  void write_processes(const std::vector<LocalProcess>& processes) const;
  void write_arguments(const std::vector<std::string>& arguments) const;
  void remove(const std::string& name) const;

 private:
  std::string path_;
};

std::string read_file(const std::string& path);  // empty if it cannot be read
// Aside and renamed in; throws CliFailure.
void write_file(const std::string& path, const std::string& text);
// "ended with exit code 1: ...", with what it complained of last if it failed.
std::string end_of(const LocalProcess& process, const std::string& log);

}  // namespace weir::cli
