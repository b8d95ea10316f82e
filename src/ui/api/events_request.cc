#include "ui/api/events_request.h"

#include <fmt/format.h>

#include "ui/api/time_text.h"

namespace warpsight {
namespace {

struct Request {
  Time now;
  EventQuery query = {};
};

Result<> take_name(Request& request, std::string_view value) {
  if (value.empty()) return fail("name is empty", "name an event, like gpu.xid or gpu.*");
  const size_t star = value.find('*');
  if (star != std::string_view::npos && star + 1 != value.size()) {
    return fail(fmt::format("{} has a * before its end", quoted(value)),
                "a name may end in *, like gpu.*");
  }
  if (request.query.names.size() == kMaxEventNames) {
    return fail(fmt::format("more than {} names", kMaxEventNames), "let some end in *, like gpu.*");
  }
  request.query.names.emplace_back(value);
  return {};
}

Result<> take_severity(Request& request, std::string_view value) {
  for (const Severity severity : {Severity::info, Severity::warning, Severity::error}) {
    if (value != to_string(severity)) continue;
    request.query.least = severity;
    return {};
  }
  return fail(fmt::format("there is no severity {}", quoted(value)),
              "there are info, warning and error");
}

constexpr ParameterRule<Request> kRules[] = {
    {"from", false,
     [](Request& r, std::string_view value) {
       return parse_time(value, r.now).map([&](Time t) { r.query.from = t; });
     }},
    {"to", false,
     [](Request& r, std::string_view value) {
       return parse_time(value, r.now).map([&](Time t) { r.query.to = t; });
     }},
    {"name", true, take_name},
    {"severity", false, take_severity},
    {"match", true,
     [](Request& r, std::string_view value) { return take_matcher(r.query.matchers, value); }},
    {"limit", false,
     [](Request& r, std::string_view value) {
       return parse_limit(value, kMaxEvents).map([&](size_t n) { r.query.limit = n; });
     }},
};

}  // namespace

Result<EventQuery> parse_events_request(const Parameters& parameters, Time now) {
  Request request{now};
  request.query.to = now;
  if (auto taken = take_parameters(parameters, kRules, request); !taken) {
    return tl::unexpected(std::move(taken).error());
  }
  if (request.query.from >= request.query.to) {
    return fail("from is not before to", "give a from that is earlier");
  }
  return std::move(request.query);
}

}  // namespace warpsight
