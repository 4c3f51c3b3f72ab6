// What of a job is not shown to others.
#include "jobqueue/model/secrets.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace weir {
namespace {

TEST(Secrets, GoByNames) {
  for (const char* name : {"DB_PASSWORD", "api.token", "Api-Key", "AWS_SECRET_ACCESS_KEY",
                           "mapreduce.job.credentials", "private_key", "MYSQL_PWD", "PGPASSFILE",
                           "proxy.auth", "SESSION_COOKIE"})
    EXPECT_TRUE(names_secret(name)) << name;
  for (const char* name : {"KEY", "PATH", "PWD", "mapper", "AUTHOR"})
    EXPECT_FALSE(names_secret(name)) << name;
}

TEST(Secrets, OfACommandOnlyTheValueGoes) {
  const std::pair<const char*, const char*> cases[] = {
      {"curl --token abc -x", "curl --token *** -x"},
      {"PASSWORD=x ./run 3", "PASSWORD=*** ./run 3"},
      {"a --api-key='q r' b", "a --api-key=*** b"},
      {"MY_SECRET=\"a b\" y; z", "MY_SECRET=*** y; z"},
      {"curl -H 'Authorization: Bearer abc' http://x",
       "curl -H 'Authorization: ***' http://x"},
      {"psql postgres://u:pw@h/db", "psql postgres://u:***@h/db"}};
  for (const auto& [command, shown] : cases) EXPECT_EQ(without_secrets(command), shown);
}

TEST(Secrets, WordsThatOnlyLookLikeThemStay) {
  for (const char* command : {"tokenize.py in", "grep TOKEN", "x --password", "x --password -v",
                              "http://h:80/a@b", "sort -k2 | uniq -c", ""})
    EXPECT_EQ(without_secrets(command), command);
}

TEST(Secrets, SaysWhichFieldsAreMasked) {
  JobSpec spec;
  spec.mapper = "./map --token abc";
  spec.reducer = "sort";
  spec.conf = {{"pool", "p1"}, {"store", "s3://me:pw@bucket"}};
  spec.environment = {{"DB_PASSWORD", "x"}, {"LANG", "C"}};
  TaskGroupSpec& group = spec.task_groups.emplace_back();
  group.name = "main";
  group.environment = {{"TOKEN", "t"}};
  EXPECT_THAT(mask_secrets(spec),
              testing::ElementsAre("mapper", "conf.store", "environment.DB_PASSWORD",
                                   "main.environment.TOKEN"));
  EXPECT_EQ(spec.mapper, "./map --token ***");
  EXPECT_EQ(spec.conf.at("store"), "s3://me:***@bucket");
  EXPECT_EQ(spec.environment.at("DB_PASSWORD"), "***");
  EXPECT_EQ(spec.environment.at("LANG"), "C");
  EXPECT_EQ(spec.task_groups[0].environment.at("TOKEN"), "***");
}

}  // namespace
}  // namespace weir
