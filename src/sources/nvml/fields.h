// Field values: readings that have no getter of their own, many in one call.
#pragma once

#include <vector>

#include "sources/nvml/pass.h"

namespace warpsight::nvml {

double to_double(abi::ValueType type, const abi::Value& value);

class FieldGroup {
 public:
  struct Item {
    unsigned id = 0;
    unsigned scope = 0;
    double scale = 1;  // from the driver's unit to ours
    Reading reading;
    double value = 0;    // scaled, of the last read()
    bool fresh = false;  // whether the last read() got it
    abi::ValueType type = abi::ValueType::uint32;
  };

  void add(unsigned id, unsigned scope, double scale, const Reading& reading) {
    items_.push_back({id, scope, scale, reading});
  }

  // Asks for every field that is still wanted.
  void read(Pass& pass);
  // The same, and a point for each that came, on the first series of its reading.
  void read_and_add(Pass& pass);

  Item& operator[](size_t index) { return items_[index]; }
  size_t size() const { return items_.size(); }
  void clear() { items_.clear(); }

 private:
  void read_chunk(Pass& pass, size_t& next);

  std::vector<Item> items_;
};

}  // namespace warpsight::nvml
