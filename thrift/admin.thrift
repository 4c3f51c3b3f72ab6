/** Steering the cluster. Same port as ClientService, multiplexed as "admin". */
namespace cpp weir.wire
namespace py weir_wire.admin

include "common.thrift"
include "client.thrift"

/** What a queue or pool has and would get in one class, in slots. Absent: the policy has no such figure. */
struct ShareFigures {
  1: required i64 running
  2: required i64 pending
  3: optional i64 guaranteed
  4: optional i64 allocated
  5: optional i64 share_thousandths     // fair share, in thousandths of a slot
  6: optional i64 min_share
  7: optional i64 maximum
  8: optional i64 copying            // of reduces: places to copy in that are taken, by those that wait for a slot too
  9: optional i64 unmet              // slots that a pool lacks for too long and nobody may be killed for
  10: optional i64 demand            // of a pool: running and pending, up to its maximum
  11: optional i64 below_min_share_ms    // of a pool: for how long; 0: it is not
  12: optional i64 below_half_share_ms   // below half of its fair share, likewise
}

/** Of one dimension, where containers count. */
struct ShareAmounts {
  1: required string dimension          // "memory_mb", "vcores", or as the settings name it
  2: required ShareFigures figures
}

struct PolicyShare {
  1: required string name               // dotted path
  2: required ShareFigures maps
  3: required ShareFigures reduces
  4: optional i64 weight_millionths     // of a pool, as what follows
  5: optional string mode               // fair, fifo: how its jobs share
  6: optional i32 jobs_running          // of a leaf: that may run
  7: optional i32 jobs_waiting          // that are over a limit on running jobs
  8: optional list<ShareAmounts> amounts    // where containers count, and nothing in maps and reduces
}

/** What one policy would give right now. */
struct PolicyOutlook {
  1: required string policy
  2: required bool pools                // the shares are of pools, not of queues
  3: required list<PolicyShare> shares
}

struct PolicyInfo {
  1: required string current
  2: required list<string> available
  3: required i64 since_ms
  4: optional list<string> notices      // findings about the settings that stay visible
  5: optional list<PolicyOutlook> outlooks   // of every policy there is
}

/** A file of settings, by name (for messages) and text. */
struct SettingsFile {
  1: required string name
  2: required string text
  3: optional i64 replaces              // applied only while the settings of this number are in force (SettingsRecord)
}

/** Guaranteed and at most in one dimension, where containers count. */
struct AmountsChange {
  1: required string dimension          // "memory_mb"
  2: required i64 guaranteed_before
  3: required i64 guaranteed_after
  4: required i64 maximum_before
  5: required i64 maximum_after
}

/** What a change of settings would do to one queue. */
struct QueueChange {
  1: required string queue
  2: required string change             // "added", "removed", "changed", "unchanged"
  3: required i64 maps_before
  4: required i64 maps_after            // guaranteed slots
  5: required i64 reduces_before
  6: required i64 reduces_after
  7: optional i64 maps_maximum_before   // MAX
  8: optional i64 maps_maximum_after
  9: optional i64 reduces_maximum_before
  10: optional i64 reduces_maximum_after
  11: optional i32 jobs                 // unfinished now
  12: optional string moves_to          // removed: where they go
  13: optional list<AmountsChange> amounts  // where containers count; the slots are 0 then
}

struct ClaimForeseen {
  1: required string queue
  2: required string kind               // "map", "reduce"
  3: required i64 slots                 // that it would be owed
  4: required i64 open                  // as it is owed already
  5: required i64 left_ms               // until it kills; -1: it never does
}

/** What the policy gives now, and would give with other settings. */
struct SettingsPreview {
  1: required PolicyOutlook now
  2: required PolicyOutlook then_given
  3: required list<ClaimForeseen> claims
}

struct SettingsDiff {
  1: required list<QueueChange> queues
  2: required list<string> changes      // other settings, one line each: `heartbeat.expiry: 10m -> 5m`
  3: required list<string> warnings
  4: optional list<string> refusals     // why it would be refused as the cluster is now
  5: optional list<string> at_restart   // settings that take effect when the JobTracker is started anew
  6: optional i64 map_slots             // of the cluster, to which the figures refer
  7: optional i64 reduce_slots
  8: optional SettingsPreview preview   // absent: they would be refused, or containers count
}

/** One change of the settings, or of the policy by command. */
struct SettingsRecord {
  1: required i64 number
  2: required i64 at_ms                 // 0: before there was a history of settings
  3: required string by                 // empty: the settings file was read
  4: required string policy             // that these settings name, or that was set
  5: required string source             // the settings' name; empty: the policy was set
}

/** The settings file that the JobTracker follows, beside what is in force. */
struct FollowedFile {
  1: required string file               // empty: it follows none
  2: required string source             // conf.source: newest, file, applied
  3: required string says               // a sentence; empty: it is what is in force
  4: required list<string> changes      // from what is in force to the file, or what is wrong with it
  5: required bool sound
}

/** One setting in force. */
struct Setting {
  1: required string name               // `queues.research.maximum`
  2: required string value
  3: required string origin             // "default", "settings" or "command"
}

struct ServerInfo {
  1: required string version
  2: required i64 started_at_ms
  3: required i64 now_ms
  4: required i32 trackers
  5: required i32 jobs_unfinished
  6: required i64 frames_refused        // malformed, oversized, timed out, over budget
  7: required string store
  8: optional string store_error        // set while the store refuses writes
  9: required i32 tracker_port
  10: required i32 client_port
  11: optional string http             // HOST:PORT of pages and HTTP API, if they are served
}

/** What an administrator wants of trackers. RESUME takes back the others and forgives faults. */
enum TrackerOrder { RESUME = 0, DRAIN = 1, STOP = 2, STOP_NOW = 3 }

service AdminService {
  client.Done set_queue_state(1: common.Caller caller, 2: string queue, 3: bool running) throws (1: common.WeirError error)
  /** All of them or, if one is not known, none. Durable once answered. `reason` is shown with the order. */
  client.Done order_trackers(1: common.Caller caller, 2: list<string> trackers, 3: TrackerOrder order, 4: string reason)
      throws (1: common.WeirError error)
  /** They are dead: what they ran starts elsewhere at once. All of them or, if one was heard of just now, none. */
  client.Done lose_trackers(1: common.Caller caller, 2: list<string> trackers, 3: string reason)
      throws (1: common.WeirError error)
  /** Lost ones leave the lists, and what was ordered of them is dropped. Durable once answered. */
  client.Done forget_trackers(1: common.Caller caller, 2: list<string> trackers) throws (1: common.WeirError error)
  PolicyInfo policy() throws (1: common.WeirError error)
  client.Done set_policy(1: common.Caller caller, 2: string policy) throws (1: common.WeirError error)
  /** Checked whole against the live state, then applied in one step, or refused with every error. */
  client.Done apply_settings(1: common.Caller caller, 2: SettingsFile file) throws (1: common.WeirError error)
  SettingsDiff diff_settings(1: SettingsFile file) throws (1: common.WeirError error)
  /** Those in force, whole. */
  string settings_text() throws (1: common.WeirError error)
  /** Those of a record, by its number. */
  string settings_of(1: i64 number) throws (1: common.WeirError error)
  /** The newest first. */
  list<SettingsRecord> settings_history() throws (1: common.WeirError error)
  FollowedFile followed_file() throws (1: common.WeirError error)
  list<Setting> settings_in_force() throws (1: common.WeirError error)
  ServerInfo info() throws (1: common.WeirError error)
}
