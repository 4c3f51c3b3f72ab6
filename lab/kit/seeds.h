// How many random stories a test tells: under a sanitizer a tenth, which take the same paths, and
// take ten times as long.
#pragma once

namespace weir {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr unsigned some_seeds(unsigned seeds) {
  return (seeds + 9) / 10;
}
#else
constexpr unsigned some_seeds(unsigned seeds) {
  return seeds;
}
#endif

}  // namespace weir
