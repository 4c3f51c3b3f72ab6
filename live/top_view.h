// What somebody looks at in `weir top`, and what keys make of it: panes, the chosen rows, the
// filter, the order, a text or a question above all. Chosen is a job or a queue, not a row, so that
// nothing jumps while figures change. Pure functions; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "live/top_model.h"

namespace weir::live {

enum class Pane : std::uint8_t { kQueues, kJobs };
enum class JobOrder : std::uint8_t { kNewest, kState, kQueue, kUser, kProgress };
enum class TopMode : std::uint8_t { 
  kPlain, kFilter, kHelp, kText, kKill, kRelease, kMove, kPriority,
};

struct TopView {
  Pane pane = Pane::kJobs;
  TopMode mode = TopMode::kPlain;
  JobOrder order = JobOrder::kNewest;
  std::string filter;             // part of a job's or queue's name, user, state or number
  std::int64_t job = 0;           // chosen; 0: the first
  std::string queue;              // chosen; empty: the first
  std::vector<std::string> text;  // kText
  std::size_t text_from = 0;
  std::string move_to;            // kMove: a queue, as far as it is typed
  std::string message;            // of what was done last
  std::size_t page = 10;          // rows that PgUp and PgDn go
};

struct Key {
  enum class What : std::uint8_t {
    kCharacter, kUp, kDown, kPageUp, kPageDown, kHome, kEnd, kEnter, kEscape, kTab, kBackspace,
  };
  What what = What::kCharacter;
  char character = 0;
};

struct TopAction {
  enum class What : std::uint8_t { kNone, kQuit, kExplain, kKill, kRelease, kMove, kPriority };
  What what = What::kNone;
  std::int64_t job = 0;
  std::string value;  // the priority, or the queue
};

std::vector<const TopJob*> shown_jobs(const TopModel& model, const TopView& view);
std::vector<const TopQueue*> shown_queues(const TopModel& model, const TopView& view);
// The place of what is chosen among those; 0 if it is not there.
std::size_t chosen_job(const std::vector<const TopJob*>& jobs, const TopView& view);
std::size_t chosen_queue(const std::vector<const TopQueue*>& queues, const TopView& view);

TopAction press(TopView& view, const TopModel& model, Key key);
const char* name(JobOrder order);

}  // namespace weir::live
