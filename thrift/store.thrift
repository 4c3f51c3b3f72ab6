/** What the JobTracker keeps of a job in its own store. Written compactly; fields may be added, never renumbered. */
namespace cpp weir.wire
namespace py weir_wire.store

include "common.thrift"

struct StoredJob {
  1: required common.JobSpec spec
  2: required common.Caller caller      // who submitted it
  3: optional string submission         // SubmitRequest.submission
}
