#include "runtime/self_report.h"

#include <algorithm>
#include <iterator>

namespace warpsight {

SelfReport::SelfReport(EntityTable& entities, std::string_view version, bool simulated)
    : entities_(entities),
      agent_(entities.intern(EntityKind::agent, kNoEntity, std::initializer_list<AttributeView>{})),
      build_(facet({{"warpsight.version", version}})),
      simulated_(simulated) {}

void SelfReport::watch(std::span<const std::unique_ptr<Lane>> lanes,
                       std::span<const std::unique_ptr<SinkLane>> sinks) {
  lanes_ = lanes;
  sinks_ = sinks;
}

void SelfReport::absorb(std::vector<Event>& events, Batch& /*out*/) {
  for (const Event& event : events) ++events_[static_cast<size_t>(event.severity)];
}

void SelfReport::run(const View& view, Batch& out) {
  out.begin(view.now(), std::chrono::seconds{1});
  out.add(Metric::warpsight_build, build_, 1);
  sources(view, out);
  sinks(view, out);
  drops(view, out);
  footprint(out);
  for (const Severity severity : {Severity::info, Severity::warning, Severity::error}) {
    out.add(Metric::warpsight_events, facet({{"severity", to_string(severity)}}),
            static_cast<double>(events_[static_cast<size_t>(severity)]));
  }
}

void SelfReport::sources(const View& view, Batch& out) {
  for (const auto& lane : lanes_) {
    lane->read_status([&](const LaneStatus& status, bool overdue) {
      const EntityId source = facet({{"source", status.source}});
      out.add(Metric::warpsight_source_up, source, status.up && !overdue ? 1 : 0);
      if (status.runs > 0) {
        out.add(Metric::warpsight_source_duration, source, to_seconds(status.duration));
      }
      for (const auto& [kind, count] : status.errors) {
        out.add(Metric::warpsight_source_errors,
                facet({{"source", status.source}, {"error.type", kind}}),
                static_cast<double>(count));
      }
      if (status.probe) {
        out.add(Metric::warpsight_probe_restarts, source, static_cast<double>(status.restarts));
        if (simulated_) out.add(Metric::warpsight_simulated, source, 1);
      }
    });
  }
  view.for_each_source([&](std::string_view name, size_t series) {
    out.add(Metric::warpsight_series, facet({{"source", name}}), static_cast<double>(series));
  });
}

void SelfReport::sinks(const View& view, Batch& out) {
  for (const auto& lane : sinks_) {
    lane->read_status([&](const SinkLaneStatus& status) { sink(status, view.now(), out); });
  }
}

void SelfReport::sink(const SinkLaneStatus& status, Time now, Batch& out) {
  const EntityId sink = facet({{"sink", status.sink}});
  out.add(Metric::warpsight_sink_sent, sink, static_cast<double>(status.sent));
  for (const auto& [kind, count] : status.failures) {
    out.add(Metric::warpsight_sink_failures, facet({{"sink", status.sink}, {"error.type", kind}}),
            static_cast<double>(count));
  }
  status.dropped.for_each([&](DropReason reason, uint64_t points) {
    out.add(Metric::warpsight_dropped,
            facet({{"stage", status.sink}, {"reason", to_string(reason)}}),
            static_cast<double>(points));
  });
  if (!status.times.empty()) {
    out.add_histogram(Metric::warpsight_sink_duration, sink, RequestTimes::kBounds,
                      status.times.counts, status.times.sum, status.times.start);
  }
  if (!status.spooled) return;
  out.add(Metric::warpsight_spool_size, sink, static_cast<double>(status.spool.bytes));
  out.add(Metric::warpsight_spool_points, sink, static_cast<double>(status.spool.points));
  if (!status.spool.empty) {
    out.add(Metric::warpsight_spool_age, sink,
            std::max(0.0, to_seconds(now - status.spool.oldest)));
  }
}

void SelfReport::drops(const View& view, Batch& out) {
  const DropCounts& counts = view.drops();
  const auto say = [&](std::string_view reason, uint64_t count) {
    out.add(Metric::warpsight_dropped, facet({{"stage", "registry"}, {"reason", reason}}),
            static_cast<double>(count));
  };
  say("series_limit", counts.series_limit);
  say("out_of_order", counts.out_of_order);
  say("not_finite", counts.not_finite);
  say("entity_gone", counts.entity_gone);
  say("bad_histogram", counts.bad_histogram);
  say("events_limit", counts.events_limit);
}

void SelfReport::footprint(Batch& out) {
  const auto memory_of = [](ProcessStatsReader& reader, const ProcessStats& stats) {
    return static_cast<double>(reader.read_pss().value_or(stats.rss_bytes));
  };
  if (const auto stats = self_.read()) {
    const EntityId agent = facet({{"process", "agent"}});
    out.add(Metric::warpsight_cpu_time, agent, stats->cpu_seconds);
    out.add(Metric::warpsight_memory_usage, agent, memory_of(self_, *stats));
  }

  double memory = 0;
  for (const auto& lane : lanes_) {
    lane->read_status([&](const LaneStatus& status, bool) {
      for (const int pid : status.children) children_.try_emplace(pid, pid);
    });
  }
  double cpu = ended_children_cpu_;
  for (auto it = children_.begin(); it != children_.end();) {
    ProbeFootprint& child = it->second;
    const auto stats = child.reader.read();
    if (stats) {
      child.cpu_seconds = stats->cpu_seconds;
      memory += memory_of(child.reader, *stats);
    } else {
      ended_children_cpu_ += child.cpu_seconds;
    }
    cpu += child.cpu_seconds;
    it = stats ? std::next(it) : children_.erase(it);
  }
  if (cpu > 0) {
    const EntityId probes = facet({{"process", "probes"}});
    out.add(Metric::warpsight_cpu_time, probes, cpu);
    out.add(Metric::warpsight_memory_usage, probes, memory);
  }
}

}  // namespace warpsight
