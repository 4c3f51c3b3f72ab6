#include "tracker/tasktracker/attempt_program.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string_view>

#ifdef WEIR_ATTEMPT_PROGRAM
asm(".section .rodata\n"
    ".balign 16\n"
    "weir_attempt_program:\n"
    ".incbin \"" WEIR_ATTEMPT_PROGRAM
    "\"\n"
    "weir_attempt_program_end:\n"
    ".text\n");
extern "C" const char weir_attempt_program[], weir_attempt_program_end[];
#endif

namespace weir::tasktracker {
namespace {

std::string_view carried() {
#ifdef WEIR_ATTEMPT_PROGRAM
  return {weir_attempt_program,
          static_cast<std::size_t>(weir_attempt_program_end - weir_attempt_program)};
#else
  return {};
#endif
}

}  // namespace

AttemptProgram AttemptProgram::load() {
  AttemptProgram program;
  const std::string_view bytes = carried();
  if (bytes.empty()) return program;
  UniqueFd memory(::memfd_create("weir-attempts", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  constexpr int kForGood = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (!memory.valid() || !write_all(memory.get(), bytes, "program of attempts") ||
      ::fcntl(memory.get(), F_ADD_SEALS, kForGood) != 0)
    return program;
  program.memory_ = std::move(memory);
  if (::access(program.path().c_str(), X_OK) != 0) program.memory_.reset();
  return program;
}

// Of this process, and not of `self`, which is another one by the time that it is executed.
std::string AttemptProgram::path() const {
  if (!memory_.valid()) return "";
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(memory_.get());
}

}  // namespace weir::tasktracker
