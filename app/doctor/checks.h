// What doctor looks at besides the sessions: configuration, keys, servers, modules, sandbox,
// disk, locks and log. Each check is a row of a table. A check changes nothing and waits for
// seconds at most.
#pragma once

#include "app/invocation/cli.h"
#include "app/setup/load_config.h"
#include "core/store/backend.h"
#include "core/text/base.h"
#include "providers/catalog/catalog.h"
#include "providers/keys.h"

namespace skein::doctor {

// What the checks look at. All of it must outlive the look.
struct Surroundings {
  const app::Invocation& invocation;
  const config::Config& config;
  const catalog::Catalog& catalog;
  const providers::Keyring& keys;
  std::string home{};                                // the folder of sessions
  std::span<const store::SessionRecord> sessions{};  // none if they cannot be listed
};

struct Finding {
  std::string note{};                   // how things are, in one line
  std::vector<std::string> problems{};  // a sentence each: what is wrong, what to do about it
  std::vector<std::string> details{};   // for those who want to know more
  JsonText facts = "{}";                // an object, for scripts
};

struct Check {
  std::string_view name;
  Finding (*look)(const Surroundings&);
};
std::span<const Check> checks();

Finding look_at_disk(const Surroundings& here);
Finding look_at_locks(const Surroundings& here);

}  // namespace skein::doctor
