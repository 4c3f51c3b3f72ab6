// The terminal as `weir top` has it, by ncurses: it is taken when this is made and given back when
// it goes, whatever the reason. Lines come from draw(); only what differs is sent. The one file
// that knows ncurses. One thread.
#pragma once

#include <optional>
#include <vector>

#include "live/top_draw.h"
#include "live/top_view.h"

namespace weir::live {

class TopScreen {
 public:
  explicit TopScreen(bool colours);
  ~TopScreen();
  TopScreen(const TopScreen&) = delete;
  TopScreen& operator=(const TopScreen&) = delete;

  bool taken() const { return screen_ != nullptr; }  // false: the terminal is unknown to ncurses
  ScreenSize size() const;
  void resized();  // it has another size now
  void show(const std::vector<ScreenLine>& lines);
  std::optional<Key> next_key();  // that was pressed already

 private:
  unsigned long attributes(Look look) const;

  void* screen_ = nullptr;  // SCREEN
  bool colours_ = false;
  bool ascii_ = true;
};

}  // namespace weir::live
