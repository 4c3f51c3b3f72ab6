#include "conf/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace weir {
namespace {

// Closes what open() gave.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

std::optional<std::string> read_text_file(const std::string& file, std::size_t most,
                                          std::string& problem) {
  // Not blocking, so that a FIFO somebody put in the place of the file holds nothing up.
  const Descriptor opened{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status {};
  if (opened.fd < 0 || ::fstat(opened.fd, &status) != 0) {
    problem = fmt::format("cannot be opened: {}", std::strerror(errno));
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) {
    problem = "is no regular file";
    return std::nullopt;
  }
  std::string text(most + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(opened.fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      problem = fmt::format("cannot be read: {}", std::strerror(errno));
      return std::nullopt;
    }
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace weir
