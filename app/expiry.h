// Sessions that are archived or thrown away because nobody has used them for long: only if the
// configuration says so, at most once a day, told at the prompt before it happens, and done when
// skein ends.
#pragma once

#include <string>
#include <vector>

#include "app/load_config.h"
#include "core/store/expiry.h"

namespace skein::app {

store::ExpiryRules expiry_rules(const config::Config& config);

class Expiry {
 public:
  // `stamp` is the file that remembers when it was last done; empty: it is not done at all. The
  // store must outlive this.
  Expiry(const config::Config& config, store::SessionStore& store, std::string stamp)
      : config_(config), store_(store), stamp_(std::move(stamp)) {}

  // What will be done to which sessions; empty: nothing, or it has been told.
  std::string announce(Id open);
  // Does what was announced, as far as two seconds reach; what was done.
  std::string act();

 private:
  bool is_due() const;
  void remember() const;

  const config::Config& config_;
  store::SessionStore& store_;
  std::string stamp_;
  bool asked_ = false;
  std::vector<store::Expiring> planned_{};
};

}  // namespace skein::app
