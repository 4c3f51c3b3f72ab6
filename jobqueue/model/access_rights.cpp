#include "jobqueue/model/access_rights.h"

#include <algorithm>

namespace weir {
namespace {

std::string list_text(const AccessList& list) {
  if (!list) return "*";
  std::string out;
  for (const std::string& entry : *list) out += (out.empty() ? "" : ", ") + entry;
  return out.empty() ? "nobody" : out;
}

bool allowed(const AccessList& list, const Caller& caller) {
  if (!list) return true;
  return std::any_of(list->begin(), list->end(), [&](const std::string& entry) {
    if (entry == "*") return true;
    if (!entry.starts_with('@')) return entry == caller.user;
    return std::find(caller.groups.begin(), caller.groups.end(), entry.substr(1)) !=
           caller.groups.end();
  });
}

// The entries of the queue's list and of those above it, which open the whole family; absent if
// none says anything.
AccessList family_list(const ClusterState& state, QueueId queue, AccessList QueueSettings::*which) {
  AccessList all;
  for (QueueId q = queue; q != QueueTree::root(); q = state.tree().parent(q)) {
    const AccessList& list = state.tree().node(q).settings.*which;
    if (!list) continue;
    if (!all) all.emplace();
    all->insert(all->end(), list->begin(), list->end());
  }
  return all;
}

void add_to(AccessList& list, const std::vector<std::string>& more) {
  for (const std::string& entry : more) {
    if (std::find(list->begin(), list->end(), entry) == list->end()) list->push_back(entry);
  }
}

}  // namespace

AccessList who_may_administer(const ClusterState& state, QueueId queue) {
  AccessList list = family_list(state, queue, &QueueSettings::administer);
  const auto& administrators = state.settings().administrators;
  if (!list && administrators.empty()) return list;
  if (!list) list.emplace();
  add_to(list, administrators);
  return list;
}

AccessList who_may_submit(const ClusterState& state, QueueId queue) {
  AccessList list = family_list(state, queue, &QueueSettings::submit);
  if (!list) return list;
  if (const AccessList more = who_may_administer(state, queue)) add_to(list, *more);
  return list;
}

Status check_submit_right(const ClusterState& state, const Caller& caller, QueueId queue) {
  const AccessList list = who_may_submit(state, queue);
  if (allowed(list, caller)) return Ok{};
  return Error{ErrorCode::kNotPermitted,
               "user " + caller.user + " may not submit to queue " + state.tree().node(queue).path,
               "allowed: " + list_text(list)};
}

// With no list anywhere the cluster is open: whoever can reach it may administer it.
Status check_administrator(const ClusterState& state, const Caller& caller, QueueId queue) {
  const AccessList list = who_may_administer(state, queue);
  if (allowed(list, caller)) return Ok{};
  return Error{ErrorCode::kNotPermitted,
               "user " + caller.user + " may not administer queue " +
                   state.tree().node(queue).path,
               "allowed: " + list_text(list)};
}

Status check_owner(const ClusterState& state, const Caller& caller, const Job& job) {
  if (job.spec->user == caller.user || check_administrator(state, caller, job.queue)) return Ok{};
  return Error{
      ErrorCode::kNotPermitted,
      "user " + caller.user + " may not change " + job_name(job.id) + " of user " + job.spec->user,
      "allowed: " + job.spec->user + " and, as administrators of its queue, " +
          list_text(who_may_administer(state, job.queue))};
}

Status check_cluster_administrator(const ClusterState& state, const Caller& caller) {
  const auto& administrators = state.settings().administrators;
  if (administrators.empty() || allowed(AccessList(administrators), caller)) return Ok{};
  return Error{ErrorCode::kNotPermitted,
               "user " + caller.user + " is no administrator of this cluster",
               "allowed: " + list_text(administrators)};
}

}  // namespace weir
