// Answers that are the same for everybody who asks (the lists of a page, the policy's outlook):
// made once for all who ask while it is made, and good for a moment afterwards, so that two hundred
// pages that poll cost the engine, and the workers of the web port, what one costs. What nobody
// waits for any more is not made.
//
// Two rules bound it. Nobody to whom a change was said to be done, on whatever port, reads what was
// before it: such a reader has it made early. And however many change and ask, an answer is made
// early no more often than leaves nineteen twentieths of the time to others: until then who waits,
// waits.
//
// It is made on nobody's account (calling_peer() is empty): whose turn it was to ask is chance, and
// what he has left of his own has nothing to do with what others get. Any thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tracker/jobtracker/answer.h"
#include "web/api/call.h"

namespace weir::web {

class SharedAnswers {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kGood{500};
  static constexpr int kTimesItsCost = 20;  // that it is good for, and between two made early
  static constexpr std::size_t kMostKeys = 200;
  static constexpr std::size_t kMostBytes = 32 << 20;  // of the answers that are kept

  // Whether anybody still waits for the answer that is being made; if not, none is to be given.
  using Wanted = std::function<bool()>;
  // Gives an answer to the callback, once, from any thread, or finds that it is not wanted. Shows
  // all that was there when it is called. It may be kept, and called by `run`.
  using Make = std::function<void(Answer<HttpAnswer> answer, Wanted wanted)>;
  // Does it on another thread, where it may take long; false: there is no room for it.
  using Run = std::function<bool(std::function<void()> work)>;
  // `told` counts the moments at which somebody was told that a change is done.
  SharedAnswers(boost::asio::io_context& io, Run run, std::function<std::uint64_t()> told);

  // Equal keys, equal answers. Beyond kMostKeys an answer is made for its asker alone.
  void get(const std::string& key, const Reply& reply, Make make);

 private:
  struct Entry {
    std::optional<HttpAnswer> answer;
    std::uint64_t told = 0;  // when the answer, or the one that is being made, was begun
    Clock::time_point begun{};
    Clock::time_point until{};       // it is good
    Clock::time_point not_before{};  // it is made early again
    bool making = false;
    bool early = false;  // the one that was made last, because of a change
    bool planned = false;
    Make make;
    std::vector<Reply> served;   // by the answer that is being made
    std::vector<Reply> waiting;  // for the next
  };
  using Lock = std::unique_lock<std::mutex>;

  std::shared_ptr<Entry> find_or_add(const std::string& key);
  void go_on(const std::shared_ptr<Entry>& entry, Lock lock);
  void plan(const std::shared_ptr<Entry>& entry);
  void go_on_as_planned(const std::shared_ptr<Entry>& entry);
  bool still_wanted(const std::shared_ptr<Entry>& entry);
  void made(const std::shared_ptr<Entry>& entry, Result<HttpAnswer> answer);
  void keep(Entry& entry, HttpAnswer answer);
  void forget(Entry& entry);
  void forget_what_is_over();
  void compress(Entry& entry, HttpAnswer& answer);

  boost::asio::io_context& io_;
  const Run run_;
  const std::function<std::uint64_t()> told_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
  std::size_t bytes_ = 0;  // of the answers
};

}  // namespace weir::web
