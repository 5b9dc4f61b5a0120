#include "app/doctor/checks.h"

#include "app/setup/project_files.h"
#include "app/setup/user_hooks.h"
#include "core/process/environment.h"
#include "core/process/private_temporary.h"
#include "core/process/side_by_side.h"
#include "core/text/json.h"
#include "core/text/module.h"
#include "core/text/request_text.h"
#include "core/text/text.h"
#include "providers/detect.h"
#include "providers/request.h"

namespace skein::doctor {

namespace {

bool wants_key(const catalog::ProviderRow& row) {
  return row.key_needed && !row.local && row.auth != catalog::Auth::none;
}

// The model the configuration or a flag asks for, without what it needs.
std::string chosen_without_key(const Surroundings& here) {
  if (here.config.model.empty()) return {};
  const std::string_view name = here.config.model;
  try {
    const model::ModelRef ref = here.catalog.parse(name);
    const catalog::ProviderRow* row = here.catalog.find_provider(ref.provider);
    if (row == nullptr || !wants_key(*row) ||
        !here.keys.source(providers::key_sources(*row)).empty())
      return {};
    return "the model is " + model::to_string(ref) +
           ", but there is no key for it: " + providers::how_to_give_key(*row);
  } catch (const Error& error) {
    return error.what();
  }
}

using providers::LocalServer;

// Sets a flag when the time is over, unless it ends before.
class Patience {
 public:
  explicit Patience(std::chrono::milliseconds time)
      : watch_([this, time](const std::stop_token& ended) {
          std::unique_lock lock(mutex_);
          if (!sleeping_.wait_for(lock, ended, time, [] { return false; }) &&
              !ended.stop_requested())
            over_ = true;
        }) {}
  const std::atomic<bool>* over() const { return &over_; }

