#include "sources/nvml/samples.h"

#include <algorithm>

#include "sources/nvml/fields.h"

namespace warpsight::nvml {
namespace {

using std::chrono::microseconds;
constexpr Duration kMaxAhead = std::chrono::seconds{2};
constexpr Duration kMaxAge = std::chrono::minutes{1};

}  // namespace

void SampleBuffer::drain(Pass& pass) {
  if (pass.halted() || !reading_.wanted()) return;
  // Also when the wall clock was set back: the driver would have nothing newer for as long.
  if (last_seen_ == Time{} || last_seen_ > pass.now + kMaxAhead) {
    last_seen_ = pass.now - pass.period;
  }
  auto& samples = pass.workspace.samples;
  auto count = static_cast<unsigned>(samples.size());
  auto value_type = abi::ValueType::uint32;
  const auto since = std::chrono::duration_cast<microseconds>(last_seen_.time_since_epoch());
  const abi::Return result = pass.lib.nvmlDeviceGetSamples(
      pass.handle, type_, static_cast<unsigned long long>(since.count()), &value_type, &count,
      samples.data());
  if (result == abi::Return::not_found || result == abi::Return::no_data) {
    ++empty_drains_;
    return;
  }
  if (!pass.settle(reading_, result)) return;
  take(pass, std::min<size_t>(count, samples.size()), value_type);
}

void SampleBuffer::take(Pass& pass, size_t count, abi::ValueType value_type) {
  const Time earliest = std::max(last_seen_, pass.now - kMaxAge);
  const Time latest = pass.now + kMaxAhead;
  Time newest = last_seen_;
  for (size_t i = 0; i < count; ++i) {
    const abi::Sample& sample = pass.workspace.samples[i];
    if (sample.time_us > static_cast<unsigned long long>(microseconds::max().count()) / 1000) {
      continue;
    }
    const Time time{microseconds{static_cast<int64_t>(sample.time_us)}};
    if (time <= earliest || time > latest) continue;
    pass.add(series_, to_double(value_type, sample.value) * scale_, time);
    newest = std::max(newest, time);
  }
  empty_drains_ = newest > last_seen_ ? 0 : empty_drains_ + 1;
  last_seen_ = newest;
}

}  // namespace warpsight::nvml
