#include "top/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "top/documents_test.h"

namespace warpsight::top {
namespace {

using test::at;
using test::model_of;
using test::NodeShape;
using test::press;
using ::testing::ElementsAre;

std::string selected_gpu(const Model& model) { return model.gpu() ? model.gpu()->id : ""; }

std::vector<std::string> gpu_order(const Model& model) {
  std::vector<std::string> out;
  for (const GpuRow& row : gpu_rows(*model.host().node, model.order(Pane::gpus), model.filter())) {
    out.push_back(row.gpu->index);
  }
  return out;
}

TEST(TopModel, SelectsWithArrowsAndLetters) {
  Model model = model_of({});
  EXPECT_EQ(selected_gpu(model), "GPU-0000");
  press(model, "jj");
  model.press({Key::Kind::down});
  press(model, "k");
  EXPECT_EQ(selected_gpu(model), "GPU-0002");
  model.press({Key::Kind::end});
  press(model, "j");
  EXPECT_EQ(selected_gpu(model), "GPU-0007");
}

TEST(TopModel, SortsByTheNextColumnAndReverses) {
  Model model = model_of({.gpus = 4});
  press(model, "s");
  EXPECT_EQ(model.order(Pane::gpus).by, SortBy::utilization);
  EXPECT_THAT(gpu_order(model), ElementsAre("3", "2", "1", "0"));
  press(model, "r");
  EXPECT_THAT(gpu_order(model), ElementsAre("0", "1", "2", "3"));
  press(model, "sssss");
  EXPECT_EQ(model.order(Pane::gpus).by, SortBy::order);
}

TEST(TopModel, TheSelectedRowStaysSelectedWhereverItIsSortedTo) {
  Model model = model_of({.gpus = 4});
  press(model, "j");
  press(model, "s");
  EXPECT_EQ(selected_gpu(model), "GPU-0001");
}

TEST(TopModel, WhenTheSelectedGpuIsGoneItsNeighbourIsSelected) {
  Model model = model_of({.gpus = 4});
  model.press({Key::Kind::end});
  model.take(0, test::update_of({.gpus = 3, .time = test::kNow + 10}), at(11));
  EXPECT_EQ(selected_gpu(model), "GPU-0002");
}

TEST(TopModel, FilterTakesLettersThatAreKeysOtherwise) {
  Model model = model_of({});
  press(model, "/TRAIN-3q");
  EXPECT_TRUE(model.typing());
  EXPECT_TRUE(gpu_order(model).empty());
  model.press({Key::Kind::backspace});
  model.press({Key::Kind::enter});
  EXPECT_FALSE(model.typing());
  EXPECT_THAT(gpu_order(model), ElementsAre("3"));
  EXPECT_EQ(selected_gpu(model), "GPU-0003");
  model.press({Key::Kind::escape});
  EXPECT_EQ(gpu_order(model).size(), 8U);
}

TEST(TopModel, OpensTheGpuOfWhateverIsSelected) {
  Model model = model_of({.alerts = test::kAlerts, .events = test::kEvents});
  model.press({Key::Kind::enter});
  EXPECT_EQ(model.view(), View::gpu);
  EXPECT_EQ(selected_gpu(model), "GPU-0000");
  model.press({Key::Kind::escape});
  EXPECT_EQ(model.view(), View::node);

  model.press({Key::Kind::tab});
  ASSERT_EQ(model.pane(), Pane::processes);
  press(model, "j");  // by memory: GPUs 3, 7, 2, 6...
  model.press({Key::Kind::enter});
  EXPECT_EQ(selected_gpu(model), "GPU-0007");
  model.press({Key::Kind::escape});

  model.press({Key::Kind::tab});
  model.press({Key::Kind::enter});
  EXPECT_EQ(selected_gpu(model), "GPU-0002");
  model.press({Key::Kind::escape});

  model.press({Key::Kind::tab});
  press(model, "jj");
  model.press({Key::Kind::enter});
  EXPECT_EQ(selected_gpu(model), "GPU-0005");
  model.press({Key::Kind::escape});

  model.press({Key::Kind::tab});
  EXPECT_EQ(model.pane(), Pane::gpus);
  model.press({Key::Kind::back_tab});
  EXPECT_EQ(model.pane(), Pane::events);
}

TEST(TopModel, AnOpenedGpuThatGoesAwayIsNotAnother) {
  Model model = model_of({.gpus = 2});
  press(model, "j");
  model.press({Key::Kind::enter});
  model.take(0, test::update_of({.gpus = 1, .time = test::kNow + 10}), at(11));
  EXPECT_EQ(model.gpu(), nullptr);
}

TEST(TopModel, PauseHoldsTheScreenAndForgetsNothing) {
  Model model = model_of({.gpus = 2});
  press(model, "p");
  model.take(0, test::update_of({.gpus = 3, .time = test::kNow + 10}), at(11));
  EXPECT_EQ(model.host().node->gpus.size(), 2U);
  press(model, "p");
  EXPECT_EQ(model.host().node->gpus.size(), 3U);
}

TEST(TopModel, AgeCountsFromTheLastNewPublishNotFromTheLastAnswer) {
  Model model = model_of({});
  model.take(0, test::update_of({}), at(30));
  EXPECT_EQ(model.host().age(at(31)), 30);
  model.take(0, test::update_of({.time = test::kNow + 10}), at(40));
  EXPECT_EQ(model.host().age(at(41)), 1);
}

TEST(TopModel, WhilePausedTheAgeIsThatOfWhatIsShown) {
  Model model = model_of({});
  press(model, "p");
  for (const int step : {1, 2, 3}) {
    model.take(0, test::update_of({.time = test::kNow + 10 * step}), at(1 + 10 * step));
  }
  EXPECT_EQ(model.host().age(at(32)), 31);
  EXPECT_FALSE(model.host().stale(at(60))) << "it went on publishing";
  EXPECT_TRUE(model.host().stale(at(62)));
  press(model, "p");
  EXPECT_EQ(model.host().age(at(32)), 1);
}

TEST(TopModel, SeveralHostsBeginAsAList) {
  Model model({"a", "b", "c"}, at(0));
  EXPECT_EQ(model.view(), View::hosts);
  press(model, "j");
  model.press({Key::Kind::enter});
  EXPECT_EQ(model.view(), View::node);
  EXPECT_EQ(model.host().name, "b");
  press(model, "nn");
  EXPECT_EQ(model.host().name, "a");
  press(model, "b");
  EXPECT_EQ(model.host().name, "c");
  model.press({Key::Kind::enter});  // nothing is known of it: there is nothing to open
  EXPECT_EQ(model.view(), View::node);
  model.press({Key::Kind::escape});
  EXPECT_EQ(model.view(), View::hosts);
}

TEST(TopModel, QuitsByQ) {
  Model model = model_of({});
  EXPECT_TRUE(model.press({Key::Kind::character, U'x'}));
  EXPECT_FALSE(model.press({Key::Kind::character, U'q'}));
}

TEST(TopModel, ScrollsAnOpenedGpuNoFurtherThanItsEnd) {
  Model model = model_of({.instances = 7});
  model.press({Key::Kind::enter});
  model.resize(80, 24);
  for (int i = 0; i < 100; ++i) press(model, "j");
  const int end = model.scroll();
  EXPECT_GT(end, 0);
  press(model, "k");
  EXPECT_EQ(model.scroll(), end - 1);
}

TEST(TopRows, InstancesStayBehindTheirGpuInEveryOrder) {
  const auto node = parse_node(test::document({.gpus = 2, .instances = 2}));
  std::vector<std::string> order;
  for (const GpuRow& row : gpu_rows(*node, {.by = SortBy::memory}, {}))
    order.push_back(row.gpu->index);
  EXPECT_THAT(order, ElementsAre("1", "1/1", "1/0", "0", "0/1", "0/0"));
}

TEST(TopRows, AFilteredInstanceBringsItsGpu) {
  const auto node = parse_node(test::document({.gpus = 3, .instances = 2}));
  std::vector<std::string> order;
  for (const GpuRow& row : gpu_rows(*node, {}, "mig-0001-1")) order.push_back(row.gpu->index);
  EXPECT_THAT(order, ElementsAre("1", "1/1"));
}

TEST(TopRows, WhatHasNoValueComesLastInBothDirections) {
  const auto node =
      parse_node(R"({"gpus":[{"id":"a","values":{}},{"id":"b","values":{"gpu.utilization":0}},
                                           {"id":"c","values":{"gpu.utilization":0.5}}]})");
  const auto order = [&](bool reversed) {
    std::string out;
    for (const GpuRow& row : gpu_rows(*node, {SortBy::utilization, reversed}, {})) out += row.key;
    return out;
  };
  EXPECT_EQ(order(false), "cba");
  EXPECT_EQ(order(true), "bca");
}

}  // namespace
}  // namespace warpsight::top
