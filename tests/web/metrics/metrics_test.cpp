// What a JobTracker exposes: held against docs/metrics.md, the board, the alerts, and Prometheus'
// own linter where that is installed.
#include "web/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tracker/jobtracker/harness.h"

namespace weir {
namespace {

using prometheus::MetricFamily;
using prometheus::MetricType;
using testing::HasSubstr;

std::string file_text(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

// A JobTracker that has done something: a job, a refusal, a tracker that is there.
class Metrics : public testing::Test {
 protected:
  void SetUp() override {
    tracker_ = start_tracker(memory_store());
    FakeTracker worker(tracker_->tracker_port(), "tt1");
    worker.join();
    worker.beat();
    auto client = connect(tracker_->client_port())->client<wire::ClientServiceClient>();
    const std::int64_t job = client.call([](auto& c) {
      wire::SubmitReply reply;
      c.submit(reply, make_request(3, 1, "/out"));
      return reply.job;
    });
    EXPECT_EQ(worker.run(client, job).state, "SUCCEEDED");
    EXPECT_THROW(status_of(client, 77), wire::WeirError);
  }

  std::vector<MetricFamily> families() {
    return metric_families(tracker_->figures(), *tracker_->loop().views().latest(),
                           tracker_->loop().time().wall_now());
  }
  std::string text() {
    return metrics_text(tracker_->figures(), *tracker_->loop().views().latest(),
                        tracker_->loop().time().wall_now());
  }

  std::unique_ptr<JobTracker> tracker_;
};

const char* type_name(MetricType type) {
  return type == MetricType::Counter     ? "counter"
         : type == MetricType::Histogram ? "histogram"
                                         : "gauge";
}

std::string labels_of(const MetricFamily& family) {
  std::string out;
  if (family.metric.empty()) return "*";
  for (const auto& label : family.metric.front().label)
    out += (out.empty() ? "" : ", ") + label.name;
  return out;
}

std::string row_of(const MetricFamily& family, const std::string& labels) {
  return "| `" + family.name + "` | " + type_name(family.type) + " | " + labels + " | " +
         family.help + " |";
}

TEST_F(Metrics, SayWhatHasHappened) {
  const std::string all = text();
  for (const char* line :
       {"weir_jobs_submitted_total 1\n", "weir_jobs_ended_total{state=\"succeeded\"} 1\n",
        "weir_launches_total{class=\"map\",locality=\"any\"} 3\n",
        "weir_launches_total{class=\"reduce\",locality=\"any\"} 1\n",
        "weir_attempts_ended_total{class=\"map\",outcome=\"succeeded\"} 3\n",
        "weir_trackers{state=\"live\"} 1\n", "weir_slots{class=\"map\",state=\"free\"} 2\n",
        "weir_job_run_seconds_count 1\n", "weir_policy_info{policy=\"fifo\"} 1\n",
        "weir_recovering 0\n", "weir_queue_leaf{queue=\"default\"} 1\n",
        "weir_queue_jobs_ended_total{queue=\"default\",state=\"succeeded\"} 1\n",
        "weir_rpc_calls_total{port=\"clients\",method=\"submit\",code=\"OK\"} 1\n",
        "weir_rpc_calls_total{port=\"clients\",method=\"job_status\",code=\"UNKNOWN_JOB\"} 1\n",
        "weir_store_failing 0\n"}) {
    EXPECT_THAT(all, HasSubstr(line));
  }
  EXPECT_THAT(all, HasSubstr("weir_rpc_duration_seconds_bucket{port=\"trackers\","
                             "method=\"heartbeat\",le=\"+Inf\"}"));
  EXPECT_EQ(all.find("weir_store_commit_seconds_count 0\n"), std::string::npos);
  EXPECT_EQ(all.find("weir_heartbeat_decision_seconds_count 0\n"), std::string::npos);
}

TEST_F(Metrics, CountersOnlyGrow) {
  const auto before = families();
  FakeTracker(tracker_->tracker_port(), "tt2").join();
  const auto after = families();
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].type != MetricType::Counter) continue;
    ASSERT_LE(before[i].metric.size(), after[i].metric.size());
    for (std::size_t m = 0; m < before[i].metric.size(); ++m) {
      EXPECT_LE(before[i].metric[m].counter.value, after[i].metric[m].counter.value)
          << before[i].name;
    }
  }
}

