#include "ui/api/error_json.h"

#include "wire/json.h"

namespace warpsight {

void append_error_json(std::string& out, const Error& error) {
  JsonWriter(out)
      .begin_object()
      .field("error", error.message)
      .field("hint", error.hint)
      .end_object();
  out += '\n';
}

}  // namespace warpsight
