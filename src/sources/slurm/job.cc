#include "sources/slurm/job.h"

#include <algorithm>
#include <array>

#include "net/foreign_text.h"
#include "sources/slurm/gres_text.h"

namespace warpsight::slurm {
namespace {

constexpr size_t kLongestValue = 256;

}  // namespace

bool is_none(std::string_view text) { return text == "(null)" || text == "N/A"; }

bool Job::settled() const {
  constexpr std::array<std::string_view, 4> kBefore = {"PENDING", "CONFIGURING", "REQUEUE",
                                                       "SPECIAL_EXIT"};
  return here && std::ranges::none_of(kBefore, [&](std::string_view word) {
           return state.find(word) != std::string::npos;
         });
}

std::vector<HeldGpu> held_gpus(std::string_view gres) {
  std::vector<HeldGpu> held;
  for (const Gres& each : parse_gres(gres)) {
    if (!each.is_gpu() && !each.is_share()) continue;
    for (const unsigned index : each.indices) held.push_back({index, each.is_share()});
  }
  std::ranges::sort(held, {}, [](const HeldGpu& gpu) { return gpu.index * 2 + gpu.shared; });
  const auto repeated = std::ranges::unique(held, {}, &HeldGpu::index);
  held.erase(repeated.begin(), repeated.end());
  return held;
}

std::vector<Attribute> attributes_of(const Job& job, std::string_view cluster) {
  std::vector<Attribute> attributes;
  const auto text = [&](std::string_view key, std::string_view value) {
    if (value.empty() || is_none(value)) return;
    attributes.push_back({std::string(key), printable_beginning(value, kLongestValue)});
  };
  const auto number = [&](std::string_view key, const std::optional<uint64_t>& value) {
    if (value) attributes.push_back({std::string(key), std::to_string(*value)});
  };
  text("slurm.cluster.name", job.cluster.empty() ? cluster : job.cluster);
  number("slurm.job.id", job.id);
  text("slurm.job.name", job.name);
  text("slurm.user", job.user);
  text("slurm.account", job.account);
  text("slurm.partition", job.partition);
  text("slurm.qos", job.qos);
  number("slurm.array.job.id", job.array_job);
  number("slurm.array.task.id", job.array_task);
  number("slurm.het.job.id", job.het_job);
  number("slurm.het.job.offset", job.het_offset);
  return attributes;
}

}  // namespace warpsight::slurm
