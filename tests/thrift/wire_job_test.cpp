// A job on the wire: what is good comes back unchanged, what is not is refused with the field and
// what is allowed.
#include "thrift/wire_job.h"

#include <gtest/gtest.h>

#include <functional>

#include "jobqueue/model/submission_limits.h"
#include "thrift/spec_codec.h"
#include "thrift/wire_error.h"

namespace weir {
namespace {

const Caller kAlice{"alice", {"staff", "ml"}};

wire::FilePiece piece(std::int32_t file, std::int64_t offset, std::int64_t length) {
  wire::FilePiece piece;
  piece.file = file;
  piece.offset = offset;
  piece.length = length;
  return piece;
}

wire::JobFile file_of(const std::string& name, const std::string& content = "x") {
  wire::JobFile file;
  file.name = name;
  file.content = content;
  return file;
}

wire::JobSpec good_spec() {
  wire::JobSpec spec;
  spec.name = "count";
  spec.queue = "research.vision";
  spec.input_files = {"/data/a", "/data/b"};
  spec.splits.resize(3);
  for (int i = 0; i < 3; ++i) {
    spec.splits[i].file = i / 2;
    spec.splits[i].offset = i * 100;
    spec.splits[i].length = 100;
    spec.splits[i].__set_hosts({"tt1", "tt2"});
  }
  spec.splits[2].__set_more({piece(0, 200, 7), piece(1, 0, 100)});
  spec.output = "/out/count";
  spec.mapper = "tr ' ' '\\n' |\nsort";
  spec.__set_reducer("uniq -c");
  spec.__set_combiner("cat");
  spec.__set_reduces(2);
  spec.__set_priority("HIGH");
  spec.__set_conf({{"pool", "p1"}});
  spec.__set_environment({{"LANG", "C"}});
  spec.__set_max_attempts(7);
  spec.__set_task_timeout_ms(1234);
  spec.__set_slowstart_millionths(1000000);
  spec.__set_slots_per_map(2);
  spec.__set_slots_per_reduce(3);
  spec.__set_map_memory_mb(512);
  spec.__set_reduce_memory_mb(1024);
  spec.__set_sort_memory_mb(16);
  spec.__set_working_directory("/srv/tools");
  spec.__set_hold(true);
  spec.__set_time_limit_ms(3'600'000);
  return spec;
}

TEST(WireJob, ComesBackAsItWas) {
  const auto spec = from_wire(good_spec(), kAlice);
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec->user, "alice");
  EXPECT_EQ(spec->groups, kAlice.groups);
  EXPECT_EQ(spec->priority, Priority::kHigh);
  EXPECT_EQ(spec->need[0], (Resources{{2, 0, 512, 0}}));
  EXPECT_EQ(spec->need[1], (Resources{{0, 3, 1024, 0}}));
  EXPECT_EQ(to_wire(*spec), good_spec());
  EXPECT_TRUE(to_wire_without_splits(*spec).splits.empty());
}

TEST(WireJob, SurvivesTheStore) {
  auto good = good_spec();
  good.__isset.working_directory = false;
  good.working_directory.clear();
  good.__set_files({file_of("map.py", std::string("a\0b", 3)), file_of("..x")});
  good.files[0].__set_executable(true);
  auto spec = from_wire(good, kAlice);
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  spec->submission = "5eed";
  const std::string bytes = encode_job_spec(*spec);
  const auto back = decode_job_spec(bytes);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(to_wire(*back), good);
  EXPECT_EQ(to_wire_without_splits(*back).files, good.files);  // trackers need them
  EXPECT_EQ(back->user, "alice");
  EXPECT_EQ(back->groups, kAlice.groups);
  EXPECT_EQ(back->submission, "5eed");
  for (const std::size_t cut :
       {std::size_t{0}, std::size_t{1}, bytes.size() / 2, bytes.size() - 1}) {
    EXPECT_FALSE(decode_job_spec(bytes.substr(0, cut)).ok()) << cut;
  }
}

TEST(WireJob, WhatIsKeptForPeopleSurvivesTheStoreWithoutItsSplits) {
  auto good = good_spec();
  good.__isset.working_directory = false;
  good.working_directory.clear();
  const std::string large(kFileBytesKept, 't');
  good.__set_files({file_of("map.py", "print"), file_of("table", large)});
  good.__set_input({"/data/*"});
  good.__set_split_bytes(4096);
  good.__set_combine_bytes(1 << 20);
  auto spec = from_wire(good, kAlice);
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  spec->origin.address = "10.0.0.3";
  const auto back = decode_job_spec(encode_job_spec(asked(*spec)));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_TRUE(back->splits.empty());
  EXPECT_EQ(back->maps_were, 3u);
  EXPECT_EQ(back->user, "alice");
  EXPECT_EQ(back->origin.address, "10.0.0.3");
  EXPECT_EQ(back->origin.input, std::vector<std::string>{"/data/*"});
  EXPECT_EQ(back->origin.split_bytes, 4096);
  EXPECT_EQ(back->origin.combine_bytes, 1 << 20);
  EXPECT_EQ(back->origin.files, 2u);
  EXPECT_EQ(back->mapper, spec->mapper);
  EXPECT_EQ(back->conf, spec->conf);
  EXPECT_EQ(back->environment, spec->environment);
  EXPECT_EQ(back->need[0], spec->need[0]);
  // Both are too much together.
  ASSERT_EQ(back->files.size(), 2u);
  EXPECT_EQ(back->files[0].content, "");
  EXPECT_EQ(back->files[0].left_out, 5);
  EXPECT_EQ(back->files[1].left_out, static_cast<std::int64_t>(kFileBytesKept));
}

TEST(WireJob, DefaultsAreThoseOfTheIdl) {
  wire::JobSpec spec;
  spec.queue = "default";
  spec.input_files = {"/in"};
  spec.splits.resize(1);
  spec.output = "/data//out/./word count/";
  spec.mapper = "cat";
  spec.__set_reducer("cat");
  const auto made = from_wire(spec, kAlice);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->name, "word count");
  EXPECT_EQ(made->output, "/data/out/word count");
  EXPECT_EQ(made->reduces, 1u);
  EXPECT_EQ(made->priority, Priority::kNormal);
  EXPECT_EQ(made->max_attempts, 4u);
}

