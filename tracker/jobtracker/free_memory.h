// What has been freed and the allocator keeps goes back to the system. Takes milliseconds, on any
// thread.
#pragma once

namespace weir {

void release_free_memory();

}  // namespace weir
