#include "ui/status_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "sinks/json_lines.h"
#include "ui/device_status.h"
#include "ui/html.h"

namespace warpsight {
namespace {

constexpr size_t kShownEvents = 20;
constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="10">
<style>
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --bad: #c62828; --good: #2e7d32; }
@media (prefers-color-scheme: dark) { :root { --bad: #ff8a80; --good: #9ccc65; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 1.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.05rem; margin: 1.8rem 0 .4rem; }
p.sub { margin: .1rem 0 1rem; opacity: .75; }
.banner { background: #ffb300; color: #000; font-weight: 700; font-size: 1.15rem; text-align: center;
  padding: .7rem; border-radius: .4rem; margin-bottom: 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { font-weight: 600; opacity: .75; white-space: nowrap; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
th.n { text-align: right; }
.bad { color: var(--bad); font-weight: 600; } .good { color: var(--good); }
.dim { opacity: .6; } code { font-size: .92em; } meter { width: 5rem; }
ul { margin: .2rem 0; padding-left: 1.2rem; } nav { display: inline; } nav a { margin-right: 1rem; }
</style>
)";

class Html {
 public:
  explicit Html(std::string& out) : out_(out) {}
  Html& raw(std::string_view text) {
    out_ += text;
    return *this;
  }
  Html& text(std::string_view text) {
    append_html(out_, text);
    return *this;
  }
  Html& cell(std::string_view content) { return raw("<td>").text(content).raw("</td>"); }
  Html& number(std::string_view content) {
    return raw("<td class=\"n\">").text(content).raw("</td>");
  }
  Html& open_table(std::initializer_list<std::string_view> titles) {
    raw("<div class=\"scroll\"><table><tr>");
    // A title that begins with '#' stands above numbers.
    for (std::string_view title : titles) {
      const bool numbers = title.starts_with('#');
      if (numbers) title.remove_prefix(1);
      raw(numbers ? "<th class=\"n\">" : "<th>").text(title).raw("</th>");
    }
    return raw("</tr>\n");
  }
  Html& close_table() { return raw("</table></div>\n"); }

 private:
  std::string& out_;
};

std::string span_text(Duration duration) {
  const auto total = std::chrono::floor<std::chrono::seconds>(duration).count();
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{} min {} s", total / 60, total % 60);
  if (total < 86400) return fmt::format("{} h {} min", total / 3600, total / 60 % 60);
  return fmt::format("{} d {} h", total / 86400, total / 3600 % 24);
}

std::string or_dash(std::optional<double> value, double unit, int decimals, std::string_view name) {
  return value ? fmt::format("{:.{}f}{}", *value / unit, decimals, name) : std::string("–");
}

void add_utilization(Html& html, const DeviceStatus& device) {
  // MIG instances have no utilization of their own; what the SMs did is the next best.
  std::optional<double> share = device.value(Metric::gpu_utilization);
  if (!share) share = device.value(Metric::gpu_sm_active);
  html.raw("<td class=\"n\">");
  if (share) {
    html.raw(fmt::format("<meter min=\"0\" max=\"1\" value=\"{:.3f}\"></meter> ", *share));
  }
  html.text(or_dash(share, 0.01, 0, " %")).raw("</td>");
}

std::string state_of(const DeviceStatus& device) {
  std::string state;
  const auto add = [&](std::string_view word) {
    if (!state.empty()) state += ", ";
    state += word;
  };
  if (device.value(Metric::gpu_driver_responsive) == 0.0) add("driver hangs");
  if (device.value(Metric::gpu_throttle_thermal_active) == 1.0) add("throttled by heat");
  if (device.value(Metric::gpu_throttle_power_active) == 1.0) add("throttled by power");
  const auto xid = device.value(Metric::gpu_xid_last_error_code);
  if (xid && *xid > 0) add(fmt::format("XID {:.0f}", *xid));
  return state;
}

void add_device(Html& html, const DeviceStatus& device) {
  const std::string state = state_of(device);
  html.raw("<tr>");
  html.cell(device.mig ? fmt::format("{} · MIG {}", device.attribute("gpu.index"),
                                     device.attribute("gpu.mig.instance_id"))
                       : std::string(device.attribute("gpu.index")));
  html.raw("<td>").text(device.mig ? device.attribute("gpu.mig.profile")
                                   : device.attribute("gpu.model"));
  html.raw("<br><code class=\"dim\">");
  html.text(device.attribute(device.mig ? "gpu.mig.uuid" : "gpu.uuid")).raw("</code></td>");
  add_utilization(html, device);
  html.number(or_dash(device.value(Metric::gpu_memory_used), kGiB, 1, "") + " / " +
              or_dash(device.value(Metric::gpu_memory_total), kGiB, 1, " GiB"));
  html.number(or_dash(device.value(Metric::gpu_temperature), 1, 0, " °C"));
  html.number(or_dash(device.value(Metric::gpu_power_draw), 1, 0, "") + " / " +
              or_dash(device.value(Metric::gpu_power_limit), 1, 0, " W"));
  html.number(or_dash(device.value(Metric::gpu_clock_frequency), 1e6, 0, " MHz"));
  html.raw(state.empty() ? "<td class=\"good\">ok" : "<td class=\"bad\">").text(state);
  html.raw("</td></tr>\n");
}

void add_devices(Html& html, const std::vector<DeviceStatus>& devices) {
  html.raw("<h2>GPUs</h2>\n");
  if (devices.empty()) {
    html.raw("<p>None is reporting. <code>warpsight doctor</code> says what is missing.</p>\n");
    return;
  }
  html.open_table(
      {"", "model", "#busy", "#memory", "#temperature", "#power", "#SM clock", "state"});
  for (const DeviceStatus& device : devices) add_device(html, device);
  html.close_table();
}

void add_sources(Html& html, const AgentStatus& status) {
  html.raw("<h2>Sources</h2>\n")
      .open_table({"name", "state", "#series", "#last run", "#every", "#errors", ""});
  for (const SourceStatus& source : status.sources) {
    html.raw("<tr><td>").text(source.name);
    if (source.simulated) html.raw(" <b>simulated</b>");
    html.raw("<br><span class=\"dim\">").text(source.summary).raw("</span></td>");
    if (!source.enabled) {
      html.raw("<td class=\"dim\">off</td><td></td><td></td><td></td><td></td><td></td></tr>\n");
      continue;
    }
    html.raw(source.up ? "<td class=\"good\">up</td>" : "<td class=\"bad\">down</td>");
    html.number(std::to_string(source.series));
    html.number(fmt::format("{:.1f} ms", to_seconds(source.duration) * 1e3));
    html.number(fmt::format("{:g} s", to_seconds(source.period)));
    html.number(std::to_string(source.errors));
    html.cell(source.last_error).raw("</tr>\n");
  }
  html.close_table();
}

std::string waiting_text(const SinkStatus& sink) {
  if (sink.waiting_points == 0) return "0";
  constexpr double kMiB = 1024.0 * 1024.0;
  return fmt::format("{} ({:.1f} MiB, {})", sink.waiting_points,
                     static_cast<double>(sink.waiting_bytes) / kMiB, span_text(sink.waiting_for));
}

void add_sinks(Html& html, const AgentStatus& status) {
  if (status.sinks.empty()) return;
  html.raw("<h2>Sinks</h2>\n")
      .open_table({"name", "to", "state", "#points sent", "#waiting", "#dropped", "#failures", ""});
  for (const SinkStatus& sink : status.sinks) {
    html.raw("<tr>").cell(sink.name).cell(sink.target);
    if (sink.up) {
      html.raw("<td class=\"good\">up</td>");
    } else {
      html.raw("<td class=\"bad\">").text(sink.state == "ok" ? "failing" : sink.state).raw("</td>");
    }
    html.number(std::to_string(sink.sent)).number(waiting_text(sink));
    html.number(std::to_string(sink.dropped)).number(std::to_string(sink.failures));
    html.cell(sink.last_error).raw("</tr>\n");
  }
  html.close_table();
}

void add_events(Html& html, const Registry& registry) {
  const std::vector<Event> events = registry.recent_events();
  html.raw("<h2>Events</h2>\n");
  if (events.empty()) {
    html.raw("<p class=\"dim\">None so far.</p>\n");
    return;
  }
  html.open_table({"time (UTC)", "event", "message"});
  const size_t shown = std::min(events.size(), kShownEvents);
  for (size_t i = 0; i < shown; ++i) {
    const Event& event = events[events.size() - 1 - i];
    std::string time;
    TimeText().append(time, event.time);
    constexpr size_t kToSeconds = 19;
    time.resize(kToSeconds);
    time[10] = ' ';
    html.raw("<tr>").cell(time);
    html.raw(event.severity == Severity::info ? "<td>" : "<td class=\"bad\">").text(event.name);
    html.raw("</td>").cell(event.message).raw("</tr>\n");
  }
  html.close_table();
}

// One line a metric and reason: eight GPUs that lack the same thing say so once.
void add_absences(Html& html, const Registry& registry) {
  std::map<std::string, size_t> counts;
  registry.for_each_missing([&](const Missing& missing) {
    ++counts[fmt::format("{}: {} ({})", row(missing.metric).name, to_string(missing.why),
                         missing.detail)];
  });
  if (counts.empty()) return;
  html.raw(
      fmt::format("<h2>Not there</h2>\n<details><summary>{} readings this hardware or driver "
                  "does not give</summary><ul>\n",
                  counts.size()));
  for (const auto& [line, count] : counts) {
    html.raw("<li>").text(line);
    if (count > 1) html.raw(fmt::format(" <span class=\"dim\">× {}</span>", count));
    html.raw("</li>\n");
  }
  html.raw("</ul></details>\n");
}

void add_top(Html& html, const AgentStatus& status) {
  const bool simulated = !status.scenario.empty();
  html.raw(kHead).raw("<title>").raw(simulated ? "SIMULATED · " : "");
  html.text(status.host).raw(" · Warpsight</title></head><body>\n");
  if (simulated) {
    html.raw("<div class=\"banner\" role=\"alert\">SIMULATED: scenario ").text(status.scenario);
    html.raw(". No GPU value below comes from hardware.</div>\n");
  }
  html.raw("<h1>").text(status.host).raw("</h1>\n<p class=\"sub\">Warpsight ");
  html.text(status.version).raw(" · up ").text(span_text(status.uptime));
  html.raw(
      "<nav><a href=\"/metrics\">metrics</a>"
      "<a href=\"/api/v1/status\">status as JSON</a></nav></p>\n");
}

}  // namespace

void append_status_page(std::string& out, const AgentStatus& status, const Registry& registry,
                        const EntityTable& entities, Time now) {
  Html html(out);
  add_top(html, status);
  registry.read([&](const Snapshot& snapshot) {
    if (snapshot.time == Time{}) {
      html.raw("<p>The first values are being read.</p>\n");
    } else {
      html.raw(fmt::format("<p class=\"dim\">{} series, published ", snapshot.samples.size()));
      html.text(span_text(now - snapshot.time)).raw(" ago.</p>\n");
    }
    add_devices(html, device_statuses(snapshot, entities));
  });
  if (!status.found.empty()) {
    html.raw("<h2>What was found</h2>\n<ul>\n");
    for (const std::string& line : status.found) html.raw("<li>").text(line).raw("</li>\n");
    html.raw("</ul>\n");
  }
  add_sources(html, status);
  add_sinks(html, status);
  add_events(html, registry);
  add_absences(html, registry);
  html.raw("</body></html>\n");
}

}  // namespace warpsight
