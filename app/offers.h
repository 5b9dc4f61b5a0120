// What the REPL's commands may ask that belongs to no part of the program in particular.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/cli.h"
#include "app/config/config.h"
#include "core/checkpoints/file_keeper.h"
#include "core/store/session_store.h"
#include "core/tools/workspace/further_roots.h"
#include "core/tools/workspace/withheld.h"
#include "repl/session/services.h"

namespace skein::app {

struct ProgramParts {
  const Invocation& invocation;
  const config::Config& config;
  const std::string& workspace;
  std::function<std::string()> model{};  // the one that is asked first
};
// The version, where things are, what is configured, the sandbox.
void offer_program(session::Services& services, const ProgramParts& parts);

// The files that a prompt can name.
void offer_files(session::Services& services, const std::string& workspace,
                 std::shared_ptr<const tools::workspace::Withheld> withheld,
                 std::shared_ptr<tools::workspace::FurtherRoots> further);

void offer_checkpoints(session::Services& services, checkpoints::FileKeeper& keeper,
                       store::SessionStore& store);

// Who else has a session open. Of a home in a database only those on this machine know.
void offer_presence(session::Services& services, const std::string& folder);

}  // namespace skein::app
