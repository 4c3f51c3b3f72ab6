// How libFuzzer changes the input of client_frames and tracker_frames: mostly one value of one
// call, with everything around it kept readable; sometimes calls are repeated, dropped, swapped or
// sent to another method, and one time in ten bytes are changed as they are.
#include <algorithm>
#include <cstring>
#include <random>

#include "fuzz/thrift_tree.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed);

namespace {

using namespace weir::fuzz;
using Random = std::minstd_rand;

constexpr std::size_t kMostText = 4096;
constexpr std::string_view kTexts[] = {
    "",        "alice", "root",     "default", "small",
    "tt1",     "tt2",   "capacity", "fair",    "fifo",
    "HIGH",    "LOW",   "/data/x",  "cat",     "pool",
    "true",    "false", "..",       "a.b",     "root.x",
    "/data/a", "/",     "\xff",     "admin",   "mapreduce.map.speculative"};
constexpr std::string_view kMethods[] = {"register_tracker",
                                         "heartbeat",
                                         "job",
                                         "map_outputs",
                                         "gang_peers",
                                         "submit",
                                         "begin_upload",
                                         "job_status",
                                         "append_splits",
                                         "list_jobs",
                                         "find_jobs",
                                         "list_history",
                                         "attempts",
                                         "explain",
                                         "kill_job",
                                         "set_priority",
                                         "move_job",
                                         "release_job",
                                         "queues",
                                         "trackers",
                                         "admin:policy",
                                         "admin:info",
                                         "admin:set_queue_state",
                                         "admin:set_policy",
                                         "client:queues",
                                         "admin:x",
                                         "admin:apply_settings",
                                         "admin:diff_settings",
                                         "admin:settings_text",
                                         "admin:settings_of",
                                         "admin:settings_history",
                                         "admin:settings_in_force",
                                         "admin:order_trackers",
                                         "admin:lose_trackers",
                                         "admin:forget_trackers"};
constexpr std::uint64_t kNumbers[] = {0,          1,       2,          3,          7,
                                      100,        9'999,   10'000,     65'535,     999'999,
                                      1000000,    1000001, 0x7fffffff, 1u << 31,   0xffffffff,
                                      1ull << 32, ~0ull,   1ull << 63, ~0ull >> 1, ~0ull >> 11};

std::size_t below(Random& random, std::size_t bound) {
  return bound == 0 ? 0 : random() % bound;
}

void collect(ThriftValue& value, std::vector<ThriftValue*>& out) {
  out.push_back(&value);
  for (ThriftValue& member : value.members) collect(member, out);
}

void mutate_number(ThriftValue& value, const std::vector<ThriftValue*>& all, Random& random) {
  switch (below(random, 5)) {
    case 0:
      value.number = kNumbers[below(random, std::size(kNumbers))];
      break;
    case 1:
      ++value.number;
      break;
    case 2:
      --value.number;
      break;
    case 3:
      value.number = random();
      break;
    default:
      value.number = all[below(random, all.size())]->number;
  }
}

void mutate_text(ThriftValue& value, const std::vector<ThriftValue*>& all, Random& random) {
  const std::size_t way = below(random, 3);
  if (way == 0) {
    value.bytes = kTexts[below(random, std::size(kTexts))];
  } else if (way == 1) {
    value.bytes = std::string(all[below(random, all.size())]->bytes);
  } else {
    std::string bytes = value.bytes.substr(0, kMostText);
    const std::size_t size = bytes.size();
    bytes.resize(kMostText);
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, kMostText));
    value.bytes = std::move(bytes);
  }
}

// Fields, elements, or keys and values in pairs.
void mutate_members(ThriftValue& value, const std::vector<ThriftValue*>& all, Random& random) {
  const bool map = value.type == 13;
  auto& members = value.members;
  const std::size_t step = map ? 2 : 1;
  const std::size_t at = below(random, members.size() / step) * step;
  const auto begin = members.begin() + static_cast<std::ptrdiff_t>(at);
  switch (below(random, 4)) {
    case 0:
      if (!members.empty()) members.erase(begin, begin + static_cast<std::ptrdiff_t>(step));
      break;
    case 1:
      if (!members.empty()) {
        const std::vector<ThriftValue> copy(begin, begin + static_cast<std::ptrdiff_t>(step));
        members.insert(members.end(), copy.begin(), copy.end());
      }
      break;
    case 2:
      if (!map && !members.empty()) std::swap(members[at], members[below(random, members.size())]);
      break;
    default:  // another value of the input in its place, or behind
      if (value.type == 12 || value.type == 15) {
        ThriftValue other = *all[below(random, all.size())];
        if (value.type == 15 && other.type != value.element_type) return;
        other.field = static_cast<std::int16_t>(1 + below(random, 12));
        if (below(random, 2) == 0 && !members.empty()) {
          members[at] = std::move(other);
        } else {
          members.push_back(std::move(other));
        }
      }
  }
}

void mutate_message(ThriftMessage& message, Random& random) {
  if (below(random, 20) == 0) {
    message.method = kMethods[below(random, std::size(kMethods))];
    return;
  }
  std::vector<ThriftValue*> all;
  collect(message.arguments, all);
  ThriftValue& value = *all[below(random, all.size())];
  if (value.type == 11) {
    mutate_text(value, all, random);
  } else if (value.type >= 12) {
    mutate_members(value, all, random);
  } else {
    mutate_number(value, all, random);
  }
}

void mutate_order(std::vector<std::string>& frames, Random& random) {
  const std::size_t at = below(random, frames.size());
  switch (below(random, 3)) {
    case 0:
      if (frames.size() > 1) frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1: {
      std::string copy = frames[at];
      frames.insert(frames.begin() + static_cast<std::ptrdiff_t>(below(random, frames.size() + 1)),
                    std::move(copy));
      break;
    }
    default:
      std::swap(frames[at], frames[below(random, frames.size())]);
  }
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned int seed) {
  Random random(seed);
  std::vector<std::string> frames;
  for (const auto frame : cut_frames({reinterpret_cast<const char*>(data), size}))
    frames.emplace_back(frame);
  if (frames.empty() || below(random, 10) == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (std::size_t changes = 1 + below(random, 3); changes > 0; --changes) {
    if (below(random, 8) == 0) {
      mutate_order(frames, random);
      continue;
    }
    std::string& frame = frames[below(random, frames.size())];
    auto message = parse_message(frame);
    if (!message) continue;
    mutate_message(*message, random);
    frame = write_message(*message);
  }
  std::string out;
  for (const std::string& frame : frames) out += write_frame(frame);
  if (out.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, out.data(), out.size());
  return out.size();
}
