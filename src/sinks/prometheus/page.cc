#include "sinks/prometheus/page.h"

#include <algorithm>
#include <cmath>

#include "sinks/prometheus/labels.h"
#include "wire/number.h"
#include "wire/prometheus_name.h"

namespace warpsight {
namespace {

constexpr OptionDef kOptions[] = {
    {"enabled", OptionType::boolean, "true", "Serve `/metrics`."},
    {"aliases", OptionType::boolean, "false",
     "Also give the alias names of the catalogue. DCGM's names have their own option, `compat`."},
    {"compat", OptionType::choice, "none",
     "`dcgm` adds DCGM exporter's metric names, labels and units, for dashboards that know those.",
     "none|dcgm"},
    {"timestamps", OptionType::boolean, "false",
     "State each sample's own time. Prometheus then keeps a series that ends for five minutes "
     "more, so leave it off unless samples are much older than the scrape."},
    {"created", OptionType::boolean, "false",
     "In OpenMetrics, state with each counter and histogram when it began (`_created`)."},
};

constexpr std::string_view kTargetHelp = "what this agent stands on: one series, value 1";

std::string head(std::span<const Attribute> resource, PageFormat format) {
  std::string out;
  const bool simulated = std::ranges::any_of(
      resource, [](const Attribute& a) { return a.key == "simulated" && a.value == "true"; });
  // OpenMetrics knows no comments; there warpsight_simulated and the labels have to do.
  if (simulated && format == PageFormat::classic) {
    out += "# SIMULATED: the values below come from a scenario, not from hardware.\n";
  }
  if (resource.empty()) return out;
  const bool open = format == PageFormat::open_metrics;
  append_header(out, {open ? "target" : "target_info", open ? "info" : "gauge", {}, kTargetHelp},
                format);
  out += "target_info{";
  for (const Attribute& a : resource) {
    if (!a.value.empty()) append_label(out, prometheus_label(a.key), a.value);
  }
  out += "} 1\n";
  return out;
}

}  // namespace

std::span<const OptionDef> prometheus_page_options() { return kOptions; }

PrometheusPage::PrometheusPage(const EntityTable& entities, std::span<const Attribute> resource,
                               const Options& options)
    : entities_(entities),
      heads_{head(resource, PageFormat::classic), head(resource, PageFormat::open_metrics)},
      aliases_(options.flag("aliases")),
      timestamps_(options.flag("timestamps")),
      created_(options.flag("created")),
      families_(catalogue().size()) {
  if (options.text("compat") == "dcgm") dcgm_.emplace(entities, resource);
}

const PageFamily& PrometheusPage::family_of(Metric metric) {
  const auto index = static_cast<size_t>(metric);
  if (index >= families_.size()) families_.resize(metric_count());
  std::unique_ptr<PageFamily>& family = families_[index];
  if (!family) family = std::make_unique<PageFamily>(make_family(row(metric), aliases_));
  return *family;
}

PrometheusPage::Line& PrometheusPage::line_of(const Sample& sample, const Series& series,
                                              const PageFamily& family) {
  Line& line = lines_[sample.series];
  if (line.birth == sample.birth) return line;
  line.birth = sample.birth;
  line.name_size = static_cast<uint32_t>(family.sample_name.size());
  line.prefix = family.sample_name;
  append_labels(line.prefix, entities_, series.entity, row(series.metric));
  line.prefix += ' ';
  line.prefix.shrink_to_fit();
  line.buckets.reset();
  return line;
}

void PrometheusPage::append_value(std::string& out, double value, Time time,
                                  PageFormat format) const {
  char text[2 * kNumberChars + 2];
  char* end = write_number(text, value);
  if (timestamps_) {
    *end++ = ' ';
    const auto ms = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
    const auto count = static_cast<double>(ms.count());
    end = write_number(end, format == PageFormat::classic ? count : count / 1e3);
  }
  *end++ = '\n';
  out.append(text, end);
}

void PrometheusPage::append_family(const Snapshot& snapshot, size_t first, size_t last,
                                   Metric metric, PageFormat format, std::string& out) {
  const PageFamily& family = family_of(metric);
  out += family.header(format);
  for (size_t i = first; i < last; ++i) {
    const Sample& sample = snapshot.samples[i];
    const Series* series = snapshot.series_of(sample);
    if (series == nullptr || !std::isfinite(sample.value)) continue;
    Line& line = line_of(sample, *series, family);
    if (const Histogram* histogram = snapshot.histogram_of(*series)) {
      append_histogram(*histogram, sample, family, line, format, out);
    } else {
      out += line.prefix;
      append_value(out, sample.value, sample.time, format);
    }
    if (created_ && format == PageFormat::open_metrics) {
      append_created(*series, sample, family, line, out);
    }
  }
  for (const PageFamily& alias : family.aliases) {
    append_alias(snapshot, first, last, alias, format, out);
  }
}

void PrometheusPage::append_histogram(const Histogram& histogram, const Sample& sample,
                                      const PageFamily& family, Line& line, PageFormat format,
                                      std::string& out) const {
  if (!line.buckets || !line.buckets->fits(histogram.bounds)) {
    const std::string_view labels = line.labels();
    line.buckets = std::make_unique<BucketLines>(
        family.sample_name, labels.substr(0, labels.size() - 1), histogram.bounds);
  }
  const auto part = [&](std::string_view suffix, double value) {
    out.append(family.sample_name).append(suffix).append(line.labels());
    append_value(out, value, sample.time, format);
  };
  uint64_t below = 0;
  for (size_t i = 0; i < histogram.counts.size(); ++i) {
    below += histogram.counts[i];
    out += (*line.buckets)[i];
    append_value(out, static_cast<double>(below), sample.time, format);
  }
  part("_sum", histogram.sum);
  part("_count", static_cast<double>(below));
}

// A series that began anew since the publish has the start of values not told yet.
void PrometheusPage::append_created(const Series& series, const Sample& sample,
                                    const PageFamily& family, const Line& line,
                                    std::string& out) const {
  if (family.created_name.empty() || series.start > sample.time) return;
  out.append(family.created_name).append(line.labels());
  append_value(out, to_unix_seconds(series.start), sample.time, PageFormat::open_metrics);
}

void PrometheusPage::append_alias(const Snapshot& snapshot, size_t first, size_t last,
                                  const PageFamily& alias, PageFormat format,
                                  std::string& out) const {
  bool headed = false;
  for (size_t i = first; i < last; ++i) {
    const Sample& sample = snapshot.samples[i];
    const Line& line = lines_[sample.series];
    if (line.birth != sample.birth || !std::isfinite(sample.value)) continue;
    if (line.labels().find(alias.only_label) == std::string_view::npos) continue;
    if (!headed) out += alias.header(format);
    headed = true;
    out += alias.sample_name;
    out += line.labels();
    append_value(out, sample.value * alias.scale, sample.time, format);
  }
}

void PrometheusPage::render(const Snapshot& snapshot, PageFormat format, std::string& out) {
  out = heads_[static_cast<size_t>(format)];
  if (lines_.size() < snapshot.series.size()) lines_.resize(snapshot.series.size());

  const std::span<const Sample> samples = snapshot.samples;
  size_t first = 0;
  while (first < samples.size()) {
    const Series* series = snapshot.series_of(samples[first]);
    if (series == nullptr) {  // ended since the publish
      ++first;
      continue;
    }
    const Metric metric = series->metric;
    size_t last = first + 1;
    for (; last < samples.size(); ++last) {
      const Series* next = snapshot.series_of(samples[last]);
      if (next != nullptr && next->metric != metric) break;
    }
    append_family(snapshot, first, last, metric, format, out);
    first = last;
  }
  if (dcgm_) dcgm_->render(snapshot, format, out);
  if (format == PageFormat::open_metrics) out += "# EOF\n";
}

}  // namespace warpsight
