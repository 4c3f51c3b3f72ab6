// Which task of a leaf comes first on a tracker: on a given one, or on any that is alike for all
// sizes.
#include <algorithm>

#include "capacity/container_claims.h"
#include "capacity/container_heads.h"
#include "jobqueue/policy/gang_search.h"

namespace weir {
namespace {

// Whether one tracker may take its tasks and another, that has the room too, may not.
bool is_particular(const Job& job, TaskKind kind) {
  return job.picky(kind) || job.has_failures || job.tasks(kind).fresh.empty();
}

// It takes nothing that a larger task waits for.
bool spares(QueueId leaf, JobId job, const Resources& need, const ContainerHeads::Reach& reach) {
  return reach.kept == nullptr ||
         reach.kept->in_the_way(leaf.index(), need, job, reach.aside) == nullptr;
}

}  // namespace

bool ContainerHeads::has_soft_limits(QueueId leaf) const {
  return state_.tree().node(leaf).settings.user_limit.mode != UserLimit::Mode::kHard;
}

std::optional<TimeMs> ContainerHeads::deadline_of(QueueId leaf) const {
  std::optional<TimeMs> deadline;
  for (const Dimension d : state_.space().dimensions()) {
    const auto& claims = state_.claims().claims(leaf, d);
    if (!claims.empty()) deadline = std::min(deadline.value_or(kNever), claims.front().deadline);
  }
  return deadline;
}

// --- On any tracker where the masks hold ---

ContainerHeads::Views::Answer ContainerHeads::answer_of_leaf(QueueId leaf,
                                                             const SizeMasks& masks) const {
  Views::Answer answer;
  if (answers_for_claim(leaf, masks, answer)) return answer;
  const ContainerItems& items = standing_.items(leaf);
  const bool anything_reserved = !state_.reserved(leaf).all_zero();
  const ContainerWaiters::InLeaf waiting(waiters_, leaf);
  const ContainerUsers::InLeaf users(users_, leaf);
  bool someone_at_limit = false;
  const auto is_of_interest = [&](const Bucket& bucket) {
    if (!bucket.size->gang && waiting.is_in_the_way(*bucket.items.begin(), bucket.size->need))
      return false;
    const std::uint64_t mask = mask_of(*bucket.size);
    if ((mask & masks.starts) != 0) return true;
    std::uint64_t others = masks.reserves | (bucket.picky ? masks.picky : 0);
    if (bounded_[leaf.index()]) others |= masks.elsewhere;
    return (mask & others) != 0 && standing_.is_short_here(leaf, bucket.size->need);
  };
  const auto pick = [&](const ItemOrder& item, const Bucket& bucket) {
    const Job& job = state_.job(item.job.id);
    const std::uint64_t mask = mask_of(*bucket.size);
    if (anything_reserved) {
      const Amounts reserved = users_.reserved_by_others(leaf, job.user, job.id);
      if (!reserved.all_zero() && users.over_limit(job.user, bucket.size->need, &reserved))
        return false;
    }
    if (!bucket.size->gang && waiting.is_in_the_way(item, bucket.size->need)) return false;
    const bool starts = (mask & masks.starts) != 0;
    const bool bounded = bounded_[leaf.index()] && (mask & masks.elsewhere) != 0;
    if (mask == kFurtherSizes || (!starts && bounded) || is_particular(job, item.kind)) {
      answer.depends = true;
      return true;
    }
    // A job has one reservation; whether it would move it is asked on the tracker.
    if (!starts && anything_reserved && reservation_of(state_, job.id) != nullptr) return false;
    answer.head =
        Head{.job = job.id, .kind = item.kind, .size = bucket.size, .reserves = !starts};
    return true;
  };
  items.visit(
      [&](const Bucket& bucket) {
        if (!is_of_interest(bucket)) return false;
        const bool over = users.over_limit(bucket.user, bucket.size->need);
        someone_at_limit = someone_at_limit || over;
        return !over;
      },
      pick);
  if (answer.head || answer.depends || !someone_at_limit || !has_soft_limits(leaf)) return answer;
  items.visit(
      [&](const Bucket& bucket) {
        return (mask_of(*bucket.size) & masks.starts) != 0 &&
               (bucket.size->gang ||
                !waiting.is_in_the_way(*bucket.items.begin(), bucket.size->need)) &&
               users.over_limit(bucket.user, bucket.size->need);
      },
      [&](const ItemOrder& item, const Bucket& bucket) {
        if (!bucket.size->gang && waiting.is_in_the_way(item, bucket.size->need)) return false;
        answer.depends = mask_of(*bucket.size) == kFurtherSizes ||
                         is_particular(state_.job(item.job.id), item.kind);
        if (!answer.depends)
          answer.head = Head{
              .job = item.job.id, .kind = item.kind, .size = bucket.size, .over_limit = true};
        return true;
      });
  return answer;
}

bool ContainerHeads::answers_for_claim(QueueId leaf, const SizeMasks& masks,
                                       Views::Answer& answer) const {
  if (!claimed_[leaf.index()] || (owed_[leaf.index()] & masks.starts) == 0) return false;
  const auto deadline = deadline_of(leaf);
  if (!deadline) return false;
  const ContainerUsers::InLeaf users(users_, leaf);
  each_owed(state_, standing_.items(leaf), leaf, standing_.guaranteed(leaf),
            [&](const OwedItem& item) {
              const std::uint64_t mask = mask_of(*item.size);
              if ((mask & masks.starts) == 0) return false;
              const Job& job = state_.job(item.job);
              if (users.over_limit(job.user, item.size->need)) return false;
              answer.depends = mask == kFurtherSizes || is_particular(job, item.kind);
              if (!answer.depends) {
                answer.head = Head{.job = item.job,
                                   .kind = item.kind,
                                   .size = item.size,
                                   .step = kClaim,
                                   .key = {*deadline, 1}};
              }
              return true;
            });
  return answer.depends || answer.head.has_value();
}

// --- On the tracker on offer ---

bool ContainerHeads::starts(const Bucket& bucket, const Reach& reach) const {
  if (bucket.size->gang) return false;
  if (!state_.fits_in(bucket.size->need, reach.tracker, reach.used)) return false;
  return !reach.ends_by ||
         (bucket.time_limit_ms > 0 && state_.now() + bucket.time_limit_ms <= *reach.ends_by);
}

bool ContainerHeads::may_reserve(QueueId leaf, const Bucket& bucket, const Reach& reach) const {
  return reach.reserve != nullptr && reach.reserve->may(bucket) &&
         standing_.short_on_the_way(leaf, bucket.size->need);
}

std::optional<ContainerHeads::Head> ContainerHeads::head_of_leaf(QueueId leaf,
                                                                 const Reach& reach) const {
  const ContainerItems& items = standing_.items(leaf);
  std::optional<Head> head = head_of_claim(leaf, reach);
  if (head) return head;
  const ContainerWaiters::InLeaf waiting(waiters_, leaf);
  const ContainerUsers::InLeaf users(users_, leaf);
  bool someone_at_limit = false;
  const Resources* before = nullptr;  // of the first that starts elsewhere
  const auto pick = [&](const ItemOrder& item, const Bucket& bucket) {
    const Job& job = state_.job(item.job.id);
    const Amounts reserved = users_.reserved_by_others(leaf, job.user, job.id);
    if (!reserved.all_zero() && users.over_limit(job.user, bucket.size->need, &reserved))
      return false;
    if (!bucket.size->gang && waiting.is_in_the_way(item, bucket.size->need)) return false;
    Head found{.job = job.id, .kind = item.kind, .size = bucket.size};
    if (bucket.size->gang) {
      head = head_of_gang(leaf, job, reach);
    } else if (!leaves(reach.kept, leaf.index(), bucket.size->need)) {
      found.reserves = found.lacks_amount = true;
      if (reach.kept->choice_to_wait(job, item.kind)) head = found;
    } else if (!spares(leaf, job.id, bucket.size->need, reach)) {
      return false;
    } else if (starts(bucket, reach)) {
      if (before != nullptr && !leaves_room_for(*before, leaf, job.id, bucket.size->need))
        return false;
      if (state_.pick_task(job.id, item.kind, reach.tracker.id)) head = found;
    } else if (const auto where = elsewhere(leaf, job, item.kind)) {
      found.waits = true;
      if (*where == Elsewhere::kWaits) head = found;
      if (before == nullptr) before = &bucket.size->need;
    } else if (may_reserve(leaf, bucket, reach)) {
      found.reserves = true;
      if (reach.reserve->task(job, item.kind)) head = found;
    }
    return head.has_value();
  };
  items.visit(
      [&](const Bucket& bucket) {
        const Resources& need = bucket.size->need;
        const bool over = users.over_limit(bucket.user, need);
        someone_at_limit = someone_at_limit || over;
        if (over) return false;
        if (bucket.size->gang) return true;
        if (waiting.is_in_the_way(*bucket.items.begin(), need)) return false;
        if (!leaves(reach.kept, leaf.index(), need)) {
          const ItemOrder& item = *bucket.items.begin();
          return reach.reserve != nullptr &&
                 reach.kept->choice_to_wait(state_.job(item.job.id), item.kind).has_value();
        }
        return starts(bucket, reach) || may_reserve(leaf, bucket, reach) ||
               (bounded_[leaf.index()] && state_.trackers_with_room(need) > 0);
      },
      pick);
  if (head || !someone_at_limit || !has_soft_limits(leaf)) return head;
  // Soft limits give way before room leaves the queue or stays empty.
  items.visit(
      [&](const Bucket& bucket) {
        const Resources& need = bucket.size->need;
        if (!users.over_limit(bucket.user, need)) return false;
        return bucket.size->gang || (starts(bucket, reach) &&
                                     !waiting.is_in_the_way(*bucket.items.begin(), need) &&
                                     leaves(reach.kept, leaf.index(), need));
      },
      [&](const ItemOrder& item, const Bucket& bucket) {
        if (bucket.size->gang) {
          head = head_of_gang(leaf, state_.job(item.job.id), reach);
          if (head && head->reserves) head.reset();
          return head.has_value();
        }
        if (waiting.is_in_the_way(item, bucket.size->need)) return false;
        if (!spares(leaf, item.job.id, bucket.size->need, reach)) return false;
        if (state_.pick_task(item.job.id, item.kind, reach.tracker.id))
          head = Head{.job = item.job.id, .kind = item.kind, .size = bucket.size};
        return head.has_value();
      });
  return head;
}

// Room that it holds already is not asked for again; it collects some only below its maximums.
std::optional<ContainerHeads::Head> ContainerHeads::head_of_gang(QueueId leaf, const Job& job,
                                                                 const Reach& reach) const {
  if (reach.ends_by) return std::nullopt;
  const auto choice = choice_of_gang(job, reach);
  if (!choice) return std::nullopt;
  const Resources& sum = job.need(job.gang_kind());
  if (choice->what == Choice::What::kAssemble) {
    for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
      if (!standing_.within_maximum(q, job.id, sum)) return std::nullopt;
    }
  }
  return Head{.job = job.id,
              .kind = job.gang_kind(),
              .size = &job.size(job.gang_kind()),
              .reserves = choice->what == Choice::What::kReserve ||
                          choice->what == Choice::What::kWaitForAmount,
              .lacks_amount = choice->what == Choice::What::kWaitForAmount};
}

