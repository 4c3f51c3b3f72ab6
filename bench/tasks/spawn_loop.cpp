#include "bench/tasks/spawn_loop.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

namespace weir::bench {
namespace {

std::vector<std::string> words_of(const SpawnLoop& loop) {
  if (loop.by == SpawnBy::kShell) return {"/bin/sh", "-c", loop.command};
  std::istringstream text(loop.command);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

// 0, or why it could not be started.
int run_once(const std::vector<char*>& arguments) {
  pid_t child = -1;
  const int problem =
      ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (problem != 0) return problem;
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

}  // namespace

double spawn_and_wait(const SpawnLoop& loop) {
  std::vector<std::string> words = words_of(loop);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  if (words.empty()) throw std::runtime_error("no command");
  const auto start = std::chrono::steady_clock::now();
  const auto end = start + std::chrono::duration<double>(loop.seconds);
  std::atomic<std::uint64_t> ended{0};
  std::atomic<int> problem{0};
  {
    std::vector<std::jthread> threads;
    const std::uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
    for (std::uint32_t i = 0; i < (loop.threads > 0 ? loop.threads : cores); ++i) {
      threads.emplace_back([&] {
        while (problem == 0 && std::chrono::steady_clock::now() < end) {
          if (const int why = run_once(arguments); why != 0)
            problem = why;
          else
            ++ended;
        }
      });
    }
  }
  if (problem != 0) throw std::runtime_error(words[0] + ": " + std::strerror(problem));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return static_cast<double>(ended) / took.count();
}

}  // namespace weir::bench
