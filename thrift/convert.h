// Everything between the wire and the model, for those who need all of it.
#pragma once

#include "thrift/spec_check.h"
#include "thrift/spec_codec.h"
#include "thrift/wire_error.h"
#include "thrift/wire_job.h"
#include "thrift/wire_tracker.h"
