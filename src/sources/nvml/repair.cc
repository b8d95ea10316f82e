#include "sources/nvml/repair.h"

#include <cstdio>

namespace warpsight::nvml {
namespace {

EntityId error_type(EntityTable& entities, EntityId gpu, std::string_view type) {
  return facet(entities, gpu, {{"gpu.ecc.error_type", type}});
}

EntityId availability(EntityTable& entities, EntityId gpu, std::string_view name) {
  return facet(entities, gpu, {{"gpu.row_remap.availability", name}});
}

std::string_view action_name(unsigned action) {
  switch (action) {
    case abi::recovery_action::kNone: return "none";
    case abi::recovery_action::kGpuReset: return "reset";
    case abi::recovery_action::kNodeReboot: return "reboot";
    case abi::recovery_action::kDrainP2p: return "drain_p2p";
    case abi::recovery_action::kDrainAndReset: return "drain_and_reset";
    case abi::recovery_action::kRecoverImexDomain: return "recover_imex_domain";
    default: return {};
  }
}

}  // namespace

RowRemap::RowRemap(EntityTable& entities, EntityId gpu)
    : rows_{{Metric::gpu_row_remap_rows, error_type(entities, gpu, "correctable")},
            {Metric::gpu_row_remap_rows, error_type(entities, gpu, "uncorrectable")},
            {Metric::gpu_row_remap_pending, gpu},
            {Metric::gpu_row_remap_failure, gpu}},
      banks_{{Metric::gpu_row_remap_banks, availability(entities, gpu, "max")},
             {Metric::gpu_row_remap_banks, availability(entities, gpu, "high")},
             {Metric::gpu_row_remap_banks, availability(entities, gpu, "partial")},
             {Metric::gpu_row_remap_banks, availability(entities, gpu, "low")},
             {Metric::gpu_row_remap_banks, availability(entities, gpu, "none")}} {}

void RowRemap::read(Pass& pass) {
  unsigned correctable = 0;
  unsigned uncorrectable = 0;
  unsigned pending = 0;
  unsigned failure = 0;
  if (pass.get(rows_, pass.lib.nvmlDeviceGetRemappedRows, pass.handle, &correctable, &uncorrectable,
               &pending, &failure)) {
    pass.add(rows_[0], correctable);
    pass.add(rows_[1], uncorrectable);
    pass.add(rows_[2], pending != 0 ? 1 : 0);
    pass.add(rows_[3], failure != 0 ? 1 : 0);
  }
  abi::RowRemapperHistogram banks{};
  if (pass.get(banks_, pass.lib.nvmlDeviceGetRowRemapperHistogram, pass.handle, &banks)) {
    pass.add(banks_[0], banks.max);
    pass.add(banks_[1], banks.high);
    pass.add(banks_[2], banks.partial);
    pass.add(banks_[3], banks.low);
    pass.add(banks_[4], banks.none);
  }
}

RetiredPages::RetiredPages(EntityTable& entities, EntityId gpu)
    : pages_{{{{Metric::gpu_retired_pages, error_type(entities, gpu, "correctable")}},
              {{Metric::gpu_retired_pages, error_type(entities, gpu, "uncorrectable")}}}} {}

void RetiredPages::read(Pass& pass) {
  for (size_t i = 0; i < pages_.size(); ++i) {
    if (pass.halted() || !pages_[i].wanted()) continue;
    const auto cause = i == 0 ? abi::PageRetirementCause::multiple_single_bit
                              : abi::PageRetirementCause::double_bit;
    // Without room for addresses the driver says how many there are, by way of an error if any.
    unsigned count = 0;
    abi::Return result = pass.lib.nvmlDeviceGetRetiredPages(pass.handle, cause, &count, nullptr);
    if (result == abi::Return::insufficient_size) result = abi::Return::success;
    if (pass.settle(pages_[i], result)) pass.add(pages_[i][0], count);
  }
}

PendingRepair::PendingRepair(EntityTable& entities, EntityId gpu)
    : pending_{{Metric::gpu_repair_pending, facet(entities, gpu, {{"gpu.repair.kind", "channel"}})},
               {Metric::gpu_repair_pending, facet(entities, gpu, {{"gpu.repair.kind", "tpc"}})}} {}

void PendingRepair::read(Pass& pass) {
  abi::RepairStatus status{};
  status.version = abi::kRepairStatusV1;
  if (!pass.get(pending_, pass.lib.nvmlDeviceGetRepairStatus, pass.handle, &status)) return;
  pass.add(pending_[0], status.channel_repair_pending != 0 ? 1 : 0);
  pass.add(pending_[1], status.tpc_repair_pending != 0 ? 1 : 0);
}

RecoveryAction::RecoveryAction(EntityId gpu) : gpu_(gpu) {
  field_.add(abi::field::kGpuRecoveryAction, 0, 1, {{Metric::gpu_recovery_action, gpu}});
}

void RecoveryAction::read(Pass& pass) {
  field_.read(pass);
  if (!field_[0].fresh) return;
  if (field_[0].value != action_) {
    retire(pass.out);
    action_ = field_[0].value;
    const auto code = static_cast<unsigned>(action_);
    char unknown[32];
    std::snprintf(unknown, sizeof unknown, "unknown_%u", code);
    const std::string_view name = action_name(code);
    entity_ = facet(pass.context.entities, gpu_,
                    {{"gpu.recovery.name", name.empty() ? std::string_view(unknown) : name}});
  }
  pass.add({Metric::gpu_recovery_action, entity_}, action_);
}

void RecoveryAction::retire(Batch& out) {
  if (entity_) out.gone.push_back(entity_);
  entity_ = kNoEntity;
  action_ = -1;
}

}  // namespace warpsight::nvml
