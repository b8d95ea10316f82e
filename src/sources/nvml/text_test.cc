#include "sources/nvml/text.h"

#include <gtest/gtest.h>

#include <string>

namespace warpsight::nvml {
namespace {

std::string clean(std::string text) { return std::string(clean_text(text)); }

TEST(NvmlText, GoodTextStaysAndLosesTheBlanksAroundIt) {
  EXPECT_EQ(clean("NVIDIA H200"), "NVIDIA H200");
  EXPECT_EQ(clean("  G520.0282.02.02 "), "G520.0282.02.02");
  EXPECT_EQ(clean("Grafikkarte ä™"), "Grafikkarte ä™");
  EXPECT_EQ(clean(""), "");
  EXPECT_EQ(clean("   "), "");
}

TEST(NvmlText, ControlAndBrokenBytesBecomeQuestionMarks) {
  EXPECT_EQ(clean("a\x01"
                  "b\x1b[31m"),
            "a?b?[31m");
  EXPECT_EQ(clean("x\xff\xfey"), "x??y");
  EXPECT_EQ(clean("x\xc3"), "x?");
  EXPECT_EQ(clean("x\xed\xa0\x80y"), "x???y");
  EXPECT_EQ(clean("x\xc2\x85y"), "x??y");
}

TEST(NvmlText, EndsAtTheFirstNulOrAtTheEndOfTheBuffer) {
  char terminated[8] = {'a', 'b', '\0', 'c', 'd', '\0', 'e', 'f'};
  EXPECT_EQ(clean_text(terminated), "ab");
  char full[3] = {'a', 'b', 'c'};
  EXPECT_EQ(clean_text(full), "abc");
}

TEST(NvmlText, PciAddressesAreWrittenAsSysfsDoes) {
  EXPECT_EQ(normal_pci_address("00000000:06:00.0"), "0000:06:00.0");
  EXPECT_EQ(normal_pci_address("0000:DF:00.0"), "0000:df:00.0");
  EXPECT_EQ(normal_pci_address("00010000:01:1F.7"), "10000:01:1f.7");
  for (const char* bad : {"", "06:00.0", "0000:06:00", "0000:06:00.0x", "0000:1ff:00.0", "????"}) {
    EXPECT_EQ(normal_pci_address(bad), "") << bad;
  }
}

}  // namespace
}  // namespace warpsight::nvml
