// A JSON body that a client sends: as a submission, and field by field as the changes of the API
// read it. What cannot be right is one refusal with words; nothing grows beyond what its bytes are
// worth. The first byte chooses.
#include "fuzz/target.h"
#include "jobqueue/model/check.h"
#include "tracker/submission/json_spec.h"
#include "web/api/call.h"
#include "web/api/fields.h"

using namespace weir::web;

namespace {

void read_fields(const weir::Json& body) {
  Fields fields(body, "");
  fields.text("text");
  fields.integer("integer");
  fields.integer32("integer32");
  fields.boolean("boolean");
  fields.texts("texts");
  fields.text_map("text_map");
  fields.objects("objects", [](Fields& inner) {
    inner.needed("name");
    inner.objects("objects", [](Fields& innermost) { innermost.integer("number"); });
  });
  fields.end();
}

}  // namespace

void weir::fuzz::run(std::string_view input) {
  const std::size_t choice = take_choice(input, 2);
  HttpRequest request;
  request.headers = {{"content-type", "application/json"}};
  request.body = std::string(input);
  try {
    const Json body = json_body(request);
    WEIR_CHECK(body.is_object(), "a body that is no object");
    if (choice == 0) {
      const auto submission = read_submission(body);
      WEIR_CHECK(submission.ok() || !submission.error().message.empty(), "a refusal without words");
    } else {
      read_fields(body);
    }
  } catch (const Refusal& refusal) {
    WEIR_CHECK(!refusal.error.message.empty(), "a refusal without words");
    WEIR_CHECK(error_answer(refusal).status >= 400, "a refusal that is none");
  }
}
