// Hints to the processor that memory will be looked at soon. They change nothing but time: an end
// and a launch in one of many queues wait for some twenty lines of memory, one after the other,
// unless these are asked for together. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace weir {

inline constexpr std::size_t kCacheLine = 64;
// Records, what they point to, and so on.
inline constexpr int kPrefetchSteps = 4;

// All lines on which `size` bytes from `first` on lie.
inline void prefetch_lines(const void* first, std::size_t size) {
  const auto* at = static_cast<const char*>(first);
  const auto* end = at + size;
  for (at -= reinterpret_cast<std::uintptr_t>(at) % kCacheLine; at < end; at += kCacheLine)
    __builtin_prefetch(at);
}
template <class T>
void prefetch_lines(const T& value) {
  prefetch_lines(&value, sizeof(T));
}

// What stands side by side in a container; of many elements only the first ones.
template <class Container>
void prefetch_few(const Container& container) {
  constexpr std::size_t kBytes = 6 * kCacheLine;
  if (container.empty()) return;
  prefetch_lines(&*container.begin(),
                 std::min(container.size() * sizeof(*container.begin()), kBytes));
}

}  // namespace weir
