#include "analysis/xid_ledger.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace warpsight {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Time kStart{seconds{1'700'000'000}};
constexpr const char* kAddress = "0000:9b:00.0";

// Of the point whose entity has exactly these attributes, "key=value,key=value".
std::optional<double> value_of(const Batch& batch, const EntityTable& entities, Metric metric,
                               std::string_view attributes) {
  for (const Point& point : batch.points) {
    std::string found;
    entities.for_each_attribute(point.entity, [&](std::string_view key, std::string_view value) {
      found.append(found.empty() ? "" : ",").append(key).append("=").append(value);
    });
    if (point.metric == metric && found == attributes) return point.value;
  }
  return std::nullopt;
}

class XidLedgerTest : public ::testing::Test {
 protected:
  void report(std::string_view source, unsigned code, Duration at,
              std::string_view address = kAddress, std::vector<Attribute> more = {}) {
    Event event{kStart + at, "gpu.xid.raw", Severity::info, kNoEntity, "as the driver said", {}};
    event.attributes = {{"gpu.xid.code", std::to_string(code)},
                        {"gpu.pci.address", std::string(address)},
                        {"source", std::string(source)}};
    for (Attribute& attribute : more) event.attributes.push_back(std::move(attribute));
    events_.push_back(std::move(event));
  }

  void report_fallen_off_bus(Duration at) {
    events_.push_back({kStart + at,
                       "gpu.fallen_off_bus.raw",
                       Severity::info,
                       kNoEntity,
                       "GPU has fallen off the bus",
                       {{"gpu.xid.code", ""}, {"gpu.pci.address", kAddress}, {"source", "kmsg"}}});
  }

  void absorb() { ledger_.absorb(events_, out_); }

  const Batch& publish() {
    out_.points.clear();
    ledger_.publish(kStart + seconds{10}, out_);
    return out_;
  }

  std::optional<double> errors(unsigned code) {
    const Batch& batch = publish();
    return value_of(batch, entities_, Metric::gpu_xid_errors,
                    "gpu.uuid=GPU-4,gpu.xid.code=" + std::to_string(code));
  }

  EntityTable entities_;
  EntityId gpu_ =
      entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.uuid", "GPU-4"}, {".pci", kAddress}});
  XidLedger ledger_{entities_};
  std::vector<Event> events_;
  Batch out_;
};

TEST_F(XidLedgerTest, TheSameErrorFromTwoSourcesIsOne) {
  report("nvml", 31, milliseconds{0});
  report("kmsg", 31, milliseconds{1900});
  absorb();
  EXPECT_EQ(errors(31), 1);
  EXPECT_TRUE(events_.empty());
  ASSERT_EQ(out_.events.size(), 1u);
}

TEST_F(XidLedgerTest, TwoSourcesFurtherApartAreTwoErrors) {
  report("nvml", 31, milliseconds{0});
  report("kmsg", 31, milliseconds{2100});
  absorb();
  EXPECT_EQ(errors(31), 2);
}

TEST_F(XidLedgerTest, OneSourceRepeatingItselfIsCountedEachTime) {
  for (int i = 0; i < 3; ++i) report("kmsg", 31, milliseconds{100 * i});
  absorb();
  for (int i = 0; i < 3; ++i) report("nvml", 31, milliseconds{100 * i});
  absorb();
  EXPECT_EQ(errors(31), 3);
}

TEST_F(XidLedgerTest, ALateReportStillFindsItsTwin) {
  report("nvml", 31, seconds{0});
  report("nvml", 31, seconds{30});
  absorb();
  report("kmsg", 31, milliseconds{200});
  absorb();
  EXPECT_EQ(errors(31), 2);
}

TEST_F(XidLedgerTest, CodesAndGpusAreApart) {
  report("nvml", 31, seconds{0});
  report("kmsg", 43, seconds{0});
  report("kmsg", 31, seconds{0}, "0000:1b:00.0");
  absorb();
  EXPECT_EQ(errors(31), 1);
  EXPECT_EQ(errors(43), 1);
  EXPECT_EQ(value_of(publish(), entities_, Metric::gpu_xid_errors,
                     "gpu.vendor=nvidia,gpu.pci.address=0000:1b:00.0,gpu.xid.code=31"),
            1);
}

TEST_F(XidLedgerTest, FallingOffTheBusIsOneErrorHoweverItIsSaid) {
  report("kmsg", 79, milliseconds{0});
  report_fallen_off_bus(milliseconds{1});
  report("nvml", 79, milliseconds{900});
  absorb();
  EXPECT_EQ(errors(79), 1);

  report_fallen_off_bus(seconds{60});
  report("kmsg", 79, seconds{61});
  absorb();
  EXPECT_EQ(errors(79), 2);
}

TEST_F(XidLedgerTest, FallingOffTheBusWithoutACodeCountsAs79) {
  report_fallen_off_bus(seconds{0});
  absorb();
  EXPECT_EQ(errors(79), 1);
  EXPECT_EQ(out_.events.at(0).attribute("gpu.xid.code"), "79");
  EXPECT_EQ(out_.events.at(0).severity, Severity::error);
}

TEST_F(XidLedgerTest, HistoryIsToldButNotCounted) {
  report("kmsg", 79, seconds{-500}, kAddress, {{"history", "true"}});
  absorb();
  ASSERT_EQ(out_.events.size(), 1u);
  EXPECT_EQ(out_.events[0].attribute("history"), "true");
  EXPECT_EQ(out_.events[0].entity, gpu_);
  EXPECT_TRUE(publish().points.empty());
}

