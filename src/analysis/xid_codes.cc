#include "analysis/xid_codes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace warpsight {
namespace {

using enum XidFault;
using enum Severity;

constexpr std::string_view kNothing = "nothing to do";
constexpr std::string_view kRestart =
    "restart the application; if it comes back with other applications, run diagnostics";
constexpr std::string_view kDebug =
    "run the application under compute-sanitizer; if it is clean there, suspect driver or GPU";
constexpr std::string_view kReport = "update the driver; if it stays, report it to NVIDIA";
constexpr std::string_view kReset = "reset the GPU; if it returns, ask the hardware vendor";
constexpr std::string_view kResetSoon =
    "applications may go on; reset the GPU when it is convenient";
constexpr std::string_view kPowerCycle =
    "reset the GPU or power-cycle the node; if it returns, update driver and firmware";
constexpr std::string_view kReplace = "ask the hardware vendor; the board may need replacement";
constexpr std::string_view kLink =
    "look at XID 154 for the recovery asked for, and at the fabric manager's and switches' logs";

constexpr std::string_view kCopyEngine = "exception in a copy engine";
constexpr std::string_view kDecoder = "exception in a video decoder";
constexpr std::string_view kEncoder = "exception in a video encoder";
constexpr std::string_view kJpeg = "exception in a JPEG decoder";
constexpr std::string_view kOpticalFlow = "exception in the optical-flow engine";

constexpr XidCode kCodes[] = {
    {8, application, warning, "a channel made no progress: the GPU stopped processing", kRestart},
    {11, application, warning, "invalid or corrupted command stream", kDebug},
    {13, application, warning,
     "exception in the compute or graphics engine, often an access out of bounds", kDebug},
    {25, application, warning, "illegal command stream", kDebug},
    {31, application, warning, "page fault: a kernel touched an address that is not mapped",
     kDebug},
    {32, hardware, warning, "corrupted command stream seen by the DMA controller",
     "check the PCIe link (replays, seating, risers); restart the application"},
    {37, driver, info, "firmware was asked for something it does not know", kReport},
    {38, driver, warning, "firmware watchdog ran out", kReport},
    {39, application, warning, kCopyEngine, kRestart},
    {40, application, warning, kCopyEngine, kRestart},
    {41, application, warning, kCopyEngine, kRestart},
    {43, application, warning,
     "the application hit a fault of its own and lost its channel; the GPU is healthy",
     "look into the application"},
    {44, driver, warning, "fault of the graphics engine while it switched contexts", kReport},
    {45, application, info,
     "channels removed because the application ended or after an earlier error",
     "follow the XID before it; alone it is a killed application or a reset"},
    {46, driver, error, "the GPU did not answer in time", kReset},
    {47, application, warning, kEncoder, kRestart},
    {48, hardware, error, "ECC error that cannot be corrected (double bit)",
     "reset the GPU; replace it when the SRAM threshold is passed or remapping fails"},
    {54, hardware, error, "auxiliary power is not connected", "check the board's power cables"},
    {56, driver, warning, "error of the display engine", kReport},
    {57, hardware, error, "the memory interface could not be trained", kReplace},
    {58, hardware, error, "the memory interface is unstable", kReplace},
    {59, driver, error, "error of the internal micro-controller", kReset},
    {60, driver, warning, "exception in the security or video processor", kRestart},
    {61, driver, error, "the internal micro-controller stopped at a breakpoint", kReset},
    {62, hardware, error, "the internal micro-controller halted", kReset},
    {63, hardware, warning, "a memory row was marked for remapping, or a page retired", kResetSoon},
    {64, hardware, error, "a row could not be remapped, or a page not retired", kReset},
    {65, application, warning, kEncoder, kRestart},
    {66, driver, warning, "the driver touched a register it may not", kReport},
    {67, driver, warning, "the driver touched what it may not", kReport},
    {68, application, warning, kDecoder, kRestart},
    {69, application, warning, "a method the graphics class does not have", kDebug},
    {70, application, warning, kCopyEngine, kRestart},
    {71, application, warning, kCopyEngine, kRestart},
    {72, application, warning, kCopyEngine, kRestart},
    {73, application, warning, kEncoder, kRestart},
    {74, fabric, error, "error of an NVLink, which may have its cause at the other end",
     "see nvidia-smi nvlink for the link; reset the GPU; check the peer, bridge or switch"},
    {75, application, warning, kCopyEngine, kRestart},
    {76, application, warning, kCopyEngine, kRestart},
    {77, application, warning, kCopyEngine, kRestart},
    {78, driver, warning, "a vGPU could not be started",
     "bring host and guest drivers to versions that fit"},
    {79, hardware, error, "the GPU has fallen off the PCIe bus: the driver cannot reach it",
     "drain and power-cycle the node; check power, PCIe errors and seating; replace if it returns"},
    {80, hardware, warning, "data arrived at the GPU corrupted",
     "restart the application; check PCIe link and host memory"},
    {81, hardware, warning, "error of the VGA subsystem", kReplace},
    {82, application, warning, kJpeg, kRestart},
    {83, application, warning, kDecoder, kRestart},
    {84, application, warning, kDecoder, kRestart},
    {85, application, warning, kCopyEngine, kRestart},
    {86, application, warning, kOpticalFlow, kRestart},
    {88, application, warning, kDecoder, kRestart},
    {89, application, warning, kDecoder, kRestart},
    {92, hardware, warning, "many correctable ECC errors",
     "watch row remapping and uncorrectable errors; run diagnostics at the next chance"},
    {93, driver, warning, "the InfoROM was not written: its set wear limit is reached",
     "lift the limit that was set with nvflash"},
    {94, hardware, warning, "uncorrectable memory error, contained: one application lost",
     "restart that application; reset the GPU when it is convenient"},
    {95, hardware, error, "uncorrectable memory error, not contained: any application may be hit",
     "drain and reset the GPU before anything else runs on it"},
    {96, application, warning, kDecoder, kRestart},
    {97, application, warning, kDecoder, kRestart},
    {98, application, warning, kDecoder, kRestart},
    {99, application, warning, kJpeg, kRestart},
    {100, application, warning, kJpeg, kRestart},
    {101, application, warning, kJpeg, kRestart},
    {102, application, warning, kJpeg, kRestart},
    {103, application, warning, kJpeg, kRestart},
    {104, application, warning, kJpeg, kRestart},
    {105, application, warning, kJpeg, kRestart},
    {106, information, info, "test message of out-of-band management", kNothing},
    {107, information, info, "silent test message of out-of-band management", kNothing},
    {109, driver, error, "a context switch did not end in time", kReset},
    {110, hardware, error, "security fault",
     "undo recent hardware changes and power-cycle the node; if it returns, ask the vendor"},
    {119, driver, error, "the GPU's system processor (GSP) did not answer a call", kPowerCycle},
    {120, driver, error, "error in the firmware of the GPU's system processor (GSP)", kPowerCycle},
    {121, fabric, warning, "corrected errors on the chip-to-chip link to the Grace CPU",
     kResetSoon},
    {122, hardware, warning, "reading the board's flash failed", kReport},
    {123, hardware, warning, "writing the board's flash failed", kReport},
    {124, hardware, warning, "erasing the board's flash failed", kReport},
    {125, hardware, warning, "error in the InfoROM's file system", kReplace},
    {126, application, warning, kCopyEngine, kRestart},
    {127, application, warning, kCopyEngine, kRestart},
    {128, application, warning, kCopyEngine, kRestart},
    {129, application, warning, kCopyEngine, kRestart},
    {130, application, warning, kCopyEngine, kRestart},
    {131, application, warning, kCopyEngine, kRestart},
    {132, application, warning, kCopyEngine, kRestart},
    {133, application, warning, kCopyEngine, kRestart},
    {134, application, warning, kCopyEngine, kRestart},
    {135, application, warning, kCopyEngine, kRestart},
    {136, fabric, error, "an NVLink could not be trained",
     "reset the GPU; if it returns, check the link's signal, bridge or switch"},
    {137, application, warning, "fault at the far end of an NVLink: illegal peer access", kDebug},
    {139, application, warning, kOpticalFlow, kRestart},
    {140, hardware, error, "uncorrectable memory error that escaped remapping", kReset},
    {141, driver, info, "error on CUDA's fast path", kReport},
    {142, application, warning, kEncoder, kRestart},
    {143, hardware, error, "the GPU could not be initialised", kReset},
    {144, fabric, warning, "NVLink 5 error (SAW)", kLink},
    {145, fabric, warning, "NVLink 5 error (RLW)", kLink},
    {146, fabric, warning, "NVLink 5 error (TLW)", kLink},
    {147, fabric, warning, "NVLink 5 error (TREX)", kLink},
    {148, fabric, warning, "NVLink 5 error (NVLPW_CTRL)", kLink},
    {149, fabric, warning, "NVLink 5 error (NETIR)", kLink},
    {150, fabric, warning, "NVLink 5 error (MSE)", kLink},
    {151, driver, error, "key rotation failed (confidential computing)",
     "restart the virtual machine"},
    {152, driver, warning, "memory fault of a deep-learning accelerator (DLA)", kReport},
    {153, driver, warning, "a deep-learning accelerator (DLA) did not answer in time", kReport},
    {154, information, warning, "the driver asks for another recovery action than before",
     "do what the message names: drain, reset the GPU or reboot the node"},
    {155, fabric, warning, "an NVLink was taken down on purpose",
     "reset the GPU unless the link was meant to go down"},
    {156, hardware, warning, "a faulty part of the GPU is marked for retirement",
     "drain and reset the GPU to complete it"},
    {157, hardware, warning, "a faulty part could not be retired: no spare is left",
     "applications may go on, but expect it again; ask the hardware vendor"},
    {158, hardware, error, "fatal timeout inside the GPU", kReset},
    {159, hardware, warning, "error on the coherent link between CPU and GPU",
     "follow the XIDs around it; alone, report it to NVIDIA"},
    {160, hardware, info, "a channel was retired", kReport},
    {161, hardware, warning, "a channel could not be retired", kReport},
    {162, information, info, "power smoothing is engaged again", kNothing},
    {163, thermal, warning, "power smoothing is off, because of heat or a timeout",
     "cool the node; after a timeout reload the driver or reset the GPU"},
    {164, hardware, warning, "the power-smoothing circuit nears the end of its life",
     "plan the GPU's replacement if power swings matter"},
    {165, hardware, warning, "the power-smoothing circuit is worn out; smoothing stays off",
     "replace the GPU if power swings matter"},
    {166, fabric, warning, "traffic on an NVLink before its encryption was set up",
     "confidential computing only: report it to NVIDIA"},
    {167, hardware, error, "fatal timeout on PCIe", kReset},
    {168, hardware, warning, "faults in protected memory reduced what can be used",
     "switch ECC on, so that rows can be remapped"},
    {169, hardware, error, "the security micro-controller halted", kReset},
    {170, fabric, warning, "unexpected NVLink interrupt in confidential-computing mode", kReport},
    {171, hardware, error, "details of XID 48: the uncorrectable error is in DRAM", "as XID 48"},
    {172, hardware, error, "details of XID 48: the uncorrectable error is in SRAM", "as XID 48"},
};
static_assert(std::ranges::is_sorted(kCodes, std::ranges::less_equal{}, &XidCode::code));

}  // namespace

