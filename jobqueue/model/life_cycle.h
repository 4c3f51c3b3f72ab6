// A life cycle is a table: the states that something passes through, and each change from one to
// another that may happen, with what makes it happen. Who changes a state asks the table first, so
// a change that is not in it stops the program; docs/life-cycles.md is drawn from the same rows.
// To ask is one test of a bit mask: heartbeats do it for each attempt that they tell of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::life {

// Where lives begin and end: not there yet, or no longer.
struct Outside {};
inline constexpr Outside kOutside;

// A state, or outside.
template <class State>
struct Point {
  std::uint8_t bit = 0;
  constexpr Point(Outside) {}
  constexpr Point(State state) : bit(static_cast<std::uint8_t>(static_cast<int>(state) + 1)) {}
  const char* label() const { return bit == 0 ? "[*]" : name(static_cast<State>(bit - 1)); }
};

// Several of them, so that a row may stand for several changes.
template <class State>
struct Points {
  std::uint16_t bits;
  constexpr Points(Outside point) : bits(mask(point)) {}
  constexpr Points(State point) : bits(mask(point)) {}
  constexpr explicit Points(int of) : bits(static_cast<std::uint16_t>(of)) {}
  static constexpr std::uint16_t mask(Point<State> point) {
    return static_cast<std::uint16_t>(1u << point.bit);
  }
};
template <class State, class... More>
constexpr Points<State> any(State first, More... more) {
  return Points<State>((Points<State>::mask(first) | ... | Points<State>::mask(more)));
}

template <class State>
struct Transition {
  Points<State> from;
  Points<State> to;
  const char* when;  // what makes it
};

// Tests look on: told of each change, by names. Null otherwise.
inline void (*observer)(const char* cycle, const char* from, const char* to) = nullptr;

// A WEIR_CHECK that failed: the change is not in the table.
[[noreturn]] void forbid(const char* cycle, const char* from, const char* to);

inline constexpr std::size_t kMostPoints = 16;

template <class State>
class LifeCycle {
 public:
  constexpr LifeCycle(const char* name, std::span<const Transition<State>> rows)
      : name_(name), rows_(rows) {
    for (std::size_t from = 0; from < kMostPoints; ++from) {
      to_[from] = static_cast<std::uint16_t>(1u << from);  // to stay is no change
      for (const auto& row : rows) {
        if ((row.from.bits >> from & 1) != 0) to_[from] |= row.to.bits;
      }
    }
  }

  const char* name() const { return name_; }
  std::span<const Transition<State>> rows() const { return rows_; }

  constexpr bool allows(Point<State> from, Point<State> to) const {
    return (to_[from.bit] >> to.bit & 1) != 0;
  }

  void check(Point<State> from, Point<State> to) const {
    if (!allows(from, to)) [[unlikely]] forbid(name_, from.label(), to.label());
    if (observer != nullptr) [[unlikely]] observer(name_, from.label(), to.label());
  }

  // Changes a thing whose state is what stage_of() says.
  template <class Thing, class Change>
  void change(Thing& thing, Change change) const {
    const Point<State> before = stage_of(thing);
    change();
    check(before, stage_of(thing));
  }

 private:
  const char* name_;
  std::span<const Transition<State>> rows_;
  std::array<std::uint16_t, kMostPoints> to_{};
};

}  // namespace weir::life
