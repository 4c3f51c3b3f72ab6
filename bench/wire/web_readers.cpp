#include "bench/wire/web_readers.h"

#include <array>
#include <chrono>
#include <string_view>

namespace weir::bench {
namespace {
constexpr std::array<const char*, 4> kAsked = {
    "/api/v1/cluster", "/api/v1/queues", "/api/v1/jobs?limit=50", "/api/v1/trackers?limit=100"};
constexpr std::int64_t kPauseMs = 1'000;
}  // namespace

WebReaders::WebReaders(std::uint16_t port, std::uint32_t streams, std::uint32_t readers) {
  for (std::uint32_t i = 0; i < streams + readers; ++i) {
    auto& client = *clients_.emplace_back(std::make_unique<live::HttpClient>("127.0.0.1", port));
    if (i < streams) {
      threads_.emplace_back([this, &client, i] { stream(client, i); });
    } else {
      threads_.emplace_back([this, &client, i] { read(client, i); });
    }
  }
}

WebReaders::~WebReaders() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ending_.notify_all();
  for (auto& client : clients_) client->stop();
  threads_.clear();
}

bool WebReaders::wait_ms(std::int64_t ms) {
  std::unique_lock lock(mutex_);
  return ending_.wait_for(lock, std::chrono::milliseconds(ms), [this] { return end_; });
}

void WebReaders::stream(live::HttpClient& client, std::uint32_t number) {
  if (wait_ms(number * 7 % kPauseMs)) return;
  while (!wait_ms(0)) {
    try {
      const auto reply = client.stream("/api/v1/events", [this](std::string_view piece) {
        ++answers_;
        bytes_ += piece.size();
        return true;
      });
      if (reply.status != 200) ++refused_;
    } catch (const live::HttpTrouble&) {
      if (!wait_ms(0)) ++refused_;
    }
    if (wait_ms(kPauseMs)) return;
  }
}

void WebReaders::read(live::HttpClient& client, std::uint32_t number) {
  if (wait_ms(number * 7 % kPauseMs)) return;
  do {
    try {
      const auto reply = client.get(kAsked[number++ % kAsked.size()]);
      if (reply.status == 200) {
        ++answers_;
        bytes_ += reply.body.size();
      } else {
        ++refused_;
      }
    } catch (const live::HttpTrouble&) {
      if (!wait_ms(0)) ++refused_;
    }
  } while (!wait_ms(kPauseMs));
}

}  // namespace weir::bench
