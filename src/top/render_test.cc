// Whole screens, compared as text with the files of golden/. To write those anew after a wanted
// change: WARPSIGHT_UPDATE_GOLDEN=1, and look at what changed.
#include "top/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/places.h"
#include "top/documents_test.h"

namespace warpsight::top {
namespace {

using test::at;
using test::model_of;
using test::NodeShape;
using test::press;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

struct Size {
  int width, height;
};

class TopScreen : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "UTC", 1);
    tzset();
  }

  static std::string drawn(Model& model, Size size, Charset charset = Charset::utf8) {
    model.resize(size.width, size.height);
    Canvas canvas(size.width, size.height, charset);
    render(model, canvas);
    return canvas.text();
  }

  static void compare(const std::string& name, const std::string& screen) {
    const std::string path = std::string(WARPSIGHT_SOURCE_DIR) + "/src/top/golden/" + name + ".txt";
    if (std::getenv("WARPSIGHT_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << screen;
    std::ostringstream golden;
    golden << std::ifstream(path).rdbuf();
    EXPECT_EQ(screen, golden.str()) << name;
  }
};

NodeShape busy() { return {.simulated = true, .alerts = test::kAlerts, .events = test::kEvents}; }

// With ten minutes of history that rises and falls.
Model with_history() {
  Model model({"node7"}, at(0));
  for (int step = 60; step >= 0; --step) {
    NodeShape shape = busy();
    shape.time = test::kNow - 10 * step;
    Update update = test::update_of(shape);
    for (Gpu& gpu : update.node->gpus) {
      gpu.values["gpu.utilization"] = 0.5 + 0.5 * std::sin(step / 5.0);
    }
    if (step < 30 && step > 20) continue;  // it was not there
    model.take(0, std::move(update), at(600 - 10 * step));
  }
  model.tick(at(603));
  return model;
}

TEST_F(TopScreen, EightGpus) {
  Model model = with_history();
  compare("eight_80x24", drawn(model, {80, 24}));
  compare("eight_120x40", drawn(model, {120, 40}));
  compare("eight_200x60", drawn(model, {200, 60}));
  compare("eight_60x12", drawn(model, {60, 12}));
  compare("eight_ascii_120x40", drawn(model, {120, 40}, Charset::ascii));
}

TEST_F(TopScreen, AsciiIsAscii) {
  Model model = with_history();
  for (const char c : drawn(model, {120, 40}, Charset::ascii)) {
    ASSERT_TRUE(c == '\n' || (c >= ' ' && c < 0x7f));
  }
}

TEST_F(TopScreen, OneGpuOpened) {
  Model model = with_history();
  model.press({Key::Kind::enter});
  compare("gpu_80x24", drawn(model, {80, 24}));
  compare("gpu_120x40", drawn(model, {120, 40}));
  model.resize(80, 24);
  model.press({Key::Kind::end});
  EXPECT_THAT(drawn(model, {80, 24}), HasSubstr("GPU 0 is too hot"));
}

TEST_F(TopScreen, FiftySixInstances) {
  Model model = model_of({.instances = 7, .engines = false});
  compare("mig_120x40", drawn(model, {120, 40}));
  model.press({Key::Kind::end});
  EXPECT_THAT(drawn(model, {80, 24}), HasSubstr("›7/6"));
  model.press({Key::Kind::home});
  model.press({Key::Kind::enter});
  compare("mig_gpu_120x40", drawn(model, {120, 40}));
}

TEST_F(TopScreen, LostGpu) {
  Model model = model_of({.gpus = 7, .lost = 1, .events = test::kEvents});
  compare("lost_80x24", drawn(model, {80, 24}));
}

TEST_F(TopScreen, NothingThere) {
  Model model = model_of({.gpus = 0, .engines = false});
  compare("nothing_80x24", drawn(model, {80, 24}));
}

TEST_F(TopScreen, LongAndForeignNames) {
  Model model = model_of({.gpus = 2,
                          .owner = "a-namespace-with-a-long-name/" + std::string(300, 'x') + "-{}",
                          .process = "学習プロセス-é-прогон"});
  compare("names_120x40", drawn(model, {120, 40}));
  compare("names_ascii_80x24", drawn(model, {80, 24}, Charset::ascii));
}

TEST_F(TopScreen, SeveralHostsOneOfThemDead) {
  Model model({"node7", "node8", "node9"}, at(0));
  NodeShape shape = busy();
  model.take(0, test::update_of(shape), at(1));
  model.take(2, test::update_of({.host = "node9", .gpus = 4, .instances = 7, .lost = 1}), at(1));
  const Error refused{"node8:9465: connection refused", "is the agent running?"};
  model.take(1, {.node = tl::unexpected(refused)}, at(2));
  model.tick(at(90));
  model.take(0, test::update_of(busy()), at(88));
  shape.time += 10;
  model.take(0, test::update_of(shape), at(89));
  model.tick(at(90));
  compare("hosts_120x40", drawn(model, {120, 40}));
  model.press({Key::Kind::down});
  model.press({Key::Kind::enter});
  compare("dead_80x24", drawn(model, {80, 24}));
  press(model, "b");
  EXPECT_THAT(drawn(model, {80, 24}), HasSubstr(" node7  1/3"));
}

TEST_F(TopScreen, AHostThatStopsPublishingGrowsOldLoudly) {
  Model model = model_of({});
  model.tick(at(1 + 95));
  EXPECT_THAT(drawn(model, {120, 40}), HasSubstr("age 1m35s"));
  EXPECT_TRUE(model.host().stale(model.now()));
  model.take(0, {.node = fail("no answer within 5 s")}, at(97));
  const std::string screen = drawn(model, {120, 40});
  EXPECT_THAT(screen, HasSubstr("no answer within 5 s"));
  EXPECT_THAT(screen, HasSubstr("ml/train-7/worker")) << "what was known stays";
}

TEST_F(TopScreen, WhatIsAbsentIsNeverZero) {
  Model model({"a"}, at(0));
  model.take(0, {.node = parse_node(R"({"gpus":[{"id":"G","index":"0","model":"M"}],
    "engines":[{"id":"e","engine":"vllm","up":true,"models":[{"name":"m"}]}]})")},
             at(1));
  const std::string screen = drawn(model, {120, 40});
  EXPECT_THAT(screen, Not(HasSubstr("0%")));
  EXPECT_THAT(screen, Not(HasSubstr("0W")));
  EXPECT_THAT(screen, Not(HasSubstr("0.0G")));
  EXPECT_THAT(screen, HasSubstr("utilisation –"));
}

TEST_F(TopScreen, AnOwnerOfWhoseUseNothingIsKnown) {
  Model model({"a"}, at(0));
  model.take(0, {.node = parse_node(R"({"time":1731700000,"gpus":[{"id":"G","owners":[
    {"name":"a/b","since":1731699000,"busy":null,"energy":null}]}]})")},
             at(1));
  model.press({Key::Kind::enter});
  const std::string screen = drawn(model, {120, 40});
  EXPECT_THAT(screen, ContainsRegex("a/b .*19:30:00 +– +– +– +–"));
}

