// What of a mapper's line is its key, and by what of that it goes to a reduce, as Hadoop's
// streaming says it:
//   stream.map.output.field.separator=,          (a TAB) ends a field
//   stream.num.map.output.key.fields=2           (1) fields are the key, the rest the value
//   mapreduce.partition.keypartitioner.options=-k1,1   fields of the key that decide the reduce,
//   mapreduce.map.output.key.field.separator=.   (a TAB) which this ends
// A line with fewer fields is all key. Between tasks, and to combiners and reducers, a line is `key
// TAB value`, so a key of several fields that are not ended by TABs must not have one. The names of
// Hadoop 1 are understood, `num.key.fields.for.partition=2` for `-k1,2` among them. Pure, any
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "jobqueue/model/result.h"

namespace weir {

struct MapOutputKeys {
  char separator = '\t';
  std::uint32_t fields = 1;
  char part_separator = '\t';
  std::uint32_t first_part = 0, last_part = 0;  // from 1; 0: the whole key, to its end

  // Of a job with this conf.
  static Result<MapOutputKeys> of(const std::map<std::string, std::string>& conf);
  // How lines are told apart once they are `key TAB value`.
  std::uint32_t stored_fields() const { return separator == '\t' ? fields : 1; }
  MapOutputKeys stored() const;
  // What of the key decides the reduce.
  std::string_view part(std::string_view key) const;
};

// Up to the end of its n-th field; all of it, if there are fewer.
std::size_t length_of_fields(std::string_view text, char separator, std::uint32_t fields);

}  // namespace weir
