// What the model's commands are shut into on this machine; tried out with a command that writes
// where it may and where it may not.
#include "core/tools/sandbox/sandbox.h"

#include <filesystem>

#include "app/doctor/checks.h"
#include "core/text/json.h"
#include "core/tools/sandbox/private_temporary.h"
#include "core/tools/sandbox/process.h"

namespace skein::doctor {

using tools::sandbox::Sandbox;

namespace {

namespace fs = std::filesystem;

// Empty: the walls hold.
std::string what_leaks(Sandbox sandbox) {
  tools::sandbox::PrivateTemporary place;
  const fs::path folder = place.path();
  if (folder.empty()) return "it could not be tried: there is no place for temporary files";
  for (const char* name : {"inside", "outside"}) fs::create_directory(folder / name);
  const tools::sandbox::SandboxSpec cell{.root = (folder / "inside").string()};
  tools::sandbox::Program program{.arguments = {}, .environment = {}};
  Fd rules;
  if (sandbox == Sandbox::bubblewrap) {
    program.arguments = tools::sandbox::bubblewrap_arguments(cell);
  } else {
    rules = tools::sandbox::landlock_rules(cell);
    program.landlock = rules.get();
  }
  program.arguments.insert(
      program.arguments.end(),
      {"/bin/sh", "-c", "echo > \"$0/inside/a\"; echo > \"$0/outside/b\"", folder.string()});
  tools::sandbox::Watch watch;
  watch.time = std::chrono::seconds(2);
  run_program(program, watch);
  if (fs::exists(folder / "outside/b"))
    return "a command could write outside of its folder: do not let commands run unasked here";
  if (!fs::exists(folder / "inside/a")) return "a command could not write where it may";
  return {};
}

}  // namespace

Finding look_at_sandbox(const Surroundings& here) {
  Finding found;
  const bool chosen = here.config.sandbox.has_value();
  const Sandbox sandbox = chosen ? *here.config.sandbox : tools::sandbox::best_sandbox();
  const bool bubblewrap = tools::sandbox::bubblewrap_works();
  const int landlock = tools::sandbox::landlock_version();
  found.note = tools::sandbox::describe(sandbox);
  found.details = {
      std::string("bubblewrap ") + (bubblewrap ? "works here" : "does not work here"),
      landlock > 0 ? "Landlock works here, version " + std::to_string(landlock)
                   : "this kernel has no Landlock",
      "network: " + tools::sandbox::describe_network(sandbox, here.config.sandbox_network),
      "limits: " + tools::sandbox::describe(here.config.command_limits())};

  const bool there = sandbox == Sandbox::bubblewrap ? bubblewrap : landlock > 0;
  if (sandbox == Sandbox::none) {
    if (!chosen) found.problems.push_back(found.note);
  } else if (!there) {
    found.problems.push_back("the configuration wants " +
                             std::string(tools::sandbox::name(sandbox)) +
                             ", which does not work here: no command can run; `sandbox = \"auto\"` "
                             "takes what does");
  } else if (const std::string leak = what_leaks(sandbox); !leak.empty()) {
    found.problems.push_back(std::string(tools::sandbox::name(sandbox)) + ": " + leak);
  }
  found.facts = dump({{"active", tools::sandbox::name(sandbox)},
                      {"note", found.note},
                      {"bubblewrap", bubblewrap},
                      {"landlock", landlock},
                      {"holds", sandbox != Sandbox::none && found.problems.empty()}});
  return found;
}

}  // namespace skein::doctor
