#include "tracker/jobtracker/free_memory.h"

#include <malloc.h>

// There where the program is linked with tcmalloc.
extern "C" void MallocExtension_ReleaseFreeMemory() __attribute__((weak));

namespace weir {

void release_free_memory() {
  if (MallocExtension_ReleaseFreeMemory != nullptr) return MallocExtension_ReleaseFreeMemory();
  ::malloc_trim(0);
}

}  // namespace weir
