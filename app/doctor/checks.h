// What doctor looks at besides the sessions: configuration, keys, servers, modules, sandbox,
// terminal, disk, locks, clock, log. Each is a row of a table and a file of its own. They look and
// change nothing, and none of them waits for longer than a second.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli.h"
#include "app/load_config.h"
#include "core/store/backend.h"
#include "core/text/base.h"
#include "providers/catalog/catalog.h"
#include "providers/keys.h"

namespace skein::doctor {

// What there is to look at. All of it must outlive the look.
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

Finding look_at_configuration(const Surroundings& here);
Finding look_at_keys(const Surroundings& here);
Finding look_at_servers(const Surroundings& here);
Finding look_at_modules(const Surroundings& here);
Finding look_at_sandbox(const Surroundings& here);
Finding look_at_terminal(const Surroundings& here);
Finding look_at_disk(const Surroundings& here);
Finding look_at_locks(const Surroundings& here);
Finding look_at_clock(const Surroundings& here);
Finding look_at_log(const Surroundings& here);

}  // namespace skein::doctor
