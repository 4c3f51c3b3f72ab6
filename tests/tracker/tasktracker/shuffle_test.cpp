#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <thread>

#include "tracker/tasktracker/line_cursor.h"
#include "tracker/tasktracker/run_file.h"
#include "tracker/tasktracker/shuffle_client.h"
#include "tracker/tasktracker/shuffle_copier.h"
#include "tracker/tasktracker/shuffle_server.h"
#include "tracker/tasktracker/temp_dir.h"

namespace weir::tasktracker {
namespace {

AttemptKey map_key(std::size_t index, std::uint32_t attempt = 0) {
  return {TaskKey{JobId(std::size_t{7}), TaskKind::kMap, static_cast<std::uint32_t>(index)},
          attempt};
}

class Shuffle : public testing::Test {
 protected:
  void SetUp() override {
    ShuffleServerOptions options;
    options.dirs.root = dir_.path();
    options.idle_ms = 300;
    server_ = std::make_unique<ShuffleServer>(options);
    auto port = server_->start();
    ASSERT_TRUE(port.ok()) << port.error().message;
    port_ = *port;
  }

  // A map output with the given partitions.
  void put(const AttemptKey& key, const std::vector<std::string>& partitions,
           MapOutputCodec codec = MapOutputCodec::kNone) {
    const WorkDirs dirs{dir_.path()};
    ASSERT_TRUE(make_directories(dirs.output(key)).ok());
    auto writer = RunWriter::create(dirs.output(key) + "/file.out",
                                    static_cast<std::uint32_t>(partitions.size()), true, codec);
    ASSERT_TRUE(writer.ok());
    for (std::uint32_t p = 0; p < partitions.size(); ++p) {
      if (!partitions[p].empty()) {
        ASSERT_TRUE(writer->append(p, partitions[p]).ok());
      }
    }
    auto run = writer->finish();
    ASSERT_TRUE(run.ok());
    ASSERT_TRUE(write_index(*run, dirs.output(key) + "/file.idx").ok());
  }

  int connect() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  // What the server sends before it closes the connection.
  std::string say(const std::string& bytes) const {
    const UniqueFd fd(connect());
    (void)!::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    std::string answer;
    char buffer[4096];
    for (ssize_t n; (n = ::recv(fd.get(), buffer, sizeof buffer, 0)) > 0;)
      answer.append(buffer, static_cast<std::size_t>(n));
    return answer;
  }

