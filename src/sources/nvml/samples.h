// The driver's own sample buffers: a record without gaps at the price of a rare call.
#pragma once

#include "sources/nvml/pass.h"

namespace warpsight::nvml {

class SampleBuffer {
 public:
  // `scale` takes the driver's unit to the series'.
  SampleBuffer(abi::SamplingType type, Series series, double scale)
      : type_(type), series_(series), scale_(scale) {}

  // Adds every sample since the last drain, with the driver's time for it; the first drain takes
  // those of the last period. A sample from the future or from over a minute ago is dropped.
  void drain(Pass& pass);

  // Whether the value must be polled instead: there is no such buffer, or nothing has come from
  // it for two periods.
  bool must_poll() const { return !reading_.wanted() || empty_drains_ >= 2; }

 private:
  void take(Pass& pass, size_t count, abi::ValueType value_type);

  abi::SamplingType type_;
  Series series_;
  double scale_;
  Reading reading_;
  Time last_seen_{};
  int empty_drains_ = 0;
};

}  // namespace warpsight::nvml
