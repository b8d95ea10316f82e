#include "sources/nvml/source.h"

#include <algorithm>
#include <utility>

#include "runtime/log.h"
#include "sources/nvml/events.h"
#include "sources/nvml/inventory.h"
#include "sources/nvml/library.h"

namespace warpsight::nvml {
namespace {

using std::chrono::seconds;
constexpr Duration kRefreshPeriod = seconds{10};
constexpr Duration kInfoPeriod = seconds{60};
constexpr Duration kFirstRetry = seconds{1};
constexpr Duration kLastRetry = seconds{30};

constexpr OptionDef kOptions[] = {
    {"enabled", OptionType::boolean, "true", "read NVIDIA GPUs through NVML"},
    {"period", OptionType::duration, "1s", "time between two runs; dear readings keep their own",
     "100ms..1m"},
    {"deadline", OptionType::duration, "0",
     "longest a run may take before the driver counts as hung; 0: derived from `period`"},
    {"library", OptionType::text, "libnvidia-ml.so.1", "the driver's library, by name or path"},
    {"gpm", OptionType::boolean, "true",
     "read SM, tensor, memory and link activity (Hopper and later)"},
    {"processes", OptionType::boolean, "true", "read memory and utilisation of each process"},
};

std::string_view hint_for(abi::Return result) {
  switch (result) {
    case abi::Return::driver_not_loaded:
      return "load the kernel module (modprobe nvidia) and look at dmesg";
    case abi::Return::lib_rm_version_mismatch:
      return "driver library and kernel module differ: reload the module or reboot";
    case abi::Return::no_permission: return "run as a user who may open /dev/nvidiactl";
    default: return "run nvidia-smi and look at dmesg";
  }
}

class NvmlSource final : public Source {
 public:
  NvmlSource(const SourceContext& context, std::unique_ptr<Library> library)
      : context_(context),
        options_{context.options.duration("period"), context.options.flag("gpm"),
                 context.options.flag("processes")},
        library_(std::move(library)),
        inventory_(context_, options_, library_->simulated()) {
    const bool simulated = library_->simulated();
    const AttributeView attributes[] = {
        {"gpu.state", "expected"}, {"gpu.vendor", "nvidia"}, {"simulated", "true"}};
    expected_ = context_.entities.intern(EntityKind::facet, kNoEntity,
                                         std::span(attributes, simulated ? 3 : 2));
  }

  ~NvmlSource() override {
    Batch ignored;
    shut_down(ignored);
  }

  Result<> collect(Batch& out) override;

  void admit(std::string_view device) override {
    inventory_.admit(device);
    refresh_at_ = {};
  }

 private:
  Result<> start(Batch& out);
  void stop(abi::Return why, Batch& out);
  void shut_down(Batch& out);
  Result<> not_answering() const;

  abi::Return refresh_if_due(Batch& out);
  abi::Return read(Gpu& gpu, Batch& out);
  void read_sleeper(Gpu& gpu, Batch& out);
  void watch_events();
  void tell_xids(Batch& out);

  // A copy: the agent's own lives as long, but its strings are not ours to hold.
  const SourceContext context_;
  ReaderOptions options_;
  std::unique_ptr<Library> library_;
  Inventory inventory_;
  Workspace workspace_;
  std::unique_ptr<EventWatch> events_;
  std::vector<EventWatch::Xid> xids_;
  std::vector<abi::Device> watched_;
  EntityId expected_;

