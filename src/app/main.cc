#include "app/cli.h"
#include "app/cli_completion.h"
#include "app/verbs.h"
#include "core/version.h"

int main(int argc, char** argv) {
  using namespace warpsight;
  const Verb verbs[] = {kRunVerb,     kTopVerb,        kQueryVerb,   kDoctorVerb,      kScrapeVerb,
                        kOwnersVerb,  kRulesVerb,      kMetricsVerb, kCheckConfigVerb, kRecordVerb,
                        kVersionVerb, kCompletionVerb, kHelpVerb,    kProbeVerb};
  const Example examples[] = {
      {"warpsight run", "read what this machine has and serve it on http://127.0.0.1:9465/"},
      {"warpsight run --simulate 8xh100", "the same with eight simulated H100"},
      {"warpsight top", "what goes on, in this terminal"},
      {"warpsight doctor", "what was found, what is missing and what would fix it"},
  };
  const Program program{
      .name = "warpsight",
      .summary = "Sees a GPU node whole and tells the truth about it.",
      .version = kVersion,
      .verbs = verbs,
      .examples = examples,
  };
  return run_program(program, argc, argv);
}
