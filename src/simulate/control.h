/* What the fake driver library offers beside NVML's own functions, for tests and for the product
 * to tell a fake from a driver. C, so that it can be found by dlsym. Scenario time is in seconds.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Marks the library as a fake: whatever is read through it is simulated. Returns 1. */
int warpsightFakeNvml(void);

/* The playing scenario's name, or "" before the first nvmlInit. */
const char* warpsightFakeNvmlScenario(void);

/* Plays this scenario text from scenario time 0, in place of WARPSIGHT_SCENARIO; null goes back to
 * the environment's at the next nvmlInit. Returns 0, or -1 with the reason in `error`. Handles,
 * event sets and samples taken before are not to be used on. */
int warpsightFakeNvmlLoad(const char* text, char* error, unsigned length);

/* Scenario time now. */
double warpsightFakeNvmlTime(void);

/* From here on scenario time stands at `seconds` and only warpsightFakeNvmlAdvance moves it. */
void warpsightFakeNvmlManualClock(double seconds);
void warpsightFakeNvmlAdvance(double seconds);

/* How often a function was called since the library was loaded or the counts were reset; all
 * functions together for null. */
unsigned long long warpsightFakeNvmlCalls(const char* function);
void warpsightFakeNvmlResetCalls(void);

/* Lets every call that hangs return (with NVML_ERROR_TIMEOUT), so that a test can join it. */
void warpsightFakeNvmlReleaseHangs(void);

#ifdef __cplusplus
}
#endif