  bool up_ = false;
  bool was_up_ = false;
  bool membership_changed_ = true;
  SteadyTime refresh_at_{};
  SteadyTime retry_at_{};
  Duration retry_ = kFirstRetry;
  abi::Return why_down_ = abi::Return::success;
  Error open_error_;
};

Result<> NvmlSource::collect(Batch& out) {
  if (!up_) {
    if (inventory_.all_asleep()) {
      inventory_.note_sleepers(out);
    } else if (auto started = start(out); !started) {
      return started;
    }
  }
  abi::Return state = up_ ? refresh_if_due(out) : abi::Return::success;
  for (const auto& gpu : inventory_.gpus()) {
    if (state != abi::Return::success) break;
    if (gpu->state == Gpu::State::present && inventory_.fell_asleep(*gpu, out)) {
      membership_changed_ = true;
    }
    if (gpu->state == Gpu::State::suspended) read_sleeper(*gpu, out);
    if (gpu->state == Gpu::State::present) state = read(*gpu, out);
  }
  context_.trace.set_device("");
  if (up_) tell_xids(out);
  if (state != abi::Return::success) {
    stop(state, out);
    return not_answering();
  }
  if (up_ && membership_changed_) watch_events();
  out.begin(context_.clock.now(), options_.tick);
  if (expected_)
    out.add(Metric::gpu_devices, expected_, static_cast<double>(inventory_.expected()));
  return {};
}

Result<> NvmlSource::start(Batch& out) {
  const SteadyTime now = context_.clock.steady();
  if (now < retry_at_) return not_answering();
  retry_at_ = now + retry_;
  retry_ = std::min(2 * retry_, kLastRetry);
  if (!library_) {
    auto opened = Library::open(context_);
    if (!opened) {
      open_error_ = opened.error();
      return not_answering();
    }
    library_ = std::move(*opened);
  }
  context_.trace.set_device("");
  const abi::Return result = library_->nvmlInit_v2();
  if (result != abi::Return::success) {
    stop(result, out);
    return not_answering();
  }
  if (was_up_) {
    out.events.push_back({context_.clock.now(),
                          "gpu.driver.reloaded",
                          Severity::info,
                          kNoEntity,
                          "NVIDIA's driver answers again",
                          {{"gpu.vendor", "nvidia"}}});
  }
  up_ = was_up_ = membership_changed_ = true;
  why_down_ = abi::Return::success;
  retry_ = kFirstRetry;
  retry_at_ = {};
  refresh_at_ = {};
  events_ = std::make_unique<EventWatch>(*library_);
  return {};
}

Result<> NvmlSource::not_answering() const {
  if (!library_) return tl::unexpected(open_error_);
  return fail("NVML does not answer: " + std::string(library_->word(why_down_)),
              std::string(hint_for(why_down_)));
}

void NvmlSource::stop(abi::Return why, Batch& out) {
  why_down_ = why;
  if (up_) {
    log_warn("NVML stopped answering", {{"driver", library_->word(why)}});
    retry_at_ = context_.clock.steady() + kFirstRetry;
  }
  shut_down(out);
  // A newer driver was installed: its library must be loaded in place of the old one.
  if (why == abi::Return::lib_rm_version_mismatch && !library_->simulated()) {
    open_error_ = {"NVML does not answer: " + std::string(library_->word(why)),
                   std::string(hint_for(why))};
    library_.reset();
  }
}

void NvmlSource::shut_down(Batch& out) {
  if (!up_) return;
  events_.reset();
  inventory_.forget_handles(out);
  context_.trace.set_device("");
  library_->nvmlShutdown();
  up_ = false;
}

abi::Return NvmlSource::refresh_if_due(Batch& out) {
  const SteadyTime now = context_.clock.steady();
  if (now + options_.tick / 2 < refresh_at_) return abi::Return::success;
  refresh_at_ = now + kRefreshPeriod;
  membership_changed_ = true;
  return inventory_.refresh(*library_, out);
}

abi::Return NvmlSource::read(Gpu& gpu, Batch& out) {
  context_.trace.set_device(gpu.address);
  Pass pass(context_, *library_, workspace_, gpu.handle, out);
  gpu.readers->read(pass);
  if (!pass.halted()) return abi::Return::success;
  if (classify(pass.halt) == Outcome::driver_gone) return pass.halt;
  inventory_.lose(gpu, library_->word(pass.halt), out);
  membership_changed_ = true;
  return abi::Return::success;
}

void NvmlSource::read_sleeper(Gpu& gpu, Batch& out) {
  const SteadyTime now = context_.clock.steady();
  if (!gpu.info || now + options_.tick / 2 < gpu.check_at) return;
  gpu.check_at = now + kInfoPeriod;
  out.begin(context_.clock.now(), kInfoPeriod);
  gpu.info->add_suspended(context_, out);
}

void NvmlSource::watch_events() {
  watched_.clear();
  for (const auto& gpu : inventory_.gpus()) {
    if (gpu->state == Gpu::State::present) watched_.push_back(gpu->handle);
  }
  events_->watch(watched_);
  membership_changed_ = false;
}

void NvmlSource::tell_xids(Batch& out) {
  xids_.clear();
  events_->take(xids_);
  const auto now = std::chrono::steady_clock::now();
  for (const EventWatch::Xid& xid : xids_) {
    const auto& gpus = inventory_.gpus();
    const auto gpu = std::ranges::find(gpus, xid.device, [](const auto& g) { return g->handle; });
    if (gpu == gpus.end()) continue;
    Event event{context_.clock.now() - (now - xid.seen),
                "gpu.xid.raw",
                Severity::warning,
                (*gpu)->entity,
                "XID " + std::to_string(xid.code),
                {}};
    event.attributes = {{"gpu.xid.code", std::to_string(xid.code)},
                        {"gpu.pci.address", (*gpu)->address},
                        {"source", "nvml"}};
    if (xid.gpu_instance != abi::kNoInstance) {
      event.attributes.push_back({"gpu.mig.instance_id", std::to_string(xid.gpu_instance)});
    }
    out.events.push_back(std::move(event));
  }
}

}  // namespace

Result<std::unique_ptr<Source>> make(const SourceContext& context) {
  auto library = Library::open(context);
  if (!library) return tl::unexpected(library.error());
  return std::make_unique<NvmlSource>(context, std::move(*library));
}

const SourceDef kDefinition{"nvml",           "NVIDIA GPUs, through the driver's own library",
                            Isolation::probe, "nvidia",
                            kOptions,         make,
                            diagnose,         present};

}  // namespace warpsight::nvml
