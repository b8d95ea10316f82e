#include "app/query_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "net/foreign_text.h"

namespace warpsight {
namespace {

using Row = std::vector<std::string>;

constexpr size_t kLongestCell = 2000;

std::string time_text(Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(static_cast<std::time_t>(seconds.time_since_epoch().count())));
}

std::string number_text(double value, TextForm form) {
  if (std::isnan(value)) return form == TextForm::table ? "-" : "";
  return form == TextForm::table ? fmt::format("{:.6g}", value) : fmt::format("{}", value);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// In characters, so that names in other scripts do not push columns apart.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// Names and messages come from elsewhere: none may speak to the terminal.
std::string lay_out(std::vector<Row> rows, TextForm form) {
  std::string out;
  for (Row& row : rows) {
    for (std::string& cell : row) cell = printable_beginning(cell, kLongestCell);
  }
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (form == TextForm::csv) {
        out.append(i == 0 ? "" : ",").append(csv_field(row[i]));
        continue;
      }
      out.append(row[i]);
      if (i + 1 < row.size()) out.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    out += form == TextForm::csv ? "\r\n" : "\n";
  }
  return out;
}

std::string attribute_text(const std::vector<Attribute>& attributes) {
  std::string text;
  for (const Attribute& a : attributes) {
    text.append(text.empty() ? "" : " ").append(a.key).append("=").append(a.value);
  }
  return text;
}

bool has(const SeriesAnswer::Row& row, const Attribute& attribute) {
  return std::ranges::find(row.attributes, attribute) != row.attributes.end();
}

std::vector<Attribute> shared_attributes(const std::vector<SeriesAnswer::Row>& rows) {
  std::vector<Attribute> shared;
  for (const Attribute& a : rows.front().attributes) {
    if (std::ranges::all_of(rows, [&](const auto& row) { return has(row, a); }))
      shared.push_back(a);
  }
  return shared;
}

bool of_one_metric(const std::vector<SeriesAnswer::Row>& rows) {
  return std::ranges::all_of(rows,
                             [&](const auto& row) { return row.metric == rows.front().metric; });
}

// What tells the series from the others; the metric where there are several.
std::string heading(const SeriesAnswer::Row& row, const std::vector<Attribute>& shared,
                    bool one_metric) {
  std::vector<Attribute> own;
  for (const Attribute& a : row.attributes) {
    if (std::ranges::find(shared, a) == shared.end()) own.push_back(a);
  }
  const std::string attributes = attribute_text(own);
  if (one_metric) return attributes.empty() ? row.metric : attributes;
  return attributes.empty() ? row.metric : row.metric + " " + attributes;
}

}  // namespace

std::string series_text(const SeriesAnswer& answer, TextForm form) {
  if (answer.rows.empty()) return form == TextForm::table ? "no series matches\n" : "time\r\n";
  const bool one_metric = of_one_metric(answer.rows);
  // A lone series has all it says in its heading, and so has every column of a spreadsheet.
  const std::vector<Attribute> shared =
      form == TextForm::table ? shared_attributes(answer.rows) : std::vector<Attribute>{};

  std::string out;
  if (form == TextForm::table) {
    if (one_metric) {
      out += fmt::format("{} [{}]  ", answer.rows.front().metric, answer.rows.front().unit);
    }
    out += printable_beginning(attribute_text(shared), kLongestCell) + "\n";
  }
  std::vector<Row> rows;
  Row& head = rows.emplace_back(Row{"time"});
  for (const auto& row : answer.rows) head.push_back(heading(row, shared, one_metric));
  for (size_t step = 0; step < answer.steps; ++step) {
    const bool empty = std::ranges::all_of(
        answer.rows, [&](const auto& row) { return std::isnan(row.values[step]); });
    if (empty) continue;
    Row& line =
        rows.emplace_back(Row{time_text(answer.first + static_cast<int64_t>(step) * answer.step)});
    for (const auto& row : answer.rows) line.push_back(number_text(row.values[step], form));
  }
  out += lay_out(rows, form);
  if (form == TextForm::table && answer.left_out > 0) {
    out += fmt::format(
        "{} more series; narrow it with --match, take a larger --step, or raise --limit\n",
        answer.left_out);
  }
  return out;
}

std::string events_text(const EventAnswer& answer, TextForm form) {
  if (answer.events.empty() && form == TextForm::table) return "no event matches\n";
  std::vector<Row> rows = {{"time", "severity", "event", "message"}};
  if (form == TextForm::csv) rows.front().emplace_back("attributes");
  for (const KeptEvent& event : answer.events) {
    Row& row = rows.emplace_back(Row{time_text(event.time), std::string(to_string(event.severity)),
                                     event.name, event.message});
    if (form == TextForm::csv) row.push_back(attribute_text(event.attributes));
  }
  std::string out = lay_out(rows, form);
  if (form == TextForm::table && answer.more) out += "there are older ones; raise --limit\n";
  return out;
}

std::string known_text(const std::vector<KnownSeries>& known, TextForm form) {
  if (known.empty() && form == TextForm::table) return "no series matches\n";
  std::vector<Row> rows = {{"metric", "unit", "first", "last", "attributes"}};
  for (const KnownSeries& series : known) {
    rows.push_back({series.metric, series.unit, time_text(series.first), time_text(series.last),
                    attribute_text(series.attributes)});
  }
  return lay_out(rows, form);
}

}  // namespace warpsight