std::span<const XidCode> xid_codes() { return kCodes; }

const XidCode* find_xid(unsigned code) {
  const auto* const found = std::ranges::lower_bound(kCodes, code, {}, &XidCode::code);
  return found != std::end(kCodes) && found->code == code ? found : nullptr;
}

std::string_view to_string(XidFault fault) {
  switch (fault) {
    case application: return "application";
    case driver: return "driver";
    case hardware: return "hardware";
    case thermal: return "thermal";
    case fabric: return "fabric";
    case information: return "information";
  }
  return {};
}

std::string xid_markdown() {
  std::string out =
      "# XID codes\n\n"
      "The NVIDIA driver numbers what goes wrong on a GPU. Warpsight reads these numbers from\n"
      "NVML and from the kernel log, counts them in `gpu.xid.errors` by GPU and code, and tells\n"
      "each as an event `gpu.xid` with the meaning and the action below. The same code of the\n"
      "same GPU within two seconds from both places is one error. What the kernel log held\n"
      "before the agent first started is told, with `history=true`, but not counted.\n\n"
      "*Usual fault* is who is to blame more often than not, not a verdict. Codes that are not\n"
      "listed are counted and told all the same. Severity *error* means that the GPU is of no\n"
      "use, or not to be trusted, until someone acts.\n\n"
      "Generated by `warpsight metrics --xids`; do not edit.\n\n"
      "| XID | Severity | Usual fault | Meaning | What to do |\n"
      "| ---: | --- | --- | --- | --- |\n";
  for (const XidCode& xid : kCodes) {
    fmt::format_to(std::back_inserter(out), "| {} | {} | {} | {} | {} |\n", xid.code,
                   to_string(xid.severity), to_string(xid.fault), xid.meaning, xid.action);
  }
  return out;
}

}  // namespace warpsight
