#include "wire/prometheus_text/plain_labels.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace warpsight::prometheus_text {
namespace {

// Behind labels, what a page goes on with: more than any scan wants to see at once.
const std::string kRest = " 1\n" + std::string(200, 'x');

// How many bytes the labels have by each scan; -1 where they are not plain.
long size_by(const LabelScan& scan, std::string_view text) {
  const char* stop = scan.labels_end(text.data(), text.data() + text.size());
  return stop == nullptr ? -1 : stop - text.data();
}

std::string random_labels(std::mt19937& random) {
  std::string labels;
  for (size_t left = random() % 12 + 1; left > 0; --left) {
    labels += "name_" + std::string(random() % 30, 'a') + "0=\"";
    for (size_t size = random() % 90; size > 0; --size) labels += "ab 1,={}:.-\xc3"[random() % 12];
    labels += left > 1 ? "\"," : "\"}";
  }
  return labels;
}

TEST(PlainLabels, EveryScanFindsTheEnd) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string labels = random_labels(random);
    for (const LabelScan& scan : label_scans()) {
      ASSERT_EQ(size_by(scan, labels + kRest), labels.size()) << scan.name << ": " << labels;
    }
  }
}

TEST(PlainLabels, EveryScanSaysTheSameOfBrokenOnes) {
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string labels = random_labels(random);
    for (size_t errors = random() % 2 + 1; errors > 0; --errors) {
      labels[random() % labels.size()] = "\"\\\n=,}{a1_: "[random() % 11];
    }
    labels += kRest;
    const long expected = size_by(label_scans().front(), labels);
    refused += expected < 0 ? 1 : 0;
    for (const LabelScan& scan : label_scans()) {
      ASSERT_EQ(size_by(scan, labels), expected) << scan.name << ": " << labels;
    }
  }
  EXPECT_GT(refused, 5000);
}

// The memory behind the text is not there: a sanitizer tells.
TEST(PlainLabels, NoScanLooksBehindTheEnd) {
  std::mt19937 random(3);
  const std::string labels = random_labels(random) + " 1\n";
  for (size_t size = 0; size < labels.size(); ++size) {
    const std::vector<char> cut(labels.begin(), labels.begin() + static_cast<long>(size));
    for (const LabelScan& scan : label_scans()) {
      EXPECT_LE(size_by(scan, {cut.data(), cut.size()}), static_cast<long>(size)) << scan.name;
    }
  }
}

}  // namespace
}  // namespace warpsight::prometheus_text
