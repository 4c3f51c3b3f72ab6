/** What the JobTracker keeps of a job in its own store. Written compactly; fields may be added, never renumbered. */
namespace cpp weir.wire
namespace py weir_wire.store

include "common.thrift"

/** What there was more of than the spec has: no splits, the first input files, contents of files where they are small. */
struct Asked {
  1: required i32 input_files
  2: required i32 maps
  3: optional list<i64> left_out        // bytes of each of the files; absent: all are whole
}

struct StoredJob {
  1: required common.JobSpec spec
  2: required common.Caller caller      // who submitted it
  3: optional string submission         // SubmitRequest.submission
  4: optional string address            // where it came from
  5: optional Asked asked               // it is what is kept of a job for people
}
