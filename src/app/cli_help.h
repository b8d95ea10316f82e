// The texts of --help.
#pragma once

#include <string>
#include <string_view>

#include "app/cli.h"

namespace warpsight {

std::string program_help(const Program& program);
std::string verb_help(const Program& program, const Verb& verb);

// `text` in lines of at most `width`, those after the first indented; paragraphs stay apart.
std::string wrap(std::string_view text, std::size_t indent, std::size_t width = 80);

}  // namespace warpsight
