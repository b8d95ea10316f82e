#include "sources/nvml/utilization.h"

namespace warpsight::nvml {
namespace {

constexpr double kPercent = 0.01;

}  // namespace

Utilization::Utilization(EntityId entity)
    : buffers_{{
          {abi::SamplingType::gpu_utilization, {Metric::gpu_utilization, entity}, kPercent},
          {abi::SamplingType::memory_utilization,
           {Metric::gpu_memory_utilization, entity},
           kPercent},
          {abi::SamplingType::encoder_utilization,
           {Metric::gpu_encode_utilization, entity},
           kPercent},
          {abi::SamplingType::decoder_utilization,
           {Metric::gpu_decode_utilization, entity},
           kPercent},
      }},
      getters_{{
          {{Metric::gpu_utilization, entity}},
          {{Metric::gpu_memory_utilization, entity}},
          {{Metric::gpu_encode_utilization, entity}},
          {{Metric::gpu_decode_utilization, entity}},
      }} {}

void Utilization::drain(Pass& pass) {
  for (SampleBuffer& buffer : buffers_) buffer.drain(pass);
}

void Utilization::poll(Pass& pass) {
  for (const Engine engine : {gpu, memory}) {
    abi::Utilization rates{};
    if (!buffers_[engine].must_poll() ||
        !pass.get(getters_[engine], pass.lib.nvmlDeviceGetUtilizationRates, pass.handle, &rates)) {
      continue;
    }
    pass.add(getters_[engine][0], kPercent * (engine == gpu ? rates.gpu : rates.memory));
  }
  for (const Engine engine : {encoder, decoder}) {
    const auto& getter = engine == encoder ? pass.lib.nvmlDeviceGetEncoderUtilization
                                           : pass.lib.nvmlDeviceGetDecoderUtilization;
    unsigned percent = 0;
    unsigned window_us = 0;
    if (!buffers_[engine].must_poll() ||
        !pass.get(getters_[engine], getter, pass.handle, &percent, &window_us)) {
      continue;
    }
    pass.add(getters_[engine][0], kPercent * percent);
  }
}

void Utilization::not_in_mig_mode(Pass& pass) {
  for (Reading& getter : getters_) pass.unsupported(getter, "MIG mode is on");
}

}  // namespace warpsight::nvml
