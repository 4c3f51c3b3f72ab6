// The options of `weir submit`.
#include <CLI/CLI.hpp>

#include "cli/submit_command.h"

namespace weir::cli {

void add_job_options(CLI::App& command, SubmitOptions& o, Needed needed) {
  const bool all = needed == Needed::kAll;
  command
      .add_option("--queue", o.queue,
                  "the queue: its dotted path, or its last part if that is unambiguous")
      ->required(all);
  command
      .add_option("--input", o.input,
                  "files, directories whose files (not _* and .*) are read, or patterns of both, "
                  "like 'logs/*.gz'")
      ->required(all)
      ->type_name("PATH...");
  command.add_option("--output", o.output, "a directory that does not exist yet")
      ->required(all)
      ->type_name("DIR");
  command.add_option("--mapper", o.mapper, "run by sh -c: lines in, KEY TAB VALUE lines out")
      ->required(all)
      ->type_name("CMD");
  command
      .add_option("--reducer", o.reducer, "gets the lines sorted by key; needed unless --reduces 0")
      ->type_name("CMD");
  command.add_option("--combiner", o.combiner, "reduces on the map's side already")
      ->type_name("CMD");
  command
      .add_option("--reduces", o.reduces,
                  "number of reduces, 0 to 100000 (default 1); 0: maps alone")
      ->type_name("N");
  command
      .add_option("--ok-exit", o.ok_exit,
                  "statuses with which mapper, reducer and combiner may end (default 0); grep ends "
                  "with 1 where nothing matches: 0,1")
      ->type_name("N,...");
  command.add_option("--name", o.name, "for people (default: the output's last part)");
  command.add_option("--priority", o.priority, "VERY_HIGH, HIGH, NORMAL, LOW or VERY_LOW")
      ->type_name("P");
  command.add_option("--conf", o.conf, "a setting of the job, in the environment of its tasks")
      ->type_name("KEY=VALUE");
  command
      .add_option("--env", o.environment, "an environment variable of mapper, reducer and combiner")
      ->type_name("KEY=VALUE");
}

namespace {

// What a task takes of a tracker.
void add_resource_options(CLI::App& command, SubmitOptions& o) {
  command
      .add_option("--map-memory", o.map_memory,
                  "memory of a map, like 512M, 2G (512 is in MB): asked of the tracker, and its "
                  "limit")
      ->type_name("SIZE");
  command.add_option("--reduce-memory", o.reduce_memory, "memory of a reduce")->type_name("SIZE");
  command
      .add_option("--map-vcores", o.map_vcores,
                  "cores of a map, asked of the tracker (default: none; where containers count "
                  "what the settings say)")
      ->type_name("N");
  command.add_option("--reduce-vcores", o.reduce_vcores, "cores of a reduce")->type_name("N");
  command.add_option("--sort-memory", o.sort_memory, "a map's sort buffer (default 64M)")
      ->type_name("SIZE");
  command
      .add_option("--map-slots-per-task", o.slots_per_map, "slots that one map takes (default 1)")
      ->type_name("N");
  command
      .add_option("--reduce-slots-per-task", o.slots_per_reduce,
                  "slots that one reduce takes (default 1)")
      ->type_name("N");
}

}  // namespace

void add_limit_options(CLI::App& command, SubmitOptions& o) {
  command
      .add_option("--files", o.files,
                  "small files, with commas, that travel with the job: programs find them in "
                  "their directory (1 MiB each, 4 MiB in all)")
      ->type_name("FILE,...");
  command
      .add_option("--split-size", o.split_size,
                  "input of one map, like 65536, 512k, 64M, 1G (default 64M); a file that ends in "
                  ".gz, .zst or .bz2 is one split")
      ->type_name("SIZE");
  command
      .add_option_function<std::string>(
          "--combine-files",
          [&o](const std::string& size) {
            o.combine = true;
            o.combine_files = size;
          },
                  "small files are read by one map, several up to this size together (default: "
                  "the split size)")
      ->expected(0, 1)
      ->type_name("[SIZE]");
  command
      .add_option("--max-attempts", o.max_attempts,
                  "failures of a task that fail the job (default 4)")
      ->type_name("N");
  command
      .add_option("--task-timeout", o.task_timeout,
                  "a task without progress this long has failed (default 10m)")
      ->type_name("TIME");
  add_resource_options(command, o);
  command
      .add_option("--slowstart", o.slowstart,
                  "part of the maps done before reduces start (default 5%)")
      ->type_name("PART");
  command
      .add_option("--working-directory", o.working_directory,
                  "where relative programs are found (default: the attempt's own directory)")
      ->type_name("DIR");
  command
      .add_option("--time-limit", o.time_limit,
                  "the job is killed so long after its first task started (default: never)")
      ->type_name("TIME");
  command.add_flag("--hold", o.hold,
                   "nothing of the job starts before `weir job release ID`, which is durable");
  command.add_flag("--wait", o.wait,
                   "show progress until the end; exit 0 only if the job SUCCEEDED");
  command
      .add_option(
          "--retry", o.retry,
          "how long to try while the JobTracker does not answer (default: 2m with --wait or "
          "once it has been reached, else not at all); never submits twice")
      ->type_name("TIME");
}

}  // namespace weir::cli
