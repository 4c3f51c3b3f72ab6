#include "tracker/submission/json_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobqueue/model/submission_limits.h"

namespace weir {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;

Json good() {
  return {{"queue", "research"},
          {"input_files", {"/data/in"}},
          {"output", "/data/out/"},
          {"mapper", "cat"},
          {"reducer", "uniq -c"}};
}

std::string refusal_of(const Json& body) {
  const auto read = read_submission(body);
  if (read) return "taken";
  EXPECT_EQ(read.error().code, ErrorCode::kBadRequest);
  return read.error().message + "; " + read.error().hint;
}

std::string refusal_with(const std::string& field, Json value) {
  Json body = good();
  body[field] = std::move(value);
  return refusal_of(body);
}

TEST(JsonSpec, BecomesAJobOfWhoAsks) {
  Json body = good();
  body["conf"] = {{"pool", "p1"}};
  body["reduces"] = 3;
  body["priority"] = "HIGH";
  body["hold"] = true;
  body["files"] = Json::array({{{"name", "a.py"}, {"content", "print()"}, {"executable", true}}});
  body["submission"] = "s1";
  auto read = read_submission(body);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const auto spec = complete(std::move(*read), {{"/data/in/x"}, {{0, 0, 10, {}, {}}}, 10},
                             {"ann", {"staff"}});
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  const JobSpec& job = **spec;
  EXPECT_EQ(job.user, "ann");
  EXPECT_EQ(job.groups, std::vector<std::string>{"staff"});
  EXPECT_EQ(job.queue, "research");
  EXPECT_EQ(job.name, "out");
  EXPECT_EQ(job.output, "/data/out");
  EXPECT_EQ(job.reduces, 3u);
  EXPECT_EQ(job.priority, Priority::kHigh);
  EXPECT_TRUE(job.hold);
  EXPECT_EQ(job.conf.at("pool"), "p1");
  EXPECT_EQ(job.files.at(0).content, "print()");
  EXPECT_TRUE(job.files.at(0).executable);
  EXPECT_EQ(job.input_files, std::vector<std::string>{"/data/in/x"});
  EXPECT_EQ(job.splits.at(0).length, 10);
  EXPECT_EQ(job.submission, "s1");
  EXPECT_EQ(job.max_attempts, 4u);  // as the IDL has it
}

TEST(JsonSpec, WhatIsMissingIsNamed) {
  for (const char* field : {"queue", "input_files", "output", "mapper"}) {
    Json body = good();
    body.erase(field);
    EXPECT_EQ(refusal_of(body), std::string(field) +
                                    ": is missing; queue, input_files, output and mapper are "
                                    "needed");
  }
  EXPECT_THAT(refusal_of(Json::array()), HasSubstr("is no JSON object"));
}

TEST(JsonSpec, AFieldThatIsNotKnownIsRefusedWithTheNearest) {
  EXPECT_THAT(refusal_with("redcues", 1), HasSubstr("there is no field 'redcues', did you mean "
                                                    "'reduces'?; one of: name, queue"));
  EXPECT_THAT(refusal_with("zzzzzzz", 1), HasSubstr("there is no field 'zzzzzzz'; one of"));
  EXPECT_THAT(refusal_with("x\n\x1b[31m", 1), HasSubstr("there is no field 'x??[31m'"));
  EXPECT_THAT(refusal_with("files", Json::array({{{"nam", "a"}}})),
              HasSubstr("files[0]: there is no field 'nam', did you mean 'name'?"));
  EXPECT_THAT(refusal_with("splits", Json::array()),
              HasSubstr("splits: are made by the JobTracker"));
}

TEST(JsonSpec, AValueOfAnotherTypeIsRefused) {
  EXPECT_EQ(refusal_with("reduces", "3"), "reduces: is a string; a whole number");
  EXPECT_EQ(refusal_with("reduces", 1.5), "reduces: is a number; a whole number");
  EXPECT_EQ(refusal_with("mapper", nullptr), "mapper: is null; a string");
  EXPECT_EQ(refusal_with("hold", 1), "hold: is a number; true or false");
  EXPECT_EQ(refusal_with("input_files", "/data/in"),
            "input_files: is a string; an array of strings");
  EXPECT_EQ(refusal_with("input_files", Json::array({"/a", 7})),
            "input_files[1]: is a number; a string");
  EXPECT_EQ(refusal_with("conf", {{"a", {{"b", "c"}}}}), "conf[a]: is an object; a string");
  EXPECT_EQ(refusal_with("files", Json::array({"x"})),
            "files[0]: is a string; an object {name, content}");
}

TEST(JsonSpec, NumbersAndTextAreWithinTheLimitsOfEverySubmission) {
  EXPECT_THAT(refusal_with("reduces", (std::int64_t{1} << 32) + 1), HasSubstr("is out of range"));
  EXPECT_THAT(refusal_with("sort_memory_mb", UINT64_MAX), HasSubstr("is out of range"));
  EXPECT_THAT(refusal_with("max_attempts", 0), HasSubstr("max_attempts: 0 is out of range"));
  EXPECT_THAT(refusal_with("output", "out"), HasSubstr("'out' is a relative path"));
  EXPECT_THAT(refusal_with("input_files", Json::array()), HasSubstr("input_files: none given"));
  EXPECT_THAT(refusal_with("input_files", Json::array({"in"})), HasSubstr("is a relative path"));
  EXPECT_THAT(refusal_with("split_bytes", 0), HasSubstr("split_bytes: 0 is out of range"));
  EXPECT_THAT(refusal_with("combine_bytes", -1), HasSubstr("combine_bytes: -1 is out of range"));
  EXPECT_THAT(refusal_with("priority", "URGENT"), HasSubstr("priority: 'URGENT' is none"));
  EXPECT_THAT(refusal_with("submission", std::string(200, 's')), HasSubstr("is 200 bytes long"));
  EXPECT_EQ(refusal_with("time_limit_ms", 60'000), "taken");
}

}  // namespace
}  // namespace weir
