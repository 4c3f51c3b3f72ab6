// `weir conf check` and `weir conf import` on files of their own, without a JobTracker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/exit_code.h"
#include "cli/json.h"
#include "cli/run_weir.h"
#include "cli/temporary_directory.h"

namespace weir::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ConfCheck, NamesTheAllocationsFileThatIsWrong) {
  const TemporaryDirectory directory;
  const auto allocations = directory.write("fair.yaml", "pools: [{name: a, wieght: 1}]\n");
  const auto settings = directory.write("weir.yaml", "fair: {allocations: fair.yaml}\n");
  const auto wrong = run({"conf", "check", settings});
  EXPECT_EQ(wrong.code, kExitRefused);
  EXPECT_THAT(wrong.err, HasSubstr("fair.yaml:1:19: unknown key \"wieght\" in pools.a"));
  directory.write("fair.yaml", "pools: [{name: a, weight: 1}]\n");
  EXPECT_EQ(run({"conf", "check", settings}).code, kExitDone);
}

TEST(ConfImport, PrintsSettingsThatPassTheCheck) {
  const TemporaryDirectory directory;
  const auto file = directory.write("fair-scheduler.xml",
                                    "<allocations>\n"
                                    "<pool name='production'><minMaps>5</minMaps>\n"
                                    "<maxShuffles>3</maxShuffles></pool>\n"
                                    "</allocations>\n");
  const auto imported = run({"conf", "import", file});
  EXPECT_EQ(imported.code, kExitDone);
  EXPECT_THAT(imported.out, AllOf(HasSubstr("policy: fair\n"), HasSubstr("min_share: {map: 5}")));
  EXPECT_THAT(imported.err, HasSubstr("fair-scheduler.xml:3:1: warning: maxShuffles of pool "
                                      "production = \"3\" is not taken over"));
  const auto settings = directory.write("weir.yaml", imported.out);
  const auto checked = run({"conf", "check", settings});
  EXPECT_EQ(checked.code, kExitDone);
  EXPECT_THAT(checked.err, IsEmpty());
  const auto json = Json::parse(run({"conf", "import", file, "-o", "json"}).out);
  EXPECT_EQ(json["files"], Json::array({file}));
  EXPECT_EQ(json["settings"], imported.out);
  EXPECT_EQ(json["warnings"].size(), 1u);
}

TEST(ConfImport, ReadsTheFilesOfOneClusterTogether) {
  const TemporaryDirectory directory;
  const auto pools = directory.write("fair-scheduler.xml",
                                     "<allocations><queue name='etl'>\n"
                                     "<maxAMShare>0.5</maxAMShare></queue></allocations>\n");
  const auto site = directory.write("yarn-site.xml",
                                    "<configuration><property>"
                                    "<name>yarn.scheduler.fair.preemption</name>"
                                    "<value>true</value></property></configuration>\n");
  const auto imported = run({"conf", "import", pools, site});
  EXPECT_EQ(imported.code, kExitDone);
  EXPECT_THAT(imported.out, AllOf(HasSubstr("preemption: on\n"), HasSubstr("\n  - name: etl\n")));
  EXPECT_THAT(imported.err, HasSubstr("fair-scheduler.xml:2:1: warning: maxAMShare of pool etl"));
  EXPECT_EQ(run({"conf", "check", directory.write("weir.yaml", imported.out)}).code, kExitDone);
  const auto twice = run({"conf", "import", pools, pools});
  EXPECT_EQ(twice.code, kExitRefused);
  EXPECT_THAT(twice.err, HasSubstr("a second file with <allocations>"));
}

TEST(ConfImport, RefusesWhatIsNone) {
  const TemporaryDirectory directory;
  const auto torn = run({"conf", "import", directory.write("torn.xml", "<allocations>\n<pool")});
  EXPECT_EQ(torn.code, kExitRefused);
  EXPECT_THAT(torn.out, IsEmpty());
  EXPECT_THAT(torn.err, HasSubstr("torn.xml:2:"));
  const auto none = run({"conf", "import", directory / "none.xml"});
  EXPECT_EQ(none.code, kExitRefused);
  EXPECT_THAT(none.err, HasSubstr("none.xml: No such file or directory"));
  EXPECT_EQ(run({"conf", "import", directory / "."}).code, kExitRefused);
}

}  // namespace
}  // namespace weir::cli
