// What the GPU did about bad memory, and what it wants done: remapped rows, retired pages, pending
// repairs and the recovery the driver asks for.
#pragma once

#include <array>

#include "sources/nvml/fields.h"
#include "sources/nvml/pass.h"

namespace warpsight::nvml {

class RowRemap {
 public:
  RowRemap(EntityTable& entities, EntityId gpu);
  void read(Pass& pass);

 private:
  Reading rows_;
  Reading banks_;
};

class RetiredPages {
 public:
  RetiredPages(EntityTable& entities, EntityId gpu);
  void read(Pass& pass);

 private:
  std::array<Reading, 2> pages_;
};

class PendingRepair {
 public:
  PendingRepair(EntityTable& entities, EntityId gpu);
  void read(Pass& pass);

 private:
  Reading pending_;
};

// One series that carries the driver's code, its name as an attribute; the series of the code
// before it ends when the code changes.
class RecoveryAction {
 public:
  explicit RecoveryAction(EntityId gpu);
  void read(Pass& pass);
  void retire(Batch& out);

 private:
  EntityId gpu_;
  FieldGroup field_;
  double action_ = -1;
  EntityId entity_;
};

}  // namespace warpsight::nvml
