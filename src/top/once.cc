#include "top/once.h"

#include <exception>
#include <thread>
#include <utility>

#include "top/node.h"
#include "top/table.h"
#include "wire/json.h"

namespace warpsight::top {
namespace {

void complain(Told& told, const Reading& reading, const Error& error) {
  told.errors += reading.name + ": " + describe(error) + "\n";
}

}  // namespace

std::vector<Reading> read_once(std::vector<NamedSource> sources) {
  std::vector<Reading> readings;
  readings.reserve(sources.size());
  for (const NamedSource& source : sources) readings.push_back({source.name, std::string()});
  std::vector<std::thread> asking;
  asking.reserve(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    asking.emplace_back([&reading = readings[i], &source = *sources[i].source] {
      try {
        reading.text = source.now();
      } catch (const std::exception& error) {
        reading.text = fail(error.what());
      }
    });
  }
  for (std::thread& thread : asking) thread.join();
  return readings;
}

Told tell_table(const std::vector<Reading>& readings, int width, Charset charset) {
  Told told;
  std::vector<Node> nodes;
  for (const Reading& reading : readings) {
    auto node = reading.text.and_then([](const std::string& text) { return parse_node(text); });
    if (node) {
      nodes.push_back(std::move(*node));
    } else {
      complain(told, reading, node.error());
    }
  }
  told.out = once_text(nodes, width, charset);
  return told;
}

Told tell_json(const std::vector<Reading>& readings) {
  Told told;
  std::string documents;
  for (const Reading& reading : readings) {
    if (!documents.empty()) documents += ",\n";
    // What is no document must not break the array.
    const auto node =
        reading.text.and_then([](const std::string& text) { return parse_node(text); });
    if (node) {
      documents += *reading.text;
      continue;
    }
    complain(told, reading, node.error());
    JsonWriter(documents)
        .begin_object()
        .field("host", reading.name)
        .field("error", describe(node.error()))
        .end_object();
  }
  const bool one = readings.size() == 1;
  if (one && !told.errors.empty()) return told;
  told.out = one ? documents + "\n" : "[" + documents + "]\n";
  return told;
}

}  // namespace warpsight::top
