// The lane of a source that is our own code.
#pragma once

#include <memory>

#include "runtime/lane.h"
#include "runtime/source.h"

namespace warpsight {

class SourceLane final : public Lane {
 public:
  SourceLane(std::string name, Duration period, std::unique_ptr<Source> source, Registry& registry,
             const Clock& clock);

  void end_told() override;

 private:
  void loop() override;

  std::unique_ptr<Source> source_impl_;
  Batch batch_;
};

}  // namespace warpsight