std::optional<Choice> ContainerHeads::choice_of_gang(const Job& job, const Reach& reach) const {
  const GangSearch gangs(state_, reach.tracker, reach.reserve, reach.kept,
                         [this](const Job& other) { return users_.gang_within(other); });
  return gangs.choice(job, standing_.short_on_the_way(job.queue, job.need(job.gang_kind())));
}

// While claims are open the leaf gives what it is owed first, and for its claims nothing else.
std::optional<ContainerHeads::Head> ContainerHeads::head_of_claim(QueueId leaf,
                                                                  const Reach& reach) const {
  const auto deadline = deadline_of(leaf);
  if (!deadline || reach.ends_by) return std::nullopt;
  const ContainerUsers::InLeaf users(users_, leaf);
  std::optional<Head> head;
  each_owed(state_, standing_.items(leaf), leaf, standing_.guaranteed(leaf),
            [&](const OwedItem& item) {
              const Resources& need = item.size->need;
              const UserId user = state_.job(item.job).user;
              if (users.over_limit(user, need)) return false;
              if (item.size->gang) {
                head = head_of_gang(leaf, state_.job(item.job), reach);
                if (head && head->reserves) head.reset();
              } else if (state_.fits_in(need, reach.tracker, reach.used) &&
                         leaves(reach.kept, leaf.index(), need) &&
                         (*deadline <= state_.now() || spares(leaf, item.job, need, reach)) &&
                         state_.pick_task(item.job, item.kind, reach.tracker.id)) {
                head = Head{.job = item.job, .kind = item.kind, .size = item.size};
              }
              if (!head) return false;
              head->step = kClaim;
              head->key = {*deadline, 1};
              return true;
            });
  return head;
}

