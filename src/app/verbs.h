// The verbs of the command line, one file each.
#pragma once

#include "app/cli.h"

namespace warpsight {

extern const Verb kRunVerb;
extern const Verb kDoctorVerb;
extern const Verb kMetricsVerb;
extern const Verb kCheckConfigVerb;
extern const Verb kRecordVerb;
extern const Verb kScrapeVerb;
extern const Verb kOwnersVerb;
extern const Verb kQueryVerb;
extern const Verb kRulesVerb;
extern const Verb kTopVerb;
extern const Verb kVersionVerb;
extern const Verb kProbeVerb;

}  // namespace warpsight
