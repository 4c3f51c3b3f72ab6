// The past as the store keeps it: JSON, whose members are only ever added to. What cannot be read
// (a store is a file, and files rot) is left out, and never stops a start.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tracker/published/decision_segment.h"
#include "tracker/published/past.h"

namespace weir {

std::string encode(const QueuePast& past);
std::optional<QueuePast> decode_queue(std::string_view text);

// Of what the segment has published, whatever its writer is at.
std::string encode(const DecisionSegment& segment);
std::shared_ptr<DecisionSegment> decode_decisions(std::string_view text);  // null: it is no such
// Copies what there is room for, of the records from that place on; returns how far it came.
std::size_t append(const DecisionSegment& from, std::size_t place, DecisionSegment& to);

}  // namespace weir