TEST(WireJob, TextMayBeAsLongAsItsLimit) {
  wire::JobSpec spec = good_spec();
  spec.name.assign(SubmissionLimits::kNameBytes, 'n');
  spec.mapper.assign(SubmissionLimits::kCommandBytes, 'x');
  spec.output = "/" + std::string(SubmissionLimits::kPathBytes - 1, 'o');
  EXPECT_TRUE(from_wire(spec, kAlice).ok());
}

TEST(WireJob, RefusesFilesThatCannotTravel) {
  const auto refusal = [](std::vector<wire::JobFile> files, const std::string& directory = "") {
    wire::JobSpec spec = good_spec();
    spec.__isset.working_directory = !directory.empty();
    spec.working_directory = directory;
    spec.__set_files(std::move(files));
    const auto made = from_wire(spec, kAlice);
    return made.ok() ? std::string("taken") : made.error().message;
  };
  const std::string large(SubmissionLimits::kFileBytes, 'x');
  EXPECT_EQ(refusal({file_of("a", large)}), "taken");
  EXPECT_EQ(refusal({file_of("a", large + "x")}), "files[0]: 'a' has 1048577 bytes");
  for (const char* name : {"a/b", "/a", ".", "..", "../a"}) {
    EXPECT_EQ(refusal({file_of(name)}),
              "files[0].name: '" + std::string(name) + "' is no name of a file");
  }
  EXPECT_EQ(refusal({file_of("")}), "files[0].name: is empty");
  EXPECT_EQ(refusal({file_of(std::string("a\0b", 3))}),
            "files[0].name: has a control character in it");
  EXPECT_EQ(refusal({file_of(std::string(256, 'n'))}), "files[0].name: is 256 bytes long");
  EXPECT_EQ(refusal({file_of("a"), file_of("a")}), "files[1].name: 'a' is there already");
  EXPECT_EQ(refusal({file_of("a")}, "/srv"), "files: the job has a working_directory");
  std::vector<wire::JobFile> many;
  for (int i = 0; i < 101; ++i) many.push_back(file_of(std::to_string(i)));
  EXPECT_EQ(refusal(many), "files: number of files: 101 is out of range");
  many.clear();
  for (int i = 0; i < 5; ++i) many.push_back(file_of(std::to_string(i), large));
  EXPECT_EQ(refusal(many), "files: have 5242880 bytes");
}

struct Refusal {
  const char* field;  // the message begins with it
  std::function<void(wire::JobSpec&)> spoil;
};

