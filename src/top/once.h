// One reading of every host, told once.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "top/canvas.h"
#include "top/source.h"
#include "top/top.h"

namespace warpsight::top {

struct Reading {
  std::string name;          // of the host, as asked for
  Result<std::string> text;  // the document
};

// All hosts at the same time.
std::vector<Reading> read_once(std::vector<NamedSource> sources);

// What --once and --json print, and what there is to complain of.
struct Told {
  std::string out;
  std::string errors;
};

Told tell_table(const std::vector<Reading>& readings, int width, Charset charset);
Told tell_json(const std::vector<Reading>& readings);

}  // namespace warpsight::top
