#include "bench/heap.h"

#ifdef WEIR_HAVE_GPERFTOOLS
#include <gperftools/malloc_extension.h>
#else
#include <malloc.h>
#endif

namespace weir::bench {

std::int64_t heap_in_use() {
#ifdef WEIR_HAVE_GPERFTOOLS
  std::size_t bytes = 0;
  MallocExtension::instance()->GetNumericProperty("generic.current_allocated_bytes", &bytes);
  return static_cast<std::int64_t>(bytes);
#else
  const auto info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
#endif
}

}  // namespace weir::bench
