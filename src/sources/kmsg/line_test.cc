#include "sources/kmsg/line.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/places.h"

namespace warpsight::kmsg {
namespace {

using Kind = GpuError::Kind;

Record record_in(std::string_view bytes) {
  const auto record = parse_record(bytes);
  EXPECT_TRUE(record) << bytes;
  return record.value_or(Record{});
}

GpuError error_in(std::string_view text) {
  const auto error = parse_gpu_error(text);
  EXPECT_TRUE(error) << text;
  return error.value_or(GpuError{});
}

TEST(KmsgRecord, HasPrioritySequenceTimeAndText) {
  const Record record = record_in("6,1234,5678901,-;hello; world\n SUBSYSTEM=pci\n DEVICE=+x\n");
  EXPECT_EQ(record.priority, 6U);
  EXPECT_EQ(record.sequence, 1234U);
  EXPECT_EQ(record.since_boot, std::chrono::microseconds{5'678'901});
  EXPECT_EQ(record.text, "hello; world");
}

TEST(KmsgRecord, ToleratesFieldsOfLaterKernels) {
  const Record record = record_in("4,9,1,c,caller=T123;text");
  EXPECT_EQ(record.text, "text");
}

TEST(KmsgRecord, IsNothingElse) {
  for (const char* text : {"", ";", " SUBSYSTEM=pci;", "6,1", "6,x,1,-;t", "6,1,-5,-;t", "6,1;t",
                           "99999999999999999999,1,1,-;t"}) {
    EXPECT_FALSE(parse_record(text)) << text;
  }
}

std::string unescaped(std::string_view text) {
  std::string out;
  unescape(text, out);
  return out;
}

TEST(KmsgEscapes, AreResolvedToPlainText) {
  EXPECT_EQ(unescaped("a\\x0ab\\x5cc"), "a\nb\\c");
  EXPECT_EQ(unescaped("tab\\x09bell\\x07"), "tab bell ");
  EXPECT_EQ(unescaped("caf\\xc3\\xa9"), "caf\\xc3\\xa9");
  EXPECT_EQ(unescaped("\xc3\xa9\x01"), "?? ");
  EXPECT_EQ(unescaped("\\x4"), "\\x4");
  EXPECT_EQ(unescaped("\\x"), "\\x");
  EXPECT_EQ(unescaped("\\xzz\\"), "\\xzz\\");
}

TEST(PciAddress, IsWrittenAsSysfsDoes) {
  EXPECT_EQ(normalise_address("PCI:0000:9b:00"), "0000:9b:00.0");
  EXPECT_EQ(normalise_address("0000:03:00"), "0000:03:00.0");
  EXPECT_EQ(normalise_address("PCI:0000:05:00.1"), "0000:05:00.1");
  EXPECT_EQ(normalise_address("0001:00"), "0000:01:00.0");
  EXPECT_EQ(normalise_address("0009:01:00"), "0009:01:00.0");
  EXPECT_EQ(normalise_address("PCI:10001:9B:1F"), "10001:9b:1f.0");
  for (const char* text : {"", "PCI:", "9b", "0000:9b:00:00", "0000:1ff:00", "0000:9b:20", "x:y:z",
                           "0000:9b:00.8", "0000:9b:", "GPU-509665ad"}) {
    EXPECT_EQ(normalise_address(text), "") << text;
  }
}

TEST(GpuErrorLine, XidOfARecentDriver) {
  const GpuError error = error_in(
      "NVRM: Xid (PCI:0000:9b:00): 79, pid=1234, name=python3, GPU has fallen off the bus.");
  EXPECT_EQ(error.kind, Kind::xid);
  EXPECT_EQ(error.code, 79U);
  EXPECT_EQ(error.address, "0000:9b:00.0");
  EXPECT_EQ(error.pid, "1234");
  EXPECT_EQ(error.process, "python3");
  EXPECT_EQ(error.message, "GPU has fallen off the bus.");
}

TEST(GpuErrorLine, XidWhoseProcessTheDriverDidNotKnow) {
  const GpuError error = error_in(
      "NVRM: Xid (PCI:0000:91:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off.");
  EXPECT_EQ(error.pid, "");
  EXPECT_EQ(error.process, "");
  EXPECT_EQ(error.message, "GPU has fallen off.");
}

TEST(GpuErrorLine, XidOfAMigInstance) {
  const GpuError error =
      error_in("NVRM: Xid (PCI:0000:01:00 GPU-I:05): 94, pid=7194, name=a b, Contained: SM (0x1)");
  EXPECT_EQ(error.code, 94U);
  EXPECT_EQ(error.instance, "05");
  EXPECT_EQ(error.process, "a b");
}

TEST(GpuErrorLine, XidOfOlderDrivers) {
  GpuError error = error_in("NVRM: Xid (0000:03:00): 31, Ch 00000010, engmask 00000101");
  EXPECT_EQ(error.code, 31U);
  EXPECT_EQ(error.address, "0000:03:00.0");
  EXPECT_EQ(error.message, "Ch 00000010, engmask 00000101");

  error = error_in("NVRM: Xid (PCI:0000:03:00): 31, pid=77, Ch 00000010");
  EXPECT_EQ(error.pid, "77");
  EXPECT_EQ(error.message, "Ch 00000010");

  error = error_in("NVRM: Xid (0001:00): 13, 0005 00000000");
  EXPECT_EQ(error.address, "0000:01:00.0");

  error = error_in("NVRM: Xid (PCI:0000:03:00): 45");
  EXPECT_EQ(error.code, 45U);
  EXPECT_EQ(error.message, "");
}

TEST(GpuErrorLine, FallenOffTheBusWithoutACode) {
  for (const char* text :
       {"NVRM: GPU at PCI:0000:9b:00 has fallen off the bus",
        "NVRM: GPU 0000:9b:00.0: GPU has fallen off the bus.",
        "NVRM: GPU at 0000:9b:00.0 has fallen off the bus.",
        "NVRM: The NVIDIA GPU 0000:9b:00.0\nNVRM: (PCI ID: 10de:2330) installed in this system "
        "has\nNVRM: fallen off the bus and is not responding to commands."}) {
    const GpuError error = error_in(text);
    EXPECT_EQ(error.kind, Kind::fallen_off_bus) << text;
    EXPECT_EQ(error.address, "0000:9b:00.0") << text;
    EXPECT_EQ(error.code, 0U) << text;
  }
}

TEST(GpuErrorLine, SwitchErrorsOnceEach) {
  const GpuError error =
      error_in("nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 LTSSM Fault Up");
  EXPECT_EQ(error.kind, Kind::sxid);
  EXPECT_EQ(error.code, 20034U);
  EXPECT_EQ(error.unit, "nvidia-nvswitch0");
  EXPECT_EQ(error.address, "0000:05:00.0");
  EXPECT_TRUE(error.fatal);
  EXPECT_EQ(error.message, "Link 30 LTSSM Fault Up");

  const GpuError mild =
      error_in("nvidia-nvswitch3: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32 egress error");
  EXPECT_FALSE(mild.fatal);

  EXPECT_FALSE(
      parse_gpu_error("nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Severity 1 "
                      "Engine instance 60 Sub-engine instance 00"));
  EXPECT_FALSE(parse_gpu_error("nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Data {0x1}"));
}

TEST(GpuErrorLine, OtherLinesAreNone) {
  for (const char* text :
       {"", "NVRM: ", "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.54.15",
        "NVRM: Xid (PCI:0000:9b:00): x", "NVRM: Xid (PCI:0000:9b:00", "NVRM: Xid (): 79, x",
        "NVRM: Xid (PCI:0000:9b:00): 99999999999, x", "NVRM: GPU has fallen off the bus.",
        "usb 1-1: has fallen off the bus 0000:9b:00.0", "relay: NVRM: Xid (PCI:0000:9b:00): 79, x",
        "nvidia-nvswitch0: using MSI",
        "nvidia-nvswitch: a: SXid (PCI:0000:05:00.0): 1, Fatal, x"}) {
    EXPECT_FALSE(parse_gpu_error(text)) << text;
  }
}

std::filesystem::path captures() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing sets the environment here
  if (const char* given = std::getenv("WARPSIGHT_CAPTURES")) return given;
  return std::filesystem::path(WARPSIGHT_SOURCE_DIR) / "../shared/captures";
}

TEST(GpuErrorLine, FindsEveryXidOfARealLog) {
  std::ifstream log(captures() / "leptonai+gpud/dmesg-with-xid-119.log");
  if (!log) GTEST_SKIP() << "no captures: set WARPSIGHT_CAPTURES to their folder";
  std::map<std::string, int> by_process;
  for (std::string line; std::getline(log, line);) {
    const size_t end = line.find("] ");
    ASSERT_NE(end, std::string::npos);
    const auto error = parse_gpu_error(std::string_view(line).substr(end + 2));
    if (!error) continue;
    EXPECT_EQ(error->kind, Kind::xid);
    EXPECT_EQ(error->code, 119U);
    EXPECT_EQ(error->address, "0000:9b:00.0");
    EXPECT_TRUE(error->message.starts_with("Timeout after 6s of waiting for RPC response"));
    ++by_process[std::string(error->process) + "/" + std::string(error->pid)];
  }
  const std::map<std::string, int> expected = {
      {"nvidia-smi/2024380", 3}, {"cache_mgr_main/1263500", 1}, {"gpud/1240590", 1}};
  EXPECT_EQ(by_process, expected);
}

}  // namespace
}  // namespace warpsight::kmsg