// --- Below a maximum ---

std::optional<ContainerHeads::Elsewhere> ContainerHeads::elsewhere(QueueId leaf, const Job& job,
                                                                   TaskKind kind) const {
  const Resources& need = job.need(kind);
  bool bounded = false, waits = false;
  for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (!standing_.bounds().has_maximum(q)) continue;
    if (!standing_.short_of_maximum(q, need)) return std::nullopt;
    bounded = true;
    waits = waits || !standing_.within_maximum(q, job.id, need);
  }
  if (!bounded || !standing_.short_on_the_way(leaf, need) || !finds_room(state_, job, kind))
    return std::nullopt;
  return waits ? Elsewhere::kWaits : Elsewhere::kStarts;
}

bool ContainerHeads::leaves_room_for(const Resources& other, QueueId leaf, JobId job,
                                     const Resources& need) const {
  const QueueBounds& bounds = standing_.bounds();
  for (QueueId q = leaf; q != QueueTree::root(); q = state_.tree().parent(q)) {
    if (!bounds.has_maximum(q)) continue;
    Amounts taken = taken_by_others(state_, q, job);
    for (const Dimension d : state_.space().dimensions()) taken[d] += other[d];
    if (!within(state_.space(), taken, need, bounds.maximum(q))) return false;
  }
  return true;
}

}  // namespace weir
