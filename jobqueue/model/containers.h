// How large a container is for what a task asks (containers.md, section 1): at least the minimum,
// rounded up to a multiple of the increment; named resources as asked. Pure functions, any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jobqueue/model/job_spec.h"
#include "jobqueue/model/resources.h"
#include "jobqueue/model/result.h"
#include "jobqueue/model/settings.h"
#include "jobqueue/model/space.h"

namespace weir {

// Of memory and vcores; what else is asked stays.
Resources rounded_container(const Resources& asked, const ResourceSettings& settings);

// What one task of each kind of the job takes, in the order of its kinds. A map or reduce that says
// nothing of memory or vcores asks what the settings say, for each of its slots.
std::vector<Resources> containers_of(const JobSpec& spec, const ResourceSettings& settings,
                                     const Space& space);

// The same containers where other resources may be named, or the same in another order.
void name_again(std::vector<Resources>& containers, const JobSpec& spec, const Space& space);

// A resource that the job asks for and the settings do not name.
std::optional<std::string> unnamed_resource(const JobSpec& spec, const Space& space);

// Whether the settings let the job have them: none larger than the maximum, no resource that they
// do not name.
Status check_containers(const JobSpec& spec, const ResourceSettings& settings, const Space& space);

// "a map of this job", "a task of group ps".
std::string what_asks(const JobSpec& spec, TaskKind kind);

}  // namespace weir
