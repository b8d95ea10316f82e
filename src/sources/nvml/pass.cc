#include "sources/nvml/pass.h"

namespace warpsight::nvml {

void Pass::begin(Duration how_often) {
  now = context.clock.now();
  period = how_often;
  out.begin(now, how_often);
}

bool Pass::settle(Reading& reading, abi::Return result) {
  switch (classify(result)) {
    case Outcome::ok: reading.succeeded(); return true;
    case Outcome::unsupported: unsupported(reading, lib.word(result)); return false;
    case Outcome::failed: reading.absent(Absence::failed, lib.word(result), out); return false;
    case Outcome::device_lost:
    case Outcome::driver_gone: halt = result; return false;
  }
  return false;
}

}  // namespace warpsight::nvml
