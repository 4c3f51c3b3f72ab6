#include "thrift/wire_error.h"

namespace weir {

wire::WeirError to_wire(const Error& error) {
  wire::WeirError out;
  out.code = static_cast<wire::ErrorCode::type>(error.code);
  out.message = error.message;
  if (!error.hint.empty()) out.__set_hint(error.hint);
  if (!error.diagnostics.empty()) out.__set_diagnostics(error.diagnostics);
  return out;
}

Error from_wire(const wire::WeirError& error) {
  const bool known = wire::_ErrorCode_VALUES_TO_NAMES.count(error.code) != 0;
  return Error{known ? static_cast<ErrorCode>(error.code) : ErrorCode::kInternal, error.message,
               error.hint, error.diagnostics};
}

}  // namespace weir
