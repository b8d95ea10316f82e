#include "wire/otlp/json_schema.h"

namespace warpsight::otlp {
namespace {

constexpr JsonField text(uint32_t number, std::string_view name) {
  return {.number = number, .name = name, .form = JsonForm::text, .type = WireType::bytes};
}
constexpr JsonField fixed(uint32_t number, std::string_view name) {
  return {.number = number, .name = name, .form = JsonForm::unsigned64, .type = WireType::fixed64};
}
constexpr JsonField real(uint32_t number, std::string_view name) {
  return {.number = number, .name = name, .form = JsonForm::number, .type = WireType::fixed64};
}
constexpr JsonField varint(uint32_t number, std::string_view name, JsonForm form) {
  return {.number = number, .name = name, .form = form, .type = WireType::varint};
}
constexpr JsonField one(uint32_t number, std::string_view name, const JsonMessage& message) {
  return {.number = number,
          .name = name,
          .form = JsonForm::message,
          .type = WireType::bytes,
          .message = &message};
}
constexpr JsonField many(JsonField field) {
  field.repeated = true;
  return field;
}
constexpr JsonField present(JsonField field) {
  field.presence = true;
  return field;
}

constexpr JsonField kAnyValueFields[] = {
    present(text(1, "stringValue")),
    present(varint(2, "boolValue", JsonForm::flag)),
    present(varint(3, "intValue", JsonForm::integer64)),
    present(real(4, "doubleValue")),
};
constexpr JsonMessage kAnyValue{kAnyValueFields};

constexpr JsonField kKeyValueFields[] = {text(1, "key"), one(2, "value", kAnyValue)};
constexpr JsonMessage kKeyValue{kKeyValueFields};

constexpr JsonField kResourceFields[] = {many(one(1, "attributes", kKeyValue))};
constexpr JsonMessage kResource{kResourceFields};

constexpr JsonField kScopeFields[] = {text(1, "name"), text(2, "version")};
constexpr JsonMessage kScope{kScopeFields};

constexpr JsonField kStart = fixed(2, "startTimeUnixNano");
constexpr JsonField kTime = fixed(3, "timeUnixNano");
constexpr JsonField kTemporality = varint(2, "aggregationTemporality", JsonForm::small_unsigned);

constexpr JsonField kNumberPointFields[] = {
    many(one(7, "attributes", kKeyValue)),        kStart, kTime, present(real(4, "asDouble")),
    varint(8, "flags", JsonForm::small_unsigned),
};
constexpr JsonMessage kNumberPoint{kNumberPointFields};

constexpr JsonField kHistogramPointFields[] = {
    many(one(9, "attributes", kKeyValue)),
    kStart,
    kTime,
    fixed(4, "count"),
    present(real(5, "sum")),
    many(fixed(6, "bucketCounts")),
    many(real(7, "explicitBounds")),
    varint(10, "flags", JsonForm::small_unsigned),
};
constexpr JsonMessage kHistogramPoint{kHistogramPointFields};

constexpr JsonField kBucketsFields[] = {
    varint(1, "offset", JsonForm::small_zigzag),
    many(varint(2, "bucketCounts", JsonForm::unsigned64)),
};
constexpr JsonMessage kBuckets{kBucketsFields};

constexpr JsonField kExponentialPointFields[] = {
    many(one(1, "attributes", kKeyValue)),
    kStart,
    kTime,
    fixed(4, "count"),
    present(real(5, "sum")),
    varint(6, "scale", JsonForm::small_zigzag),
    fixed(7, "zeroCount"),
    one(8, "positive", kBuckets),
    varint(10, "flags", JsonForm::small_unsigned),
};
constexpr JsonMessage kExponentialPoint{kExponentialPointFields};

constexpr JsonField kGaugeFields[] = {many(one(1, "dataPoints", kNumberPoint))};
constexpr JsonMessage kGauge{kGaugeFields};

constexpr JsonField kSumFields[] = {
    many(one(1, "dataPoints", kNumberPoint)),
    kTemporality,
    varint(3, "isMonotonic", JsonForm::flag),
};
constexpr JsonMessage kSum{kSumFields};

constexpr JsonField kHistogramFields[] = {many(one(1, "dataPoints", kHistogramPoint)),
                                          kTemporality};
constexpr JsonMessage kHistogram{kHistogramFields};

constexpr JsonField kExponentialFields[] = {many(one(1, "dataPoints", kExponentialPoint)),
                                            kTemporality};
constexpr JsonMessage kExponential{kExponentialFields};

constexpr JsonField kMetricFields[] = {
    text(1, "name"),
    text(2, "description"),
    text(3, "unit"),
    one(5, "gauge", kGauge),
    one(7, "sum", kSum),
    one(9, "histogram", kHistogram),
    one(10, "exponentialHistogram", kExponential),
};
constexpr JsonMessage kMetric{kMetricFields};

constexpr JsonField kLogRecordFields[] = {
    fixed(1, "timeUnixNano"),
    fixed(11, "observedTimeUnixNano"),
    varint(2, "severityNumber", JsonForm::small_unsigned),
    text(3, "severityText"),
    text(12, "eventName"),
    one(5, "body", kAnyValue),
    many(one(6, "attributes", kKeyValue)),
};
constexpr JsonMessage kLogRecord{kLogRecordFields};

constexpr JsonField kScopeMetricsFields[] = {
    one(1, "scope", kScope), many(one(2, "metrics", kMetric)), text(3, "schemaUrl")};
constexpr JsonMessage kScopeMetrics{kScopeMetricsFields};
constexpr JsonField kResourceMetricsFields[] = {one(1, "resource", kResource),
                                                many(one(2, "scopeMetrics", kScopeMetrics)),
                                                text(3, "schemaUrl")};
constexpr JsonMessage kResourceMetrics{kResourceMetricsFields};
constexpr JsonField kMetricsRequestFields[] = {many(one(1, "resourceMetrics", kResourceMetrics))};

constexpr JsonField kScopeLogsFields[] = {
    one(1, "scope", kScope), many(one(2, "logRecords", kLogRecord)), text(3, "schemaUrl")};
constexpr JsonMessage kScopeLogs{kScopeLogsFields};
constexpr JsonField kResourceLogsFields[] = {
    one(1, "resource", kResource), many(one(2, "scopeLogs", kScopeLogs)), text(3, "schemaUrl")};
constexpr JsonMessage kResourceLogs{kResourceLogsFields};
constexpr JsonField kLogsRequestFields[] = {many(one(1, "resourceLogs", kResourceLogs))};

}  // namespace

constexpr JsonMessage kMetricsRequestJson{kMetricsRequestFields};
constexpr JsonMessage kLogsRequestJson{kLogsRequestFields};

}  // namespace warpsight::otlp