TEST_F(XidLedgerTest, TheEventSaysWhatItMeansAndWhatToDo) {
  report("kmsg", 119, seconds{0}, kAddress, {{"process.pid", "77"}, {"process.name", "train"}});
  absorb();
  ASSERT_EQ(out_.events.size(), 1u);
  const Event& event = out_.events[0];
  EXPECT_EQ(event.name, "gpu.xid");
  EXPECT_EQ(event.severity, Severity::error);
  EXPECT_EQ(event.entity, gpu_);
  EXPECT_NE(event.message.find("GSP"), std::string::npos);
  EXPECT_NE(event.message.find("reset"), std::string::npos);
  EXPECT_EQ(event.attribute("gpu.xid.fault"), "driver");
  EXPECT_EQ(event.attribute("gpu.xid.message"), "as the driver said");
  EXPECT_EQ(event.attribute("process.pid"), "77");
  EXPECT_EQ(event.attribute("process.name"), "train");
}

TEST_F(XidLedgerTest, AnUnknownCodeIsCountedAndTold) {
  report("kmsg", 9999, seconds{0});
  absorb();
  EXPECT_EQ(errors(9999), 1);
  EXPECT_EQ(out_.events.at(0).severity, Severity::warning);
}

TEST_F(XidLedgerTest, TheLastErrorIsTheNewestByItsOwnTime) {
  report("kmsg", 43, seconds{5});
  report("kmsg", 31, seconds{3});
  absorb();
  EXPECT_EQ(value_of(publish(), entities_, Metric::gpu_xid_last_error_code, "gpu.uuid=GPU-4"), 43);
  EXPECT_EQ(value_of(out_, entities_, Metric::gpu_xid_last_error_time, "gpu.uuid=GPU-4"),
            1'700'000'005.0);
  EXPECT_EQ(out_.points.at(0).time, kStart + seconds{10});
}

TEST_F(XidLedgerTest, AnEntityWithAnAddressWillDoInPlaceOfTheAddress) {
  events_.push_back({kStart, "gpu.xid.raw", Severity::info, gpu_, "", {{"gpu.xid.code", "48"}}});
  absorb();
  EXPECT_EQ(errors(48), 1);
}

TEST_F(XidLedgerTest, AGpuSeenLaterTakesOverFromItsStandIn) {
  report("kmsg", 31, seconds{0}, "0000:1b:00.0");
  absorb();
  const EntityId stand_in = out_.events.at(0).entity;
  ASSERT_TRUE(entities_.alive(stand_in));

  entities_.intern(EntityKind::gpu, kNoEntity, {{"gpu.uuid", "GPU-1"}, {".pci", "0000:1b:00.0"}});
  EXPECT_EQ(
      value_of(publish(), entities_, Metric::gpu_xid_errors, "gpu.uuid=GPU-1,gpu.xid.code=31"), 1);
  EXPECT_EQ(out_.gone, std::vector{stand_in});
}

TEST_F(XidLedgerTest, CountsOutliveTheGpu) {
  report("kmsg", 79, seconds{0});
  absorb();
  EXPECT_EQ(errors(79), 1);
  entities_.remove(gpu_, [](EntityId) {});
  EXPECT_EQ(value_of(publish(), entities_, Metric::gpu_xid_errors,
                     "gpu.vendor=nvidia,gpu.pci.address=0000:9b:00.0,gpu.xid.code=79"),
            1);
}

TEST_F(XidLedgerTest, OtherEventsPassAndRawOnesWithoutACodeDoNot) {
  events_.push_back({kStart, "something.else", Severity::info, kNoEntity, "", {}});
  events_.push_back({kStart, "gpu.xid.raw", Severity::info, gpu_, "", {{"gpu.xid.code", "x"}}});
  absorb();
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_EQ(events_[0].name, "something.else");
  EXPECT_TRUE(out_.events.empty());
  EXPECT_EQ(ledger_.uncounted(), 1u);
}

TEST_F(XidLedgerTest, MayWorkOnOneBatchForBoth) {
  report("kmsg", 31, seconds{0});
  out_.events = std::move(events_);
  ledger_.absorb(out_.events, out_);
  ASSERT_EQ(out_.events.size(), 1u);
  EXPECT_EQ(out_.events[0].name, "gpu.xid");
}

TEST_F(XidLedgerTest, RecentErrorsAreCountedByClassForTenMinutes) {
  const auto recent = [&](Duration at, const std::string& name) {
    out_.points.clear();
    ledger_.publish(kStart + at, out_);
    return value_of(out_, entities_, Metric::gpu_xid_recent,
                    "gpu.uuid=GPU-4,gpu.xid.class=" + name);
  };
  EXPECT_EQ(recent(seconds{0}, "hardware"), std::nullopt);
  report("nvml", 48, seconds{0});
  report("nvml", 95, seconds{300});
  report("nvml", 31, seconds{300});
  absorb();
  EXPECT_EQ(recent(seconds{310}, "hardware"), 2);
  EXPECT_EQ(recent(seconds{310}, "application"), 1);
  EXPECT_EQ(recent(seconds{601}, "hardware"), 1);
  EXPECT_EQ(recent(seconds{901}, "hardware"), 0) << "still told, so that an alert can resolve";
}

TEST_F(XidLedgerTest, IsBoundedInGpusAndCodes) {
  for (unsigned i = 1; i <= 100; ++i) report("kmsg", i, seconds{0});
  for (int i = 0; i < 300; ++i) report("kmsg", 31, seconds{0}, "x" + std::to_string(i));
  absorb();
  EXPECT_EQ(out_.events.size(), 400u);
  EXPECT_EQ(ledger_.uncounted(), 36u + 45u);
}

}  // namespace
}  // namespace warpsight
