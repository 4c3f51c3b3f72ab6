#include "bench/wire/in_parallel.h"

#include <exception>
#include <thread>
#include <vector>

#include "common_types.h"

namespace weir::bench {
namespace {

[[noreturn]] void fail(const std::string& what, const std::exception_ptr& trouble) {
  try {
    std::rethrow_exception(trouble);
  } catch (const wire::WeirError& error) {
    throw WireTrouble(what + ": " + error.message);
  } catch (const std::exception& error) {
    throw WireTrouble(what + ": " + error.what());
  }
}

}  // namespace

void in_parallel(std::uint32_t threads, const std::string& what,
                 const std::function<void(std::uint32_t thread)>& doing) {
  std::vector<std::exception_ptr> troubles(threads);
  {
    std::vector<std::jthread> running;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        try {
          doing(thread);
        } catch (...) {
          troubles[thread] = std::current_exception();
        }
      });
    }
  }
  for (const std::exception_ptr& trouble : troubles) {
    if (trouble) fail(what, trouble);
  }
}

}  // namespace weir::bench
