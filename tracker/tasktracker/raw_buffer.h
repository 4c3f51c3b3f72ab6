// Memory that is written before it is read: not filled with zeros first, so that pages nobody uses
// are never made, which is most of a large buffer's cost in a short task. One owner.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace weir::tasktracker {

class RawBuffer {
 public:
  RawBuffer() = default;
  explicit RawBuffer(std::size_t size)
      : bytes_(std::make_unique_for_overwrite<char[]>(size)), size_(size) {}

  char* data() { return bytes_.get(); }
  const char* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  operator std::span<char>() { return {data(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace weir::tasktracker
