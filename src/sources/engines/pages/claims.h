// Who speaks for a model where several pages tell of it: the engine itself before one that
// re-exports its names, that one before a gateway. Several of the same rank all speak: they are
// replicas.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/clock.h"

namespace warpsight::engines {

enum class Standing : uint8_t { engine, re_export, gateway };

class Claims {
 public:
  // With `others`, pages of others may be read after this one: who is not the engine itself waits
  // for its second page before it speaks.
  explicit Claims(bool others = false) : others_(others) {}

  // A page has the model. Stands for `lasting` from `now`.
  void claim(const void* page, std::string_view model, Standing standing, Time now,
             Duration lasting);
  void withdraw(const void* page);

  // Whether nobody of better standing claims the model now.
  bool speaks(const void* page, std::string_view model, Standing standing, Time now) const;

 private:
  struct Claim {
    Standing standing;
    Time since;
    Time until;
  };

  void forget_lapsed(Time now);
  template <typename Which>
  void erase_claims(const Which& which);

  // By model, then by page and standing.
  std::map<std::string, std::map<std::pair<const void*, Standing>, Claim>, std::less<>> claims_;
  bool others_;
  Time swept_{};  // when lapsed claims were last forgotten
};

}  // namespace warpsight::engines