TEST_F(Metrics, SeriesDoNotGoByJobsUsersOrTrackers) {
  static const std::set<std::string> kAllowed = {
      "class",  "state",  "queue", "port",     "method",  "code",    "cause", "reason",
      "policy", "source", "event", "locality", "outcome", "version", "route"};
  for (const MetricFamily& family : families()) {
    for (const auto& metric : family.metric) {
      for (const auto& label : metric.label) EXPECT_TRUE(kAllowed.contains(label.name));
    }
  }
}

// The table is what the code says; it is printed where they differ.
TEST_F(Metrics, AreAllDescribedInTheDocument) {
  std::set<std::string> written;
  std::istringstream lines(file_text(WEIR_DOCS_FOLDER "/metrics.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| `")) written.insert(line);
  }
  std::string wanted;
  for (const MetricFamily& family : families()) {
    EXPECT_FALSE(family.help.empty()) << family.name;
    // Series that come and go have their labels from the document.
    const auto known = std::find_if(written.begin(), written.end(), [&](const std::string& line) {
      return line.starts_with("| `" + family.name + "`");
    });
    std::string labels = labels_of(family);
    if (labels == "*" && known != written.end()) {
      std::istringstream cells(*known);
      for (int cell = 0; cell < 4; ++cell) std::getline(cells, labels, '|');
      labels = labels.substr(1, labels.size() - 2);
    }
    const std::string row = row_of(family, labels);
    wanted += row + "\n";
    EXPECT_EQ(written.erase(row), 1u) << row;
  }
  EXPECT_TRUE(written.empty()) << "described, but not exposed: " << *written.begin();
  if (HasFailure()) std::printf("%s", wanted.c_str());
}

std::set<std::string> names_in(const std::string& text) {
  static const std::regex name("\\b(?:weir|process)_[a-z0-9_]+");
  std::set<std::string> out;
  for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match)
    out.insert(match->str());
  return out;
}

std::set<std::string> exposed(const std::vector<MetricFamily>& families) {
  std::set<std::string> out;
  for (const MetricFamily& family : families) {
    out.insert(family.name);
    if (family.type != MetricType::Histogram) continue;
    for (const char* part : {"_bucket", "_sum", "_count"}) out.insert(family.name + part);
  }
  return out;
}

std::string text_of(const PublishedViews& views, const EngineCounters& counters = {},
                    TimeMs now = 0) {
  DaemonFigures daemon;
  daemon.engine = &counters;
  return metrics_text(daemon, views, now);
}

std::string text_of(const QueueView& queue, TimeMs now) {
  PublishedViews views;
  views.queues = std::make_shared<const std::vector<QueueView>>(std::vector{queue});
  views.settings = std::make_shared<const Settings>();
  return text_of(views, {}, now);
}

