#include "bench/heap.h"

#if defined(WEIR_HAVE_GPERFTOOLS)
#include <gperftools/malloc_extension.h>
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <cstddef>
// Of <sanitizer/allocator_interface.h>, which GCC does not install. mallinfo2() says 0 here.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#else
#include <malloc.h>
#endif

namespace weir::bench {

std::int64_t heap_in_use() {
#if defined(WEIR_HAVE_GPERFTOOLS)
  std::size_t bytes = 0;
  MallocExtension::instance()->GetNumericProperty("generic.current_allocated_bytes", &bytes);
  return static_cast<std::int64_t>(bytes);
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return static_cast<std::int64_t>(__sanitizer_get_current_allocated_bytes());
#else
  const auto info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
#endif
}

}  // namespace weir::bench
