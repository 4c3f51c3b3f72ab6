#include "live/top_screen.h"

#include <curses.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace weir::live {
namespace {

constexpr short kPairs[] = {COLOR_GREEN, COLOR_YELLOW, COLOR_RED, COLOR_BLUE, COLOR_CYAN};
enum Pair : short { kGreen = 1, kYellow, kRed, kBlue, kCyan };

// Of the environment; where it says nothing, UTF-8.
bool take_locale() {
  bool said = false;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    said = said || (value != nullptr && *value != '\0');
  }
  std::setlocale(LC_CTYPE, said ? "" : "C.UTF-8");
  return std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

}  // namespace

TopScreen::TopScreen(bool colours) {
  ascii_ = !take_locale();
  SCREEN* screen = newterm(nullptr, stdout, stdin);
  if (screen == nullptr) return;
  screen_ = screen;
  set_term(screen);
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, TRUE);
  nodelay(stdscr, TRUE);
  set_escdelay(50);
  curs_set(0);
  colours_ = colours && has_colors();
  if (colours_) {
    start_color();
    use_default_colors();
    for (short i = 0; i < static_cast<short>(std::size(kPairs)); ++i) {
      init_pair(static_cast<short>(i + 1), kPairs[i], -1);
    }
  }
}

TopScreen::~TopScreen() {
  if (screen_ == nullptr) return;
  endwin();
  delscreen(static_cast<SCREEN*>(screen_));
}

ScreenSize TopScreen::size() const {
  ScreenSize size;
  size.columns = static_cast<std::size_t>(COLS);
  size.rows = static_cast<std::size_t>(LINES);
  size.ascii = ascii_;
  return size;
}

void TopScreen::resized() {
  winsize now{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &now) != 0 || now.ws_row == 0 || now.ws_col == 0) return;
  resizeterm(now.ws_row, now.ws_col);
  clearok(stdscr, TRUE);
}

unsigned long TopScreen::attributes(Look look) const {
  const auto coloured = [&](short pair, chtype otherwise) -> chtype {
    return colours_ ? COLOR_PAIR(pair) : otherwise;
  };
  switch (look) {
    case Look::kPlain: return A_NORMAL;
    case Look::kBold: return A_BOLD;
    case Look::kDim: return A_DIM;
    case Look::kOwn: return coloured(kBlue, A_NORMAL);
    case Look::kBorrowed: return coloured(kYellow, A_NORMAL);
    case Look::kMark: return coloured(kGreen, A_BOLD) | A_BOLD;
    case Look::kGood: return coloured(kGreen, A_NORMAL);
    case Look::kWarn: return coloured(kYellow, A_NORMAL);
    case Look::kBad: return coloured(kRed, A_BOLD) | A_BOLD;
    case Look::kHead: return coloured(kCyan, A_NORMAL) | A_REVERSE;
    case Look::kChosen: return A_REVERSE | A_BOLD;
  }
  return A_NORMAL;
}

void TopScreen::show(const std::vector<ScreenLine>& lines) {
  erase();
  for (int row = 0; row < std::min<int>(LINES, static_cast<int>(lines.size())); ++row) {
    move(row, 0);
    for (const Piece& piece : lines[static_cast<std::size_t>(row)]) {
      attrset(static_cast<attr_t>(attributes(piece.look)));
      addnstr(piece.text.c_str(), static_cast<int>(piece.text.size()));
    }
  }
  attrset(A_NORMAL);
  refresh();
}

std::optional<Key> TopScreen::next_key() {
  const int pressed = getch();
  switch (pressed) {
    case ERR: return std::nullopt;
    case KEY_UP: return Key{Key::What::kUp};
    case KEY_DOWN: return Key{Key::What::kDown};
    case KEY_PPAGE: return Key{Key::What::kPageUp};
    case KEY_NPAGE: return Key{Key::What::kPageDown};
    case KEY_HOME: return Key{Key::What::kHome};
    case KEY_END: return Key{Key::What::kEnd};
    case KEY_ENTER:
    case '\r':
    case '\n': return Key{Key::What::kEnter};
    case 27: return Key{Key::What::kEscape};
    case '\t':
    case KEY_BTAB: return Key{Key::What::kTab};
    case KEY_BACKSPACE:
    case 127:
    case 8: return Key{Key::What::kBackspace};
    case KEY_F(1): return Key{Key::What::kCharacter, 'h'};
    case KEY_F(10): return Key{Key::What::kCharacter, 'q'};
    default: break;
  }
  if (pressed < 32 || pressed > 255) return next_key();
  return Key{Key::What::kCharacter, static_cast<char>(pressed)};
}

}  // namespace weir::live