TEST(AmountMetrics, ContainersAreGaugedByDimensionAndNotInSlots) {
  QueueView queue;
  queue.name = "prod";
  queue.leaf = true;
  QueueView::Slots memory{4096, 6144, 5120, 1024, 8192, {}, {}, {}, {}};
  memory.share_thousandths = 3'072'500;
  QueueView::Slots gpu;
  gpu.running = 1;
  queue.amounts = {{"memory_mb", memory, 2048, 512, 1024, {}}, {"gpu", gpu, 0, {}, {}, {}}};
  queue.dominant_thousandths = 625;
  PublishedViews views;
  views.queues = std::make_shared<const std::vector<QueueView>>(std::vector{queue});
  views.settings = std::make_shared<const Settings>();
  TrackerRecord tracker;
  tracker.view.name = "tt1";
  tracker.view.state = "LIVE";
  tracker.view.offer = {{"memory_mb", 8192, 7168}, {"gpu", 2, 1}};
  tracker.view.reserved_for = JobId(3);
  tracker.view.rooms = 2;
  tracker.view.room_for = JobId(4);
  views.trackers.set(0, std::make_shared<const TrackerRecord>(tracker));
  const std::string text = text_of(views);
  for (const char* line :
       {"weir_queue_guaranteed_amount{queue=\"prod\",dimension=\"memory_mb\"} 4096\n",
        "weir_queue_allocated_amount{queue=\"prod\",dimension=\"memory_mb\"} 6144\n",
        "weir_queue_running_amount{queue=\"prod\",dimension=\"memory_mb\"} 5120\n",
        "weir_queue_running_amount{queue=\"prod\",dimension=\"gpu\"} 1\n",
        "weir_queue_pending_amount{queue=\"prod\",dimension=\"memory_mb\"} 1024\n",
        "weir_queue_maximum_amount{queue=\"prod\",dimension=\"memory_mb\"} 8192\n",
        "weir_queue_share_amount{queue=\"prod\",dimension=\"memory_mb\"} 3072.5\n",
        "weir_queue_min_share_amount{queue=\"prod\",dimension=\"memory_mb\"} 1024\n",
        "weir_queue_kept_amount{queue=\"prod\",dimension=\"memory_mb\"} 512\n",
        "weir_queue_reserved_amount{queue=\"prod\",dimension=\"memory_mb\"} 2048\n",
        "weir_queue_dominant_share_ratio{queue=\"prod\"} 0.625\n",
        "weir_offered_amount{dimension=\"memory_mb\",state=\"used\"} 7168\n",
        "weir_offered_amount{dimension=\"memory_mb\",state=\"free\"} 1024\n",
        "weir_offered_amount{dimension=\"gpu\",state=\"free\"} 1\n",
        "weir_trackers_reserved 1\n", "weir_gang_rooms 2\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_EQ(text.find("_slots{"), std::string::npos) << text;
  EXPECT_EQ(text.find("dimension=\"gpu\"} 8192"), std::string::npos);
}

TEST(EngineMetrics, TasksOfApplicationsAndClaimsOfContainersAreCounted) {
  EngineCounters counters;
  auto& tasks = counters.of[EngineCounters::class_of(group_kind(1))];
  tasks.launches[2].add(22);
  tasks.failed.add(3);
  tasks.kills[0].add(16);
  auto& memory = counters.by[Dimension::kMemoryMb.value()];
  memory.wasted_ms[0].add(5'500);
  memory.claims_opened.add(4);
  counters.by[Dimension::named(0).value()].claim_slots_met.add(2);
  Settings settings;
  settings.resources.mode = ResourceSettings::Mode::kContainers;
  settings.resources.named = {"gpu"};
  PublishedViews views;
  views.queues = std::make_shared<const std::vector<QueueView>>();
  views.settings = std::make_shared<const Settings>(settings);
  const std::string text = text_of(views, counters);
  for (const char* line :
       {"weir_launches_total{class=\"task\",locality=\"any\"} 22\n",
        "weir_attempts_ended_total{class=\"task\",outcome=\"failed\"} 3\n",
        "weir_kills_total{class=\"task\",reason=\"reclaim\"} 16\n",
        "weir_wasted_amount_seconds_total{dimension=\"memory_mb\",reason=\"reclaim\"} 5.5\n",
        "weir_claims_opened_total{class=\"map\"} 0\n",
        "weir_claims_opened_total{class=\"memory_mb\"} 4\n",
        "weir_claim_slots_total{class=\"gpu\",event=\"met\"} 2\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(QueueMetrics, WhatContainersHaveHadIsNoSlotTime) {
  QueueView queue;
  queue.name = "prod";
  queue.amounts = {{"memory_mb", {}, 0, {}, {}, {40'960'000, 1'000, 2'000, 3'500}},
                   {"gpu", {}, 0, {}, {}, {20'000, 0, 0, 0}}};
  const std::string text = text_of(queue, 0);
  for (const char* line :
       {"weir_queue_used_amount_seconds_total{queue=\"prod\",dimension=\"memory_mb\"} 40960\n",
        "weir_queue_used_amount_seconds_total{queue=\"prod\",dimension=\"gpu\"} 20\n",
        "weir_queue_lent_amount_seconds_total{queue=\"prod\",dimension=\"memory_mb\"} 1\n",
        "weir_queue_borrowed_amount_seconds_total{queue=\"prod\",dimension=\"memory_mb\"} 2\n",
        "weir_queue_lost_amount_seconds_total{queue=\"prod\",dimension=\"memory_mb\"} 3.5\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_EQ(text.find("slot_seconds_total{queue="), std::string::npos);
}

TEST(QueueMetrics, AClaimIsOverdueByTheClockAndNotByTheAgeOfTheViews) {
  QueueView queue;
  queue.name = "prod";
  queue.leaf = true;
  QueueView::Claim claim;
  claim.slots = 4;
  claim.state = "due";
  claim.deadline_ms = 100'000;
  queue.claims = {claim};
  claim.kind = TaskKind::kReduce;
  claim.state = "paused";
  claim.overdue_ms = 2'000;
  queue.claims.push_back(claim);
  const std::string text = text_of(queue, 107'000);
  for (const char* line :
       {"weir_queue_claim_overdue_seconds{queue=\"prod\",class=\"map\"} 7\n",
        "weir_queue_claim_overdue_seconds{queue=\"prod\",class=\"reduce\"} 2\n",
        "weir_queue_claim_slots{queue=\"prod\",class=\"map\",state=\"due\"} 4\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

nlohmann::json board() {
  return nlohmann::json::parse(file_text(WEIR_DIST_FOLDER "/grafana/weir.json"));
}

std::vector<std::string> expressions(const nlohmann::json& board) {
  std::vector<std::string> out;
  for (const auto& panel : board.at("panels")) {
    if (!panel.contains("targets")) continue;
    for (const auto& target : panel.at("targets")) out.push_back(target.at("expr"));
  }
  for (const auto& annotation : board.at("annotations").at("list"))
    out.push_back(annotation.at("expr"));
  for (const auto& variable : board.at("templating").at("list")) {
    if (variable.at("type") == "query") out.push_back(variable.at("definition"));
  }
  return out;
}

TEST_F(Metrics, WhatTheBoardAndTheAlertsNameIsExposed) {
  const std::set<std::string> there = exposed(families());
  std::set<std::string> named;
  for (const std::string& expression : expressions(board())) named.merge(names_in(expression));
  EXPECT_GT(named.size(), 25u);
  std::istringstream alerts(file_text(WEIR_DIST_FOLDER "/prometheus/alerts.yml"));
  for (std::string line; std::getline(alerts, line);) named.merge(names_in(line));
  for (const std::string& name : named) EXPECT_TRUE(there.contains(name)) << name;
}

TEST(Board, IsOneThatGrafanaOpens) {
  const auto json = board();
  EXPECT_EQ(json.at("title"), "Weir");
  EXPECT_EQ(json.at("schemaVersion"), 38);  // of Grafana 10
  std::set<int> ids;
  std::set<std::pair<int, int>> cells;
  for (const auto& panel : json.at("panels")) {
    EXPECT_TRUE(ids.insert(panel.at("id").get<int>()).second);
    const auto& place = panel.at("gridPos");
    for (int x = 0; x < place.at("w").get<int>(); ++x) {
      for (int y = 0; y < place.at("h").get<int>(); ++y) {
        const std::pair<int, int> cell{place.at("x").get<int>() + x, place.at("y").get<int>() + y};
        EXPECT_LT(cell.first, 24);
        EXPECT_TRUE(cells.insert(cell).second) << panel.at("title") << " lies on another panel";
      }
    }
    if (panel.at("type") == "row") continue;
    EXPECT_EQ(panel.at("datasource").at("uid"), "${datasource}");
    EXPECT_FALSE(panel.at("description").get<std::string>().empty());
    EXPECT_FALSE(panel.at("targets").empty());
    EXPECT_TRUE(panel.at("fieldConfig").at("defaults").contains("unit"));
  }
}

// --- promtool, which scripts/test fetches ---

std::string run(const std::string& command, int* status) {
  std::string output;
  const std::string there = "PATH=$PATH:" WEIR_TOOLS_FOLDER "; ";
  std::FILE* pipe = ::popen(("{ " + there + command + "; } 2>&1").c_str(), "r");
  char buffer[4'096];
  while (std::fgets(buffer, sizeof(buffer), pipe) != nullptr) output += buffer;
  *status = ::pclose(pipe);
  return output;
}

TEST_F(Metrics, PassPrometheusOwnLinter) {
  TempDir folder;
  std::ofstream(folder.file("metrics")) << text();
  int status = 0;
  const std::string said = run("promtool check metrics <" + folder.file("metrics"), &status);
  EXPECT_EQ(status, 0) << said;
  EXPECT_EQ(said, "");
}

TEST(Board, ItsExpressionsAndTheAlertsAreValid) {
  TempDir folder;
  std::ofstream rules(folder.file("rules.yml"));
  rules << "groups:\n- name: board\n  rules:\n";
  int count = 0;
  for (std::string expression : expressions(board())) {
    if (expression.starts_with("label_values")) continue;
    expression = std::regex_replace(expression, std::regex("\\$__rate_interval"), "5m");
    expression = std::regex_replace(expression, std::regex("\\$(instance|queue)"), ".*");
    rules << "  - record: board:" << ++count << ":x\n"
          << "    expr: " << nlohmann::json(expression).dump() << "\n";
  }
  rules.close();
  int status = 0;
  std::string said = run("promtool check rules --lint=none " + folder.file("rules.yml"), &status);
  EXPECT_EQ(status, 0) << said;
  said = run("promtool check rules " WEIR_DIST_FOLDER "/prometheus/alerts.yml", &status);
  EXPECT_EQ(status, 0) << said;
}

}  // namespace
}  // namespace weir
