// Bytes that the program has allocated and not given back, as its allocator counts them (tcmalloc
// in the release build, the sanitizer's in theirs, else the C library's). Any thread.
#pragma once

#include <cstdint>

namespace weir::bench {

std::int64_t heap_in_use();

}  // namespace weir::bench