TEST(WireJob, RefusesWhatCannotBe) {
  const Refusal refusals[] = {
      {"splits: none", [](auto& s) { s.splits.clear(); }},
      {"splits[1].file", [](auto& s) { s.splits[1].file = 2; }},
      {"splits[1].file", [](auto& s) { s.splits[1].file = -1; }},
      {"splits[2].offset", [](auto& s) { s.splits[2].offset = -5; }},
      {"splits[2].length", [](auto& s) { s.splits[2].length = -5; }},
      {"splits[0].length", [](auto& s) { s.splits[0].offset = s.splits[0].length = INT64_MAX; }},
      {"splits[1].more[0].file", [](auto& s) { s.splits[1].more = {piece(2, 0, 1)}; }},
      {"splits[1].more[1].offset",
       [](auto& s) { s.splits[1].more = {piece(0, 0, 1), piece(0, -1, 1)}; }},
      {"splits[1].more[0].length", [](auto& s) { s.splits[1].more = {piece(0, 0, INT64_MAX)}; }},
      {"splits[1].more: number of pieces",
       [](auto& s) { s.splits[1].more.assign(SubmissionLimits::kPiecesPerSplit, piece(0, 0, 1)); }},
      {"splits: number of pieces",
       [](auto& s) {
         s.splits.assign(1001, s.splits[0]);
         for (auto& split : s.splits) {
           split.hosts.clear();
           split.more.assign(SubmissionLimits::kPiecesPerSplit - 1, piece(0, 0, 1));
         }
       }},
      {"splits[0].hosts", [](auto& s) { s.splits[0].hosts.assign(100, "h"); }},
      {"reduces", [](auto& s) { s.reduces = -1; }},
      {"reduces", [](auto& s) { s.reduces = 100'001; }},
      {"reducer: is missing", [](auto& s) { s.reducer.clear(); }},
      {"mapper: is empty", [](auto& s) { s.mapper.clear(); }},
      {"mapper", [](auto& s) { s.mapper.assign(SubmissionLimits::kCommandBytes + 1, 'x'); }},
      {"mapper", [](auto& s) { s.mapper = std::string("a\0b", 3); }},
      {"output", [](auto& s) { s.output = "out"; }},
      {"output: is the root", [](auto& s) { s.output = "/a/.."; }},
      {"output", [](auto& s) { s.output = "/a\nb"; }},
      {"input_files: none", [](auto& s) { s.input_files.clear(); }},
      {"input_files[1]", [](auto& s) { s.input_files[1] = "data/b"; }},
      {"working_directory", [](auto& s) { s.working_directory = "tools"; }},
      {"priority", [](auto& s) { s.priority = "URGENT"; }},
      {"queue", [](auto& s) { s.queue.clear(); }},
      {"name", [](auto& s) { s.name.assign(SubmissionLimits::kNameBytes + 1, 'n'); }},
      {"time_limit_ms", [](auto& s) { s.time_limit_ms = -1; }},
      {"time_limit_ms", [](auto& s) { s.time_limit_ms = SubmissionLimits::kTimeLimitMs + 1; }},
      {"max_attempts", [](auto& s) { s.max_attempts = 0; }},
      {"task_timeout_ms", [](auto& s) { s.task_timeout_ms = -1; }},
      {"slowstart_millionths", [](auto& s) { s.slowstart_millionths = 1'000'001; }},
      {"slots_per_map", [](auto& s) { s.slots_per_map = 0; }},
      {"slots_per_reduce", [](auto& s) { s.slots_per_reduce = 0; }},
      {"map_memory_mb", [](auto& s) { s.map_memory_mb = -1; }},
      {"sort_memory_mb", [](auto& s) { s.sort_memory_mb = 0; }},
      {"environment[A=B]", [](auto& s) { s.environment["A=B"] = "c"; }},
      {"conf", [](auto& s) { s.conf["k"].assign(1 << 20, 'v'); }},
  };
  for (const Refusal& refusal : refusals) {
    wire::JobSpec spec = good_spec();
    refusal.spoil(spec);
    const auto made = from_wire(spec, kAlice);
    ASSERT_FALSE(made.ok()) << refusal.field;
    EXPECT_EQ(made.error().code, ErrorCode::kBadRequest);
    EXPECT_TRUE(made.error().message.starts_with(refusal.field)) << made.error().message;
    EXPECT_FALSE(made.error().hint.empty()) << made.error().message;
  }
}

TEST(WireJob, RefusesCallersAndNumbersOutOfRange) {
  wire::Caller caller;
  EXPECT_FALSE(from_wire(caller).ok());
  caller.user = "eve\nroot";
  EXPECT_FALSE(from_wire(caller).ok());
  // A user of a group's name as access lists have it, or of everybody's.
  for (const char* name : {"@ops", "*", "@"}) {
    caller.user = name;
    caller.groups = {};
    const auto made = from_wire(caller);
    ASSERT_FALSE(made.ok()) << name;
    EXPECT_EQ(made.error().message, "caller.user: '" + caller.user + "' is no name");
    caller.groups = {name};
    caller.user = "eve";
    EXPECT_FALSE(from_wire(caller).ok()) << name;
  }
  for (const std::int64_t job :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{UINT32_MAX}, INT64_MAX}) {
    EXPECT_FALSE(job_from_wire(job).ok()) << job;
  }
  wire::AttemptId id = to_wire(AttemptKey{{JobId(7), TaskKind::kReduce, 3}, 2});
  EXPECT_EQ(*from_wire(id), (AttemptKey{{JobId(7), TaskKind::kReduce, 3}, 2}));
  id.kind = static_cast<wire::TaskKind::type>(3);
  EXPECT_FALSE(from_wire(id).ok());
  id.kind = wire::TaskKind::MAP;
  id.index = -1;
  EXPECT_FALSE(from_wire(id).ok());
  wire::Resources resources;
  resources.map_slots = -1;
  EXPECT_FALSE(from_wire(resources).ok());
}

TEST(WireError, KeepsEveryField) {
  const Error error{ErrorCode::kSettingsRefused, "what", "hint", {"a:1:1: x", "b"}};
  const Error back = from_wire(to_wire(error));
  EXPECT_EQ(back.code, error.code);
  EXPECT_EQ(back.message, error.message);
  EXPECT_EQ(back.hint, error.hint);
  EXPECT_EQ(back.diagnostics, error.diagnostics);
  wire::WeirError newer;
  newer.code = static_cast<wire::ErrorCode::type>(99);
  EXPECT_EQ(from_wire(newer).code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace weir
