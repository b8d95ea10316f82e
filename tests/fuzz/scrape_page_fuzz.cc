// Whatever an exporter sends, twice and then no more: what is told is finite, of living things and
// of buckets that rise, and in the end everything has ended.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "sources/engines/pages/page_for_test.h"

namespace {

using namespace warpsight;

void check(bool good) {
  if (!good) std::abort();
}

void check(const Batch& batch, const EntityTable& entities) {
  for (const Point& point : batch.points) {
    check(std::isfinite(point.value) && entities.alive(point.entity));
  }
  for (const HistogramPoint& histogram : batch.histograms) {
    const auto bounds = batch.bounds_of(histogram);
    check(std::isfinite(histogram.sum) && entities.alive(histogram.entity));
    check(std::ranges::adjacent_find(bounds, std::greater_equal{}) == bounds.end());
    check(std::ranges::all_of(bounds, [](double bound) { return std::isfinite(bound); }));
    check(histogram.start <= histogram.time);
  }
  for (const CounterStart& start : batch.starts) {
    check(start.point < batch.points.size() && start.time <= batch.now());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const uint8_t choice = data[0];
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t cut = std::min(body.size(), body.find('\0'));
  const auto format = (choice & 1U) == 0 ? prometheus_text::TextFormat::classic
                                         : prometheus_text::TextFormat::open_metrics;
  engines::PageSettings settings;
  settings.raw = (choice & 2U) != 0;
  settings.merge_ranks = (choice & 4U) != 0;
  settings.series_limit = 200;

  engines::test::Node node;
  engines::test::Endpoint endpoint(node, settings);
  if ((choice & 8U) != 0) endpoint.reader.expect(&node.tables.all().back());
  for (const std::string_view page : {body.substr(0, cut), body.substr(cut), std::string_view(),
                                      std::string_view(), std::string_view()}) {
    node.clock.advance(std::chrono::seconds{10});
    endpoint.batch.begin(node.clock.now(), std::chrono::seconds{10});
    endpoint.reader.read(page, format, endpoint.batch);
    check(endpoint.batch, node.entities);
    node.registry.apply(node.source, endpoint.batch, node.clock.now());
  }
  check(node.registry.drops().bad_histogram == 0 && node.registry.drops().entity_gone == 0);
  for (const EntityId engine : endpoint.subjects.end()) endpoint.batch.gone.push_back(engine);
  node.registry.apply(node.source, endpoint.batch, node.clock.now());
  check(node.entities.size() == 0);
  return 0;
}