  TempDir dir_;
  std::unique_ptr<ShuffleServer> server_;
  std::uint16_t port_ = 0;
};

TEST_F(Shuffle, ServesPartitionsOverOneConnection) {
  const std::string big(3000000, 'x');
  put(map_key(0), {"a\t1\n", "", big + "\n"});
  auto connection = ShuffleConnection::open("127.0.0.1", port_);
  ASSERT_TRUE(connection.ok());
  const std::string expected[] = {"a\t1\n", "", big + "\n"};
  for (std::uint32_t p = 0; p < 3; ++p) {
    ShuffleRequest request;
    request.attempt = map_key(0);
    request.partition = p;
    auto answer = connection->ask(request);
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    std::string body(static_cast<std::size_t>(answer->bytes), 0);
    ASSERT_TRUE(connection->read_body(body).ok());
    EXPECT_TRUE(body == expected[p]);
    EXPECT_EQ(crc_of(0, body), answer->crc);
  }
  EXPECT_EQ(*fetch_map_output("127.0.0.1", port_, map_key(0), 0, 100), "a\t1\n");
}

TEST_F(Shuffle, WhatIsCompressedTravelsSoAndComesOutAsItWas) {
  std::string big;
  for (int i = 0; i < 100'000; ++i) big += "line " + std::to_string(i) + "\n";
  for (const auto codec : {MapOutputCodec::kLz4, MapOutputCodec::kZstd}) {
    const AttemptKey key = map_key(0, static_cast<std::uint32_t>(codec));
    put(key, {"a\t1\n", "", big}, codec);
    const auto fetched = [&](std::uint32_t partition) {
      return fetch_map_output("127.0.0.1", port_, key, partition, 10 << 20).value();
    };
    EXPECT_EQ(fetched(0), "a\t1\n");
    EXPECT_EQ(fetched(1), "");
    EXPECT_TRUE(fetched(2) == big);
    ShuffleRequest request;
    request.attempt = key;
    request.partition = 2;
    const auto answer = ShuffleConnection::open("127.0.0.1", port_)->ask(request);
    EXPECT_LT(answer->bytes, 600'000);
    EXPECT_EQ(answer->size, static_cast<std::int64_t>(big.size()));
    EXPECT_FALSE(fetch_map_output("127.0.0.1", port_, key, 2, 1 << 20).ok());  // too large
  }
}

TEST_F(Shuffle, RefusesWhatIsNotThere) {
  put(map_key(0), {"a\n"});
  const auto message = [&](const AttemptKey& key, std::uint32_t partition) {
    return fetch_map_output("127.0.0.1", port_, key, partition, 100).error().message;
  };
  EXPECT_NE(message(map_key(1), 0).find("no output of attempt_0007_m_000001_0 here"),
            std::string::npos);
  EXPECT_NE(message(map_key(0), 1).find("no output"), std::string::npos);
  EXPECT_NE(
      fetch_log("127.0.0.1", port_, map_key(0), "stderr", 10).error().message.find("no logs of"),
      std::string::npos);
}

TEST_F(Shuffle, DropsGarbageAndGoesOn) {
  put(map_key(0), {"a\n"});
  std::string noise;
  for (int i = 0; i < 5000; ++i) noise += static_cast<char>(i * 31 + 7);
  const std::string garbage[] = {"GET / HTTP/1.1\n",
                                 "WEIR1 MAP ../../etc/passwd 0\n",
                                 "WEIR1 MAP attempt_0007_m_000000_0 -1\n",
                                 "WEIR1 MAP attempt_0007_m_000000_0 99999999999999\n",
                                 "WEIR1 MAP attempt_0007_r_000000_0 0\n",
                                 "WEIR1 LOG attempt_0007_m_000000_0 ../x 5\n",
                                 "WEIR1 MAP attempt_7_m_0_0 0\n",
                                 "\n",
                                 std::string(10000, 'x'),
                                 noise};
  for (const std::string& bytes : garbage) EXPECT_EQ(say(bytes), "") << bytes.substr(0, 60);
  EXPECT_EQ(server_->dropped(), 10);
  EXPECT_EQ(say("WEIR1 MAP attemp"),
            "");  // half a request: closed when it has been silent for too long
  EXPECT_EQ(*fetch_map_output("127.0.0.1", port_, map_key(0), 0, 100), "a\n");
}

TEST_F(Shuffle, DamageOnDiskIsNoticed) {
  put(map_key(0), {"aaaa\n"});
  dir_.write("outputs/job_0007/attempt_0007_m_000000_0/file.out", "aaab\n");
  EXPECT_NE(fetch_map_output("127.0.0.1", port_, map_key(0), 0, 100)
                .error()
                .message.find("checksum differs"),
            std::string::npos);
  dir_.write("outputs/job_0007/attempt_0007_m_000000_0/file.out", "aa");
  EXPECT_FALSE(fetch_map_output("127.0.0.1", port_, map_key(0), 0, 100).ok());
  // An index with numbers below 0: of bytes, they would be a length without end.
  dir_.write("outputs/job_0007/attempt_0007_m_000000_0/file.idx",
             std::string(8, '\0') + std::string(8, '\xff') + std::string(32, '\0'));
  EXPECT_NE(fetch_map_output("127.0.0.1", port_, map_key(0), 0, 100)
                .error()
                .message.find("no output of attempt_0007_m_000000_0 here"),
            std::string::npos);
}

// A shuffle server that says what the test wants: one answer a connection.
class ScriptedServer {
 public:
  // What to send to whoever asks for the map, which was asked for so often before.
  using Script = std::function<std::string(std::size_t map, int before)>;

  explicit ScriptedServer(Script script)
      : script_(std::move(script)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* where = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_.get(), where, size), 0);
    EXPECT_EQ(::listen(listener_.get(), 16), 0);
    EXPECT_EQ(::getsockname(listener_.get(), where, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);  // ends accept()
    thread_.join();
  }
  std::uint16_t port() const { return port_; }
  int asked() const { return asked_; }

 private:
  void serve() {
    std::map<std::size_t, int> times;
    for (;;) {
      const UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd.valid()) return;
      std::string line;
      for (char c; ::recv(fd.get(), &c, 1, 0) == 1 && c != '\n';) line += c;
      const auto request = parse_shuffle_request(line);
      if (!request) continue;
      ++asked_;
      const std::size_t map = request->attempt.task.index;
      const std::string answer = script_(map, times[map]++);
      (void)!::send(fd.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    }
  }

  Script script_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::atomic<int> asked_ = 0;
  std::thread thread_;
};

// The copier's half of a reduce, with its control pipes held by the test.
class Copying : public Shuffle {
 protected:
  void SetUp() override {
    Shuffle::SetUp();
    commands_ = make_pipe().value();
    reports_ = make_pipe().value();
    spec_.id = {TaskKey{JobId(std::size_t{7}), TaskKind::kReduce, 0}, 0};
    spec_.attempt_dir = dir_.path();
    spec_.sort_memory_mb = 1;
  }
  void start(std::uint32_t maps) {
    spec_.maps = maps;
    control_ = std::make_unique<TaskControl>(
        spec_.id, TaskLine{std::move(commands_.read_end), std::move(reports_.write_end), ""}, true);
    copier_ = std::make_unique<ShuffleCopier>(spec_, *control_);
  }
  OutputNews at(std::uint32_t map, std::uint32_t attempt, bool obsolete = false) const {
    return {map, attempt, obsolete, "127.0.0.1", port_};
  }
  static OutputNews at(const ScriptedServer& server, std::uint32_t map) {
    return {map, 0, false, "127.0.0.1", server.port()};
  }
  // Reads reports until one names a failure to fetch.
  bool reports_failure(std::uint32_t map) {
    ReportDecoder decoder;
    char bytes[4096];
    for (ssize_t n; (n = ::read(reports_.read_end.get(), bytes, sizeof bytes)) > 0;) {
      decoder.feed({bytes, static_cast<std::size_t>(n)});
      for (;;) {
        auto report = decoder.next();
        if (!report.ok()) return false;
        if (!*report) break;
        for (const auto& failure : (*report)->status.fetch_failures) {
          if (failure.map == map) return true;
        }
      }
    }
    return false;
  }
  std::string text(const CopiedPiece& piece) const {
    return piece.path.empty() ? piece.memory : read_text(piece.path);
  }

  // As the merge reads them.
  static std::string lines_of(const CopiedPiece& piece) {
    if (piece.path.empty()) return piece.memory;
    const auto fd = open_file(piece.path, O_RDONLY);
    std::vector<char> buffer;
    BlockReader blocks;
    LineCursor cursor({fd->get(), &piece.path, 0, piece.stored_bytes, piece.in_blocks}, &buffer,
                      &blocks);
    std::string text;
    while (cursor.advance()) text += cursor.line().bytes();
    EXPECT_TRUE(cursor.status().ok());
    return text;
  }

  Pipe commands_, reports_;
  TaskSpec spec_;
  std::unique_ptr<TaskControl> control_;
  std::unique_ptr<ShuffleCopier> copier_;
};

TEST_F(Copying, ManyMapsInAnyOrderSomeTooLargeForMemory) {
  const std::uint32_t maps = 300;
  std::vector<std::string> texts;
  for (std::uint32_t m = 0; m < maps; ++m) {
    texts.push_back(std::string(m % 50 == 0 ? 400000 : 10 * m, 'a' + static_cast<char>(m % 26)) +
                    "\n");
    put(map_key(m), {texts.back()});
  }
  start(maps);
  for (std::uint32_t m = maps; m-- > 0;) copier_->news(at(m, 0));
  auto pieces = copier_->wait_for_all();
  ASSERT_TRUE(pieces.ok());
  int files = 0;
  for (std::uint32_t m = 0; m < maps; ++m) {
    EXPECT_TRUE(text((*pieces)[m]) == texts[m]) << m;
    files += !(*pieces)[m].path.empty();
  }
  EXPECT_EQ(files, 6);  // each more than a quarter of the memory
  copier_.reset();
}

TEST_F(Copying, ReportsAnOutputItCannotGetAndTakesTheNewOne) {
  const ScriptedServer refusing([](std::size_t, int) { return "NO output here\n"; });
  put(map_key(0), {"zero\n"});
  start(2);
  copier_->news(at(0, 0));
  copier_->news(at(refusing, 1));
  ASSERT_TRUE(reports_failure(1));
  EXPECT_EQ(refusing.asked(), 4);
  put(map_key(1, 1), {"one\n"});
  copier_->news(at(1, 0, true));
  copier_->news(at(1, 1));
  std::thread drain([this] { reports_failure(99); });
  auto pieces = copier_->wait_for_all();
  ASSERT_TRUE(pieces.ok());
  EXPECT_EQ(text((*pieces)[0]) + text((*pieces)[1]), "zero\none\n");
  copier_.reset();
  control_.reset();
  drain.join();
}

TEST_F(Copying, NewsOfAnOlderOutputDoNotTakeTheNewerAway) {
  start(1);
  copier_->news(at(0, 1));  // is not there yet: it is asked for again and again
  copier_->news(at(0, 0, true));
  put(map_key(0, 1), {"zero\n"});
  auto pieces = std::async(std::launch::async, [this] { return copier_->wait_for_all(); });
  if (pieces.wait_for(std::chrono::seconds(20)) != std::future_status::ready) {
    ADD_FAILURE() << "it does not ask any more";
    copier_->news(at(0, 1));
  }
  auto copied = pieces.get();
  ASSERT_TRUE(copied.ok());
  EXPECT_EQ(text((*copied)[0]), "zero\n");
}

TEST_F(Copying, WhatWasDamagedOnTheWayIsFetchedAgain) {
  const std::string texts[] = {"into memory\n", "to disk " + std::string(400000, 'x') + "\n"};
  const ScriptedServer server([&texts](std::size_t map, int before) {
    std::string body = texts[map];
    const ShuffleAnswer answer{true, "", static_cast<std::int64_t>(body.size()), crc_of(0, body),
                               1};
    if (before == 0) body[3] = '?';
    return encode(answer) + body;
  });
  start(2);
  copier_->news(at(server, 0));
  copier_->news(at(server, 1));
  auto pieces = copier_->wait_for_all();
  ASSERT_TRUE(pieces.ok());
  for (std::size_t map : {0u, 1u}) EXPECT_TRUE(text((*pieces)[map]) == texts[map]) << map;
  EXPECT_FALSE((*pieces)[1].path.empty());
  EXPECT_EQ(server.asked(), 4);
}

TEST_F(Copying, CompressedPiecesAreLinesInMemoryAndBlocksInFiles) {
  std::vector<std::string> texts;
  std::string big;
  for (int i = 0; i < 40'000; ++i) big += "line " + std::to_string(i) + "\n";
  for (std::uint32_t m = 0; m < 6; ++m) {
    texts.push_back(m % 2 == 0 ? big : "small " + std::to_string(m) + "\n");
    put(map_key(m), {texts.back()}, static_cast<MapOutputCodec>(m / 2));
  }
  start(6);
  for (std::uint32_t m = 0; m < 6; ++m) copier_->news(at(m, 0));
  auto pieces = copier_->wait_for_all();
  ASSERT_TRUE(pieces.ok());
  for (std::uint32_t m = 0; m < 6; ++m) {
    const CopiedPiece& piece = (*pieces)[m];
    EXPECT_EQ(piece.path.empty(), m % 2 == 1) << m;  // a quarter of the memory, of lines
    EXPECT_EQ(piece.bytes, static_cast<std::int64_t>(texts[m].size()));
    EXPECT_TRUE(lines_of(piece) == texts[m]) << m;
  }
}

// A peer whose blocks unpack to something else than was said, or are none, though the checksum
// fits: the output cannot be fetched, whatever that took of memory is bounded, and a better one is
// taken.
TEST_F(Copying, BlocksThatAreNoneAreFetchedAgainAndTold) {
  BlockPacker packer(MapOutputCodec::kZstd);
  const auto block = [&](const std::string& text) { return std::string(packer.pack(text)); };
  const std::string good = block("good\n"), lines = block(std::string(kBlockBytes - 1, 'x') + "\n");
  std::string spoilt = block(std::string(5'000, 'y') + "\n");
  spoilt[kBlockHeaderBytes + 9] ^= 0x55;
  std::string claims = lines;
  claims[2] = '\x7f';  // eight megabytes of it
  std::string smaller = lines;
  smaller[0] = '\x10';
  smaller[1] = smaller[2] = '\0';
  const std::pair<std::string, std::int64_t> bodies[] = {
      {spoilt, 5'001},
      {claims, kBlockBytes},
      {smaller, 16},
      {good, 6},                        // less in it than was said
      {good + good, 5},                 // and more
      {lines, INT64_MAX},               // all there is
      {good.substr(0, 6), 5},           // ends in a header
      {good.substr(0, 10), 5},          // and in a block
      {std::string(100, '\xff'), 100},  // of no codec
      {block("no end"), 6},
      {block(std::string(300, 'z')), 300}};
  const ScriptedServer server([&](std::size_t map, int before) {
    const std::string body = before > 0 ? good : bodies[map].first;
    const std::int64_t raw = before > 0 ? 5 : bodies[map].second;
    ShuffleAnswer answer{true, "", static_cast<std::int64_t>(body.size()), crc_of(0, body), 1};
    answer.size = raw;
    answer.in_blocks = true;
    return encode(answer) + body;
  });
  const auto maps = static_cast<std::uint32_t>(std::size(bodies));
  start(maps);
  for (std::uint32_t map = 0; map < maps; ++map) copier_->news(at(server, map));
  auto pieces = copier_->wait_for_all();
  ASSERT_TRUE(pieces.ok()) << pieces.error().message;
  for (const CopiedPiece& piece : *pieces) EXPECT_EQ(piece.memory, "good\n");
  EXPECT_EQ(server.asked(), 2 * static_cast<int>(maps));
}

// Half of the trackers of a large job die: what the reduce tells of them its tracker can still
// read.
TEST_F(Copying, TellsOfBoundedlyManyFailuresAtATime) {
  start(10'000);
  for (std::uint32_t map = 0; map < 5'000; ++map) control_->add_fetch_failure(map, 0);
  control_->report_end(ReportedState::kKilled, "");
  copier_.reset();
  control_.reset();  // closes the pipe
  EXPECT_TRUE(reports_failure(kMaxFetchFailures - 1));
}

}  // namespace
}  // namespace weir::tasktracker
