// What the tests of this folder share: a server on a free port with short limits and one io thread,
// a handler whose methods do what their arguments say, and a raw socket for clients that misbehave.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ClientService.h"
#include "TrackerService.h"
#include "tracker/port/peers.h"
#include "tracker/port/raw_socket.h"
#include "tracker/rpc/client.h"
#include "tracker/rpc/multiplexer.h"
#include "tracker/rpc/server.h"

namespace weir {

using apache::thrift::TDelayedException;

// heartbeat(): answers at once, interval_ms = sequence; the name chooses other ways:
//   "later"   answered by another thread
//   "park"    kept until release(sequence)
//   "lose"    the callbacks are destroyed without a call
//   "throw"   the handler throws
//   "large"   a reply of about `sequence` bytes
// and "WAY@USER@whatever" likewise, in a call that names a user.
// job(): refused with the declared exception.
class FakeTracker : public wire::TrackerServiceCobSvIf {
 public:
  template <class Reply>
  using Give = std::function<void(const Reply&)>;
  using Fail = std::function<void(TDelayedException*)>;

  // To be called before the last reference goes: the answering threads hold one each, by way of
  // their callback, and none of them can join itself.
  void join() {
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }
  void register_tracker(Give<wire::RegistrationReply> give, Fail,
                        const wire::Registration& registration) override {
    wire::RegistrationReply reply;
    reply.interval_ms = registration.incarnation;
    give(reply);
  }
  void heartbeat(Give<wire::HeartbeatReply> give, Fail, const wire::Heartbeat& report) override {
    wire::HeartbeatReply reply;
    reply.interval_ms = report.sequence;
    std::stringstream words(report.name);
    std::string way, user;
    std::getline(words, way, '@');
    if (std::getline(words, user, '@')) note_calling_user(user);
    if (way == "later") {
      threads_.emplace_back([give, reply] { give(reply); });
    } else if (way == "park") {
      const std::lock_guard lock(mutex_);
      parked_[report.sequence] = [give, reply] { give(reply); };
    } else if (way == "throw") {
      throw std::runtime_error("the handler is broken");
    } else if (way == "large") {
      reply.drop_jobs.resize(report.sequence / 8);
      give(reply);
    } else if (way != "lose") {
      give(reply);
    }
  }
  void job(Give<wire::JobDescription>, Fail fail, const int64_t job) override {
    wire::WeirError error;
    error.code = wire::ErrorCode::UNKNOWN_JOB;
    error.message = "job_" + std::to_string(job) + ": no such job";
    error.__set_hint("weir job list");
    fail(TDelayedException::delayException(error));
  }
  void map_outputs(Give<wire::MapOutputs> give, Fail, const int64_t, const int32_t first) override {
    wire::MapOutputs reply;
    reply.next_from = first;
    give(reply);
  }

  void gang_peers(Give<wire::Peers> give, Fail, const int64_t, const int32_t) override {
    give(wire::Peers());
  }

  size_t parked() {
    const std::lock_guard lock(mutex_);
    return parked_.size();
  }
  void release(int64_t sequence) {
    std::function<void()> give;
    {
      const std::lock_guard lock(mutex_);
      give = std::move(parked_.at(sequence));
      parked_.erase(sequence);
    }
    give();
  }
  // A callback keeps its processor, and that keeps this handler: what is parked must go some day.
  void drop_parked() {
    const std::lock_guard lock(mutex_);
    parked_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<int64_t, std::function<void()>> parked_;
  std::vector<std::thread> threads_;
};

inline wire::Heartbeat beat(const std::string& name, int64_t sequence) {
  wire::Heartbeat report;
  report.name = name;
  report.sequence = sequence;
  return report;
}

// A heartbeat call as it goes over the wire, frame length included.
inline std::string beat_frame(const std::string& name, int64_t sequence) {
  using namespace apache::thrift;
  auto buffer = std::make_shared<transport::TMemoryBuffer>();
  auto framed = std::make_shared<transport::TFramedTransport>(buffer);
  auto protocol = std::make_shared<protocol::TBinaryProtocol>(framed);
  wire::TrackerServiceClient(protocol).send_heartbeat(beat(name, sequence));
  return buffer->getBufferAsString();
}

class RawClient : public RawSocket {
 public:
  using RawSocket::RawSocket;
  // The interval_ms of one heartbeat reply.
  int64_t read_reply() {
    using namespace apache::thrift;
    while (input_.size() < 4 || input_.size() < 4 + read_big_endian_32(input_.data())) {
      if (!read_more()) return -1;
    }
    const size_t size = 4 + read_big_endian_32(input_.data());
    std::string message = input_.substr(4, size - 4);
    input_.erase(0, size);
    auto buffer = std::make_shared<transport::TMemoryBuffer>(
        reinterpret_cast<uint8_t*>(message.data()), static_cast<uint32_t>(message.size()));
    wire::HeartbeatReply reply;
    wire::TrackerServiceClient(std::make_shared<protocol::TBinaryProtocol>(buffer))
        .recv_heartbeat(reply);
    return reply.interval_ms;
  }
};

class RpcTest : public ::testing::Test {
 protected:
  RpcTest() {
    limits_.max_frame_bytes = 256 << 10;
    limits_.read_timeout = std::chrono::milliseconds(150);
    limits_.idle_timeout = std::chrono::milliseconds(60'000);
    limits_.write_timeout = std::chrono::milliseconds(150);
  }
  ~RpcTest() override {
    server_.reset();
    work_.reset();
    io_.stop();
    for (auto& thread : threads_) thread.join();
    tracker_->join();
    tracker_->drop_parked();
  }

  void start(int io_threads = 1) {
    auto processor = std::make_shared<wire::TrackerServiceAsyncProcessor>(tracker_);
    start_with(std::move(processor), io_threads);
  }
  void start_with(std::shared_ptr<apache::thrift::async::TAsyncProcessor> processor,
                  int io_threads = 1) {
    auto server = FramedServer::listen(io_, "test port", "127.0.0.1", 0, std::move(processor),
                                       limits_, budget_);
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = std::move(server).value();
    for (int i = 0; i < io_threads; ++i) threads_.emplace_back([this] { io_.run(); });
  }
  RpcClient<wire::TrackerServiceClient> connect() {
    RpcOptions options;
    options.receive_timeout = std::chrono::milliseconds(5'000);
    return RpcConnection::create("127.0.0.1", server_->port(), options)
        ->client<wire::TrackerServiceClient>();
  }
  static int64_t echo(RpcClient<wire::TrackerServiceClient>& client, const std::string& name,
                      int64_t sequence) {
    return client.call([&](wire::TrackerServiceClient& tracker) {
      wire::HeartbeatReply reply;
      tracker.heartbeat(reply, beat(name, sequence));
      return reply.interval_ms;
    });
  }

  ServerLimits limits_;
  std::shared_ptr<ByteBudget> budget_ = std::make_shared<ByteBudget>(64 << 20);
  std::shared_ptr<FakeTracker> tracker_ = std::make_shared<FakeTracker>();
  boost::asio::io_context io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      io_.get_executor()};
  std::unique_ptr<FramedServer> server_;
  std::vector<std::thread> threads_;
};

}  // namespace weir