 private:
  std::mutex mutex_{};
  std::condition_variable_any sleeping_{};
  std::atomic<bool> over_ = false;
  std::jthread watch_;  // last: it uses the others
};

const LocalServer* server_of(const std::vector<LocalServer>& all, std::string_view provider) {
  const auto found = std::ranges::find(all, provider, &LocalServer::provider);
  return found == all.end() ? nullptr : &*found;
}

bool is_loopback(std::string_view url) {
  return url.starts_with("http://127.") || url.starts_with("http://localhost");
}

struct Found {
  std::vector<LocalServer> listening{};  // on this machine, whatever they are
  std::vector<LocalServer> naming{};     // model servers
};
Found look_for_servers(const catalog::Catalog& catalog) {
  Found found{.listening = providers::listening_servers(catalog)};
  const Patience patience(std::chrono::seconds(1));
  const model::Ports ports{.stop = patience.over()};
  try {
    if (!found.listening.empty()) found.naming = providers::find_local_servers(catalog, ports);
    // One that the user has moved to another machine.
    for (const catalog::ProviderRow& row : catalog.providers())
      if (const std::string url = catalog::base_url(row);
          row.local && !is_loopback(url) && !ports.stopped())
        if (http::http_get(url + "/v1/models", {}, std::chrono::milliseconds(500), ports)
                .response.status == 200)
          found.naming.push_back({std::string(row.name), url});
  } catch (const Error&) {
    // The network module does not load; that is another check's to tell.
  }
  return found;
}

using sandbox::Sandbox;

namespace fs = std::filesystem;

// Empty: the walls hold.
std::string what_leaks(Sandbox sandbox) {
  process::PrivateTemporary place;
  const fs::path folder = place.path();
  if (folder.empty()) return "not tested: no folder for temporary files";
  for (const char* name : {"inside", "outside"}) fs::create_directory(folder / name);
  const sandbox::SandboxSpec cell{.root = (folder / "inside").string()};
  process::Program program{.arguments = {}, .environment = {}};
  const Fd rules = sandbox::confine(program, sandbox, cell);
  program.arguments.insert(
      program.arguments.end(),
      {"/bin/sh", "-c", "echo > \"$0/inside/a\"; echo > \"$0/outside/b\"", folder.string()});
  process::ProgramWatch watch;
  watch.time = std::chrono::seconds(2);
  run_program(program, watch);
  if (fs::exists(folder / "outside/b"))
    return "a command could write outside its folder: do not let commands run without asking here";
  if (!fs::exists(folder / "inside/a")) return "a command could not write inside its folder";
  return {};
}

Finding look_at_keys(const Surroundings& here) {
  Finding found;
  std::vector<std::pair<std::string, std::vector<std::string>>> sources;  // with whom each is for
  for (const catalog::ProviderRow& row : here.catalog.providers()) {
    const std::string name(row.name), source = here.keys.source(providers::key_sources(row));
    if (source.empty()) {
      if (wants_key(row)) found.details.push_back(name + ": " + providers::how_to_give_key(row));
      continue;
    }
    auto known = std::ranges::find(sources, source, [](const auto& each) { return each.first; });
    if (known == sources.end()) known = sources.insert(known, {source, {}});
    known->second.push_back(name);
  }
  Json facts = Json::array();
  for (const auto& [source, names] : sources) {
    found.note += (found.note.empty() ? "" : ", ") + source + " (" + listed(names) + ")";
    facts.push_back({{"source", source}, {"providers", names}});
  }
  if (sources.empty())
    found.note = "none; offline/demo needs none, `skein login PROVIDER` stores one";
  if (std::string lacking = chosen_without_key(here); !lacking.empty())
    found.problems.push_back(std::move(lacking));
  found.facts = dump({{"keys", std::move(facts)}});
  return found;
}

Finding look_at_servers(const Surroundings& here) {
  Finding found;
  const Found servers = look_for_servers(here.catalog);
  std::vector<std::string> running;
  Json facts = Json::array();
  for (const catalog::ProviderRow& row : here.catalog.providers()) {
    const LocalServer* const server = server_of(servers.naming, row.name);
    const bool listens = server != nullptr || server_of(servers.listening, row.name) != nullptr;
    if (!row.local && !listens) continue;
    const std::string name(row.name), url = catalog::base_url(row);
    if (server != nullptr)
      running.push_back(name + " (" + counted(server->models.size(), "model") + ")");
    const std::string state = server != nullptr ? "answers"
                              : listens         ? "something listens there, but lists no models"
                                                : "no server answers there";
    found.details.push_back(name + " at " + url + ": " + state);
    facts.push_back({{"provider", name},
                     {"url", url},
                     {"listens", listens},
                     {"models", server != nullptr ? Json(server->models) : Json::array()}});
    if (server == nullptr && here.config.model.starts_with(name + "/"))
      found.problems.push_back("the model is " + here.config.model + ", but at " + url + " " +
                               state.substr(0, state.find(" there")) +
                               ": start that server, or choose another model with -m");
  }
  found.note = running.empty() ? "none running" : listed(running);
  found.facts = dump({{"servers", std::move(facts)}});
  return found;
}

Finding look_at_sandbox(const Surroundings& here) {
  Finding found;
  const bool chosen = here.config.sandbox.has_value();
  const Sandbox sandbox = chosen ? *here.config.sandbox : sandbox::best_sandbox();
  const bool bubblewrap = sandbox::bubblewrap_works();
  const int landlock = sandbox::landlock_version();
  found.note = sandbox::describe(sandbox);
  found.details = {std::string("bubblewrap ") + (bubblewrap ? "works here" : "does not work here"),
                   landlock > 0 ? "Landlock works here, version " + std::to_string(landlock)
                                : "this kernel has no Landlock",
                   "network: " + sandbox::describe_network(sandbox, here.config.sandbox_network),
                   "limits: " + sandbox::describe(here.config.command_limits())};

  const bool there = sandbox == Sandbox::bubblewrap ? bubblewrap : landlock > 0;
  if (sandbox == Sandbox::none) {
    if (!chosen) found.problems.push_back(found.note);
  } else if (!there) {
    found.problems.push_back("the configuration requires " + std::string(sandbox::name(sandbox)) +
                             ", which does not work here, so commands cannot run; `sandbox = "
                             "\"auto\"` uses one that does");
  } else if (const std::string leak = what_leaks(sandbox); !leak.empty()) {
    found.problems.push_back(std::string(sandbox::name(sandbox)) + ": " + leak);
  }
  found.facts = dump({{"active", sandbox::name(sandbox)},
                      {"note", found.note},
                      {"bubblewrap", bubblewrap},
                      {"landlock", landlock},
                      {"holds", sandbox != Sandbox::none && found.problems.empty()}});
  return found;
}

Finding look_at_modules(const Surroundings&) {
  constexpr std::pair<const char*, const char*> modules[] = {
      {"skein_http", "network"}, {"skein_containers", "container"}, {"skein_postgres", "database"}};
  Finding found;
  std::vector<std::string> fitting;
  Json all = Json::array();
  for (const auto& [name, purpose] : modules) {
    std::string trouble;
    try {
      module_functions(name, purpose);
      fitting.emplace_back(name);
    } catch (const Error& error) {
      trouble = error.what();
      // PostgreSQL's library is the system's, and only a home in a database needs it.
      const bool optional = trouble.find("libpq.so") != std::string::npos;
      (optional ? found.details : found.problems).push_back(trouble);
    }
    all.push_back({{"module", name},
                   {"fits", trouble.empty()},
                   {"trouble", trouble.empty() ? Json(nullptr) : Json(trouble)}});
  }
  if (std::ranges::find(fitting, "skein_http") != fitting.end())
    if (std::string trouble = http::network_trouble(); !trouble.empty())
      found.problems.push_back(std::move(trouble));
  found.note = fitting.empty() ? "none loads"
                               : listed(fitting) + " " SKEIN_VERSION ", same version as skein";
  found.facts = dump({{"version", SKEIN_VERSION}, {"modules", std::move(all)}});
  return found;
}

Finding look_at_configuration(const Surroundings& here) {
  Finding found;
  std::vector<std::string> files;
  const std::string own = app::user_config_file();
  std::error_code ignored;
  if (std::filesystem::exists(own, ignored)) files.push_back(own);
  const std::string workspace = app::workspace_folder(here.invocation);
  if (const auto theirs = app::workspace_file(workspace)) files.push_back(theirs->path);

  found.problems = here.config.troubles;
  try {
    app::ProjectFiles project(app::places_around(workspace));
    app::configured_hooks(here.invocation, here.config, project);
  } catch (const Error& error) {
    found.problems.emplace_back(error.what());
  }
  found.details = here.config.notices;
  if (!here.config.untrusted.empty())
    found.details.push_back(app::untrusted_line(here.config.untrusted));
  found.note = !files.empty() ? listed(files)
               : own.empty()  ? "no file, and no folder for one: HOME is not an absolute path"
                              : "no file (would be " + own + ")";
  if (!files.empty() && found.problems.empty()) found.note += ", valid";
  if (!found.details.empty()) found.note += ", parts ignored (--verbose shows them)";
  found.facts = dump({{"files", files}, {"passed_over", found.details}});
  return found;
}

Finding look_at_log(const Surroundings&) {
  Finding found;
  const std::string folder = app::state_folder();
  if (folder.empty()) {
    found.note = "none: no folder for it (HOME and XDG_STATE_HOME are not set)";
    return found;
  }
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::error_code failed;
  for (fs::directory_iterator each(folder, failed), end; !failed && each != end;
       each.increment(failed)) {
    std::error_code gone;
    const std::uint64_t size = each->path().extension() == ".log" ? each->file_size(gone) : 0;
    if (size == 0 || gone) continue;
    ++files;
    bytes += size;
  }
  found.note = folder + ", one file per process; `--debug` logs more";
  found.details.push_back(counted(files, "file") + ", " + short_bytes(bytes));
  found.facts = dump({{"folder", folder}, {"files", files}, {"bytes", bytes}});
  return found;
}

// Starts `skein acp` as an editor does.
Finding look_at_acp(const Surroundings& here) {
  if (!here.config.troubles.empty())
    return {.note = "not started: the configuration has mistakes", .facts = R"({"answers":false})"};
  constexpr std::string_view request =
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}})";
  const process::UserCommand command{
      .arguments = {fs::read_symlink("/proc/self/exe").string(), "acp"},
      .environment = process::own_environment(),
      .folder = "/",
      .input = std::string(request) + "\n",
      .time = std::chrono::seconds(5)};
  const process::CommandEnd end = process::run_all({&command, 1}, {}).front();
  const Json answer = parse_json(trimmed(end.output)).value_or(Json());
  Finding found;
  if (int_at(at(answer, "result"), "protocolVersion") == 1)
    found.note = "`skein acp` answers editors";
  else
    found.problems.push_back(
        "`skein acp` does not answer editors: " +
        std::string(is_blank(end.errors) ? "it says nothing" : trimmed(end.errors)));
  found.facts = dump({{"answers", found.problems.empty()}});
  return found;
}

constexpr Check table[] = {
    {"config", look_at_configuration}, {"keys", look_at_keys},       {"servers", look_at_servers},
    {"modules", look_at_modules},      {"sandbox", look_at_sandbox}, {"disk", look_at_disk},
    {"locks", look_at_locks},          {"log", look_at_log},         {"acp", look_at_acp},
};

}  // namespace

std::span<const Check> checks() { return table; }

}  // namespace skein::doctor
