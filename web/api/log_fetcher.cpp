#include "web/api/log_fetcher.h"

#include <fmt/format.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/write.hpp>

#include "tracker/tasktracker/shuffle_protocol.h"

namespace weir::web {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::chrono::milliseconds kLook{500};  // whether it is still wanted, and in time

// One of them, on a strand of its own; it lives as long as one of its waits.
class LogFetcher::Fetch : public std::enable_shared_from_this<Fetch> {
 public:
  Fetch(std::shared_ptr<LogFetcher> owner, LogWish wish, std::function<bool()> wanted,
        Answer<LogBytes> answer)
      : owner_(std::move(owner)),
        wish_(std::move(wish)),
        wanted_(std::move(wanted)),
        answer_(std::move(answer)),
        strand_(asio::make_strand(owner_->io_)),
        resolver_(strand_),
        socket_(strand_),
        timer_(strand_) {}

  void start() {
    until_ = std::chrono::steady_clock::now() + kPatience;
    keep_time();
    // An address needs no look-up, and most trackers give theirs.
    resolver_.async_resolve(wish_.host, std::to_string(wish_.port), tcp::resolver::numeric_service,
                            [self = shared_from_this()](const boost::system::error_code& error,
                                                        const tcp::resolver::results_type& found) {
                              if (error) return self->fail(error.message());
                              self->connect(found);
                            });
  }
  asio::strand<asio::io_context::executor_type> strand() const { return strand_; }

 private:
  void keep_time() {
    timer_.expires_after(kLook);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& cancelled) {
      if (cancelled || self->over_) return;
      if (!self->wanted_()) return self->fail("nobody wants it any more");
      if (std::chrono::steady_clock::now() < self->until_) return self->keep_time();
      self->fail(fmt::format("no answer within {} s", kPatience.count() / 1000));
    });
  }

  void connect(const tcp::resolver::results_type& found) {
    if (over_) return;
    asio::async_connect(
        socket_, found,
        [self = shared_from_this()](const boost::system::error_code& error, const tcp::endpoint&) {
          if (error) return self->fail(error.message());
          self->ask();
        });
  }

  void ask() {
    if (over_) return;
    tasktracker::ShuffleRequest request;
    request.kind = tasktracker::ShuffleRequest::Kind::kLog;
    request.attempt = wish_.attempt;
    request.log = wish_.log;
    request.most_bytes = wish_.most_bytes;
    request.from = wish_.from;
    request.to = wish_.to;
    line_ = tasktracker::encode(request);
    asio::async_write(socket_, asio::buffer(line_),
                      [self = shared_from_this()](const boost::system::error_code& error, size_t) {
                        if (error) return self->fail(error.message());
                        self->read_head();
                      });
  }

  void read_head() {
    if (over_) return;
    asio::async_read_until(
        socket_, asio::dynamic_buffer(input_, tasktracker::kMaxShuffleAnswer), '\n',
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t bytes) {
          if (error) return self->fail("an answer that is none");
          self->read_body(bytes);
        });
  }

  void read_body(std::size_t head) {
    if (over_) return;
    const auto answer = tasktracker::parse_shuffle_answer({input_.data(), head - 1});
    if (!answer) return fail("an answer that is none");
    if (!answer->ok) return fail(answer->reason);
    if (answer->bytes < 0 || answer->bytes > wish_.most_bytes || answer->lines < 0)
      return fail("an answer of another size than was asked for");
    begin_ = answer->lines;
    std::int64_t end = 0;
    if (__builtin_add_overflow(begin_, answer->bytes, &end)) return fail("more bytes than any has");
    size_ = answer->size.value_or(end);
    if (size_ < end) return fail("more bytes than it has");
    input_.erase(0, head);
    const auto bytes = static_cast<std::size_t>(answer->bytes);
    if (input_.size() > bytes) return fail("more bytes than it said");
    const std::size_t there = input_.size();
    input_.resize(bytes);
    asio::async_read(socket_, asio::buffer(input_.data() + there, bytes - there),
                     [self = shared_from_this()](const boost::system::error_code& error, size_t) {
                       if (error) return self->fail(error.message());
                       self->finish(LogBytes{self->begin_, self->size_, std::move(self->input_)});
                     });
  }

  void fail(const std::string& why) {
    finish(Error{ErrorCode::kInternal,
                 fmt::format("no {} from the tracker that keeps it: {}", wish_.log, why),
                 "see the tracker's state; logs leave with their tracker",
                 {}});
  }

  void finish(Result<LogBytes> result) {
    if (over_) return;
    over_ = true;
    boost::system::error_code ignored;
    timer_.cancel();
    resolver_.cancel();
    socket_.close(ignored);
    owner_->end(wish_.host + ":" + std::to_string(wish_.port));
    answer_(std::move(result));
  }

  const std::shared_ptr<LogFetcher> owner_;
  const LogWish wish_;
  const std::function<bool()> wanted_;
  const Answer<LogBytes> answer_;
  std::chrono::steady_clock::time_point until_;
  asio::strand<asio::io_context::executor_type> strand_;
  asio::ip::basic_resolver<tcp, asio::strand<asio::io_context::executor_type>> resolver_;
  asio::basic_stream_socket<tcp, asio::strand<asio::io_context::executor_type>> socket_;
  asio::basic_waitable_timer<std::chrono::steady_clock,
                             asio::wait_traits<std::chrono::steady_clock>,
                             asio::strand<asio::io_context::executor_type>>
      timer_;
  std::string line_, input_;
  std::int64_t begin_ = 0, size_ = 0;
  bool over_ = false;
};

void LogFetcher::fetch(LogWish wish, std::function<bool()> wanted, Answer<LogBytes> answer) {
  if (!begin(wish.host + ":" + std::to_string(wish.port))) {
    return answer(Error{ErrorCode::kBusy,
                        "too many logs are being fetched at this moment",
                        "try again in a second",
                        {}});
  }
  const auto fetch =
      std::make_shared<Fetch>(shared_from_this(), std::move(wish), std::move(wanted),
                              std::move(answer));
  asio::post(fetch->strand(), [fetch] { fetch->start(); });
}

bool LogFetcher::begin(const std::string& tracker) {
  const std::lock_guard lock(mutex_);
  std::size_t& of_tracker = of_tracker_[tracker];
  if (total_ == kMost || of_tracker == kMostOfTracker) {
    if (of_tracker == 0) of_tracker_.erase(tracker);
    return false;
  }
  ++of_tracker;
  ++total_;
  return true;
}

void LogFetcher::end(const std::string& tracker) {
  const std::lock_guard lock(mutex_);
  --total_;
  if (--of_tracker_[tracker] == 0) of_tracker_.erase(tracker);
}

}  // namespace weir::web
