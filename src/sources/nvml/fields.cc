#include "sources/nvml/fields.h"

#include <array>

namespace warpsight::nvml {

double to_double(abi::ValueType type, const abi::Value& value) {
  switch (type) {
    case abi::ValueType::float64: return value.float64;
    case abi::ValueType::uint32: return value.uint32;
    case abi::ValueType::ulong: return static_cast<double>(value.ulong);
    case abi::ValueType::uint64: return static_cast<double>(value.uint64);
    case abi::ValueType::int64: return static_cast<double>(value.int64);
    case abi::ValueType::int32: return value.int32;
    case abi::ValueType::uint16: return value.uint16;
  }
  return 0;
}

void FieldGroup::read(Pass& pass) {
  for (Item& item : items_) item.fresh = false;
  for (size_t next = 0; next < items_.size() && !pass.halted();) read_chunk(pass, next);
}

void FieldGroup::read_chunk(Pass& pass, size_t& next) {
  auto& values = pass.workspace.fields;
  std::array<size_t, std::tuple_size_v<std::remove_reference_t<decltype(values)>>> asked{};
  size_t count = 0;
  for (; next < items_.size() && count < values.size(); ++next) {
    const Item& item = items_[next];
    if (!item.reading.wanted()) continue;
    values[count] = {};
    values[count].field_id = item.id;
    values[count].scope_id = item.scope;
    asked[count++] = next;
  }
  if (count == 0) return;
  const abi::Return all =
      pass.lib.nvmlDeviceGetFieldValues(pass.handle, static_cast<int>(count), values.data());
  for (size_t i = 0; i < count; ++i) {
    Item& item = items_[asked[i]];
    // A driver that does not know an id answers so for that id alone.
    abi::Return result = all == abi::Return::success ? values[i].result : all;
    if (result == abi::Return::invalid_argument) result = abi::Return::not_supported;
    item.fresh = pass.settle(item.reading, result);
    if (!item.fresh) continue;
    item.type = values[i].value_type;
    item.value = to_double(item.type, values[i].value) * item.scale;
  }
}

void FieldGroup::read_and_add(Pass& pass) {
  read(pass);
  for (const Item& item : items_) {
    if (item.fresh) pass.add(item.reading[0], item.value);
  }
}

}  // namespace warpsight::nvml