TEST_F(TopScreen, TimesOfAnotherDayHaveADate) {
  Model model({"a"}, at(0));
  model.take(0, {.node = parse_node(R"({"time":1731700000,"gpus":[{"id":"G","owners":[
    {"name":"a/b","kind":"pod","since":1731600000}]}],
    "alerts":[{"id":"x","name":"Hot","state":"firing","since":1700000000}],
    "events":[{"time":1731699000,"name":"now"},{"time":1731605000,"name":"then"}]})")},
             at(1));
  const std::string node = drawn(model, {120, 40});
  EXPECT_THAT(node, HasSubstr("2023-11-14 "));
  EXPECT_THAT(node, HasSubstr("19:30:00 "));
  EXPECT_THAT(node, HasSubstr("11-14 17:23 "));
  model.press({Key::Kind::enter});
  for (const int width : {60, 80, 120}) {
    const std::string gpu = drawn(model, {width, 24});
    EXPECT_TRUE(gpu.find("11-14") == std::string::npos ||
                gpu.find("11-14 16:00 ") != std::string::npos)
        << "cut off:\n"
        << gpu;
  }
  EXPECT_THAT(drawn(model, {120, 24}), HasSubstr("11-14 16:00 "));
}

TEST_F(TopScreen, HelpLiesOverTheScreenAndAnyKeyClosesIt) {
  Model model = with_history();
  const std::string before = drawn(model, {80, 24});
  press(model, "?");
  compare("help_80x24", drawn(model, {80, 24}));
  press(model, "x");
  EXPECT_EQ(drawn(model, {80, 24}), before);
}

TEST_F(TopScreen, TooSmallSaysSo) {
  Model model = model_of({});
  EXPECT_EQ(drawn(model, {30, 2}), "too small: 30×2 of 60×12\n\n");
  drawn(model, {1, 1});
}

TEST_F(TopScreen, EverySizeCanBeDrawn) {
  Model model = with_history();
  for (const bool opened : {false, true}) {
    if (opened) model.press({Key::Kind::enter});
    for (int width = 58; width < 230; width += 7) {
      for (int height = 10; height < 70; height += 3) drawn(model, {width, height});
    }
  }
}

TEST_F(TopScreen, SimulatedIsNeverCutOff) {
  NodeShape shape = busy();
  shape.host = std::string(200, 'h');
  Model model = model_of(shape);
  EXPECT_THAT(drawn(model, {60, 12}), HasSubstr("SIMULATED 8xh100"));
}

}  // namespace
}  // namespace warpsight::top
