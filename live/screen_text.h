// Texts for the screen of `weir top`: made printable, cut and padded to columns. Pure; one thread.
#pragma once

#include <cstddef>
#include <string>

#include "live/top_draw.h"

namespace weir::live {

class ScreenText {
 public:
  explicit ScreenText(ScreenSize size) : size_(size) {}

 protected:
  std::string shown(const std::string& text) const;
  std::string left(const std::string& text, std::size_t columns) const;
  std::string path(const std::string& queue, std::size_t columns) const;
  std::string padded(std::string cut, std::size_t columns) const;
  static std::string right(const std::string& text, std::size_t columns);

  ScreenSize size_;
};

}  // namespace weir::live
