// Shell completions, generated from the program's tables.
#pragma once

#include <string>

#include "app/cli.h"

namespace warpsight {

std::string bash_completion(const Program& program);
std::string zsh_completion(const Program& program);
std::string fish_completion(const Program& program);

// `warpsight completion bash|zsh|fish`, to be put in the program's table.
int run_completion(const Arguments& arguments);

inline constexpr Example kCompletionExamples[] = {
    {"warpsight completion bash > /etc/bash_completion.d/warpsight", "for every user's bash"},
    {"warpsight completion zsh > \"${fpath[1]}/_warpsight\"", "for zsh"},
    {"warpsight completion fish > ~/.config/fish/completions/warpsight.fish", "for fish"},
};
inline constexpr Verb kCompletionVerb{
    .name = "completion",
    .summary = "Print a shell's completion script",
    .description = "Prints a script that completes verbs, flags and their values.",
    .positional = {.usage = "bash|zsh|fish",
                   .min = 1,
                   .max = 1,
                   .choices = "bash|zsh|fish",
                   .help = "the shell"},
    .examples = kCompletionExamples,
    .run = run_completion,
};

}  // namespace warpsight
