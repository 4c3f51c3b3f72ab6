#include "web/server/workers.h"

#include <pthread.h>
#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

namespace weir::web {
namespace {

thread_local const Workers* workers_of_this_thread = nullptr;

}  // namespace

Workers::Workers(std::string name, int threads, std::size_t most_waiting)
    : name_(std::move(name)), lines_(most_waiting) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
}

Workers::~Workers() {
  stop();
}

// What is refused or dropped goes without the lock: it may answer when it is destroyed.
Workers::Room Workers::add(const std::string& address, const void* owner, Work work) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return Room::kAllFull;
  switch (lines_.room({address, ""})) {
    case RequestLines<Item>::Room::kEnough:
      break;
    case RequestLines<Item>::Room::kAllFull:
      return Room::kAllFull;
    case RequestLines<Item>::Room::kAddressFull:
    case RequestLines<Item>::Room::kUserFull:
      return lines_.waiting(address) == 0 ? Room::kAllFull : Room::kAddressFull;
  }
  lines_.push({address, ""}, {owner, std::move(work)});
  changed_.notify_one();
  return Room::kEnough;
}

void Workers::drop(const std::string& address, const void* owner) {
  std::vector<Item> dropped;
  const std::lock_guard lock(mutex_);
  dropped = lines_.take({address, ""}, [owner](const Item& item) { return item.owner == owner; });
}

bool Workers::runs_here() const {
  return workers_of_this_thread == this;
}

std::size_t Workers::waiting() const {
  const std::lock_guard lock(mutex_);
  return lines_.size();
}

void Workers::stop() {
  std::vector<std::thread> threads;
  std::vector<Item> dropped;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    while (!lines_.empty()) dropped.push_back(lines_.pop());
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads) thread.join();
}

void Workers::run() {
  workers_of_this_thread = this;
  ::pthread_setname_np(::pthread_self(), name_.substr(0, 15).c_str());
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopped_ || !lines_.empty(); });
    if (stopped_) return;
    Work work = lines_.pop().work;
    lock.unlock();
    try {
      work();
    } catch (const std::exception& error) {
      spdlog::error("{}: {}", name_, error.what());  // one piece of work is lost, the port goes on
    }
    work = nullptr;
    lock.lock();
  }
}

}  // namespace weir::web
