// What an attempt's process is told: made from a launch and its job, written and read strictly.
#include "tracker/tasktracker/task_spec.h"

#include <gtest/gtest.h>

#include "tracker/tasktracker/task_spec_codec.h"

namespace weir::tasktracker {
namespace {

// Nothing in it is as it would be of itself.
TaskSpec full_spec() {
  TaskSpec spec;
  spec.id = {{JobId(7), TaskKind::kReduce, 3}, 2};
  spec.job_display_name = "a name";
  spec.mapper = std::string("a\0b\n\xff", 5);
  spec.reducer = "r";
  spec.combiner = "c";
  spec.maps = 4;
  spec.reduces = 5;
  spec.input = {{"/a file", 0, 5}, {"/b\n", 7, INT64_MAX}};
  spec.output = "/out";
  spec.owner = "job_0007 1";
  spec.output_is_durable = true;
  spec.conf["k"] = std::string("v\0\n", 3);
  spec.environment[""] = "=";
  spec.working_directory = "/w";
  spec.files = {{"a b", std::string("x\0\n", 3), true}, {"c", "", false}};
  spec.memory_mb = 100;
  spec.sort_memory_mb = 65;
  spec.max_line_mb = 257;
  spec.compute_granted = false;
  spec.attempt_dir = "/work/attempts/a";
  spec.map_output_dir = "/work/outputs/a";
  spec.log_dir = "/work/logs/a";
  spec.log_stream_mb = 9;
  spec.settings.open_files = 4097;
  spec.settings.file_mb = 1;
  spec.settings.core_mb = 2;
  spec.settings.user_processes = 3;
  spec.settings.environment = {"JAVA_HOME"};
  spec.settings.map_output_codec = MapOutputCodec::kZstd;
  spec.cgroups = {"/sys/fs/cgroup/a"};
  spec.spare_output_dir = "attempt_0007_m_000001_0";
  spec.hidden_root = "/work";
  spec.sealed_mounts = {"/work/x", "/work/y"};
  spec.application = {"ps", 3, "./ps.sh", 512, 2, {{"gpu", {0, 3}}}, {20000, 20001}};
  return spec;
}

std::string refusal(std::string_view bytes) {
  const auto spec = decode_task_spec(bytes);
  return spec.ok() ? "" : spec.error().message;
}

TEST(TaskFile, ComesBackAsItWent) {
  const TaskSpec spec = full_spec();
  const std::string bytes = encode_task_spec(spec);
  const auto back = decode_task_spec(bytes);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(encode_task_spec(*back), bytes);
  EXPECT_EQ(back->id, spec.id);
  EXPECT_EQ(back->mapper, spec.mapper);
  EXPECT_EQ(back->maps, 4u);
  EXPECT_EQ(back->reduces, 5u);
  EXPECT_EQ(back->conf, spec.conf);
  EXPECT_EQ(back->environment, spec.environment);
  EXPECT_EQ(back->input.at(0).file, "/a file");
  EXPECT_EQ(back->input_bytes(), INT64_MAX);
  ASSERT_EQ(back->files.size(), 2u);
  EXPECT_EQ(back->files[0].content, spec.files[0].content);
  EXPECT_TRUE(back->files[0].executable);
  EXPECT_FALSE(back->files[1].executable);
  EXPECT_EQ(back->settings, spec.settings);
  EXPECT_EQ(back->sealed_mounts, spec.sealed_mounts);
}

TEST(TaskFile, HasAllOfItsFieldsAndNoOther) {
  const std::string bytes = encode_task_spec(full_spec());
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    const std::string part = bytes.substr(0, cut);
    EXPECT_NE(refusal(part).find("field "), std::string::npos) << cut;
    // The zero byte ends a struct.
    EXPECT_NE(cut + 1 == bytes.size(), !refusal(part + '\0').empty()) << cut;
  }
  EXPECT_EQ(refusal(std::string(1, '\0')), "task file: field 1 is missing");
  EXPECT_EQ(refusal(bytes.substr(0, bytes.find("a name") + 3)),
            "task file: ends in or after field 2");
  EXPECT_EQ(refusal(bytes + "xy"), "task file: 2 bytes are behind its end");
  std::string spoilt = bytes;
  const std::string one_more = std::string("\x02\x00\x1e\x01", 4);  // field 30, a bool
  spoilt.insert(spoilt.size() - 1, one_more);
  EXPECT_EQ(refusal(spoilt), "task file: field 30 is not known, or of another type");
  spoilt = bytes;
  spoilt[spoilt.find(std::string("\x02\x00\x12", 3))] = '\x03';  // field 18, no bool
  EXPECT_EQ(refusal(spoilt), "task file: field 18 is not known, or of another type");
  spoilt = bytes;
  spoilt[spoilt.find(std::string("\x02\x00\x12", 3)) + 2] = '\x14';
  EXPECT_EQ(refusal(spoilt), "task file: field 18 is missing");
  spoilt = bytes;
  spoilt[3 + 2] = '\x09';  // the first field of the first
  EXPECT_EQ(refusal(spoilt), "task file: field 1 has a part that is not known");
  EXPECT_TRUE(refusal("attempt 7\n").starts_with("task file: field 1 is missing"));
}

TEST(TaskFile, RefusesWhatNoTrackerWrites) {
  TaskSpec spec = full_spec();
  spec.id.task.kind = TaskKind::kMap;
  spec.input.clear();
  EXPECT_EQ(refusal(encode_task_spec(spec)), "task file: a map without input");
  spec = full_spec();
  spec.reduces = UINT32_MAX;
  EXPECT_EQ(refusal(encode_task_spec(spec)), "task file: a number of tasks is below 0");
  spec = full_spec();
  spec.settings.map_output_codec = static_cast<MapOutputCodec>(3);
  EXPECT_EQ(refusal(encode_task_spec(spec)), "task file: a codec that is not known");
  spec = full_spec();
  spec.id.task.job = JobId();
  EXPECT_NE(refusal(encode_task_spec(spec)).find("is no job number"), std::string::npos);
}

// A list that claims more than its file could hold.
TEST(TaskFile, ClaimsTakeNoMemory) {
  std::string bytes = encode_task_spec(full_spec());
  const std::size_t list = bytes.find(std::string("\x0f\x00\x08\x0c", 4));  // field 8, of structs
  ASSERT_NE(list, std::string::npos);
  bytes.replace(list + 4, 4, "\x7f\xff\xff\xff", 4);
  EXPECT_TRUE(refusal(bytes).starts_with("task file: field 8: ")) << refusal(bytes);
}

TEST(TaskSpec, RefusesALaunchThatDoesNotFitItsJob) {
  JobSpec spec;
  spec.input_files = {"/in"};
  spec.maps_were = 1;
  Launch launch{{{JobId(7), TaskKind::kMap, 0}, 0}, {}, true};
  const auto split = [&launch](const Split& given) { launch.split = LaunchSplit(given); };
  const auto said = [&] {
    const auto made = make_task_spec({JobId(7), std::make_shared<const JobSpec>(spec), ""}, launch);
    return made.ok() ? "" : made.error().message;
  };
  EXPECT_EQ(said(), "attempt_0007_m_000000_0: was launched without a split");
  split({1, 0, 0, {}, {}});
  EXPECT_EQ(said(), "attempt_0007_m_000000_0: its split names input file 1, the job has 1");
  split({0, 0, 0, {}, {}});
  EXPECT_EQ(said(), "");
  split({0, 0, 0, {}, {{7, 0, 0}}});
  EXPECT_EQ(said(), "attempt_0007_m_000000_0: its split names input file 7, the job has 1");
  launch.attempt.task = {JobId(7), TaskKind::kReduce, 1};
  EXPECT_EQ(said(), "attempt_0007_r_000001_0: the job has 1 reduces");
  for (const char* wrong : {"many", "0", "2001", "7 "}) {
    spec.conf = {{"weir.max.line.mb", wrong}};
    EXPECT_EQ(said(), "conf weir.max.line.mb: is '" + std::string(wrong) +
                          "', allowed are whole numbers from 1 to 2000");
  }
}

}  // namespace
}  // namespace weir::tasktracker
