// skein models, skein migrate: which models there are, and handing a session to another one.
#include <cstdio>

#include "app/config.h"
#include "app/home.h"
#include "app/subcommands.h"
#include "core/compatibility.h"
#include "core/context.h"
#include "core/json.h"
#include "providers/detect.h"
#include "providers/keys.h"
#include "repl/screen.h"

namespace skein {

namespace {

void print_line(const std::string& untrusted) { std::puts(harmless(untrusted).c_str()); }

std::string pad(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

// 200000 → 200k
std::string thousands(std::int64_t tokens) {
  return tokens == 0                              ? "-"
         : tokens % 1000 == 0 || tokens >= 10'000 ? std::to_string(tokens / 1000) + "k"
                                                  : std::to_string(tokens);
}

Json price_json(const std::optional<double>& price) { return price ? Json(*price) : Json(nullptr); }

std::string price_text(const Prices& prices) {
  if (!prices.input || !prices.output) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "$%g in, $%g out", *prices.input, *prices.output);
  return text;
}

// Why a provider can be used now, or what it lacks.
struct Usable {
  bool now = false;
  std::string why{};
};

class Availability {
 public:
  explicit Availability(const Catalog& catalog) : servers_(find_local_servers(catalog, Ports{})) {
    keys_.take_environment(catalog.key_variables());
  }
  Usable of(const ProviderRow& row) const {
    for (const LocalServer& server : servers_)
      if (server.provider == row.name)
        return {true, "running, " + std::to_string(server.models.size()) + " models"};
    if (row.local) return {false, "no server at " + base_url(row)};
    const std::vector<std::string> variables(row.key_variables.begin(), row.key_variables.end());
    if (keys_.has_any(variables)) return {true, "key found"};
    if (!row.key_command.empty()) return {true, "key command"};
    return {!row.key_needed, "set " + std::string(row.key_variables.front())};
  }
  const std::vector<LocalServer>& servers() const { return servers_; }

 private:
  std::vector<LocalServer> servers_;
  Keyring keys_{};
};

}  // namespace

int list_models(const Invocation& invocation) {
  Catalog catalog;
  load_config(invocation, workspace_folder(invocation), catalog);
  const Availability available(catalog);
  const std::string wanted = invocation.arguments.empty() ? "" : invocation.arguments.front();
  const auto shown = [&](std::string_view provider) {
    return wanted.empty() || wanted == provider;
  };

  Json out = Json::array();
  const auto add = [&](std::string_view provider, const std::string& name, const ModelRow& row,
                       const Usable& usable) {
    out.push_back({{"model", std::string(provider) + "/" + name},
                   {"window", row.window},
                   {"max_output", row.max_output},
                   {"images", row.images},
                   {"thinking", row.thinks != Thinks::no},
                   {"prices",
                    {{"input", price_json(row.prices.input)},
                     {"output", price_json(row.prices.output)},
                     {"cache_read", price_json(row.prices.cache_read)},
                     {"cache_write", price_json(row.prices.cache_write)}}},
                   {"usable", usable.now},
                   {"why", usable.why}});
    if (!invocation.has("--json"))
      print_line(std::string(usable.now ? "* " : "  ") +
                 pad(std::string(provider) + "/" + name, 40) + "  " +
                 pad(thousands(row.window), 6) + "  " + pad(price_text(row.prices), 20) + "  " +
                 usable.why);
  };
  if (shown("offline"))
    add("offline", "demo", ModelRow{.provider = "offline", .name = "demo"},
        {true, "built in, answers by rule"});
  for (const ProviderRow& provider : catalog.providers()) {
    if (!shown(provider.name)) continue;
    const Usable usable = available.of(provider);
    for (const ModelRow& row : catalog.models())
      if (row.provider == provider.name) add(provider.name, std::string(row.name), row, usable);
    for (const LocalServer& server : available.servers())
      if (server.provider == provider.name)
        for (const std::string& name : server.models)
          add(provider.name, name, catalog.find_model({std::string(provider.name), name}), usable);
  }
  if (out.empty())
    throw Error(
        "no models of '" + wanted + "' are known; any name may be tried as " + wanted + "/NAME",
        Trouble::usage);
  if (invocation.has("--json")) std::puts(dump(out).c_str());
  return 0;
}

int migrate_session(const Invocation& invocation) {
  Catalog catalog;
  load_config(invocation, workspace_folder(invocation), catalog);
  if (!invocation.has("--to")) throw Error("migrate needs --to PROVIDER/MODEL", Trouble::usage);
  const ModelRef to = catalog.parse(invocation.value("--to"));
  const ProviderRow* provider = catalog.find_provider(to.provider);

  SessionStore store = open_store(invocation);
  const SessionRecord found = value_or_throw(store.find(invocation.arguments.at(0)));
  const SessionRecord record = value_or_throw(store.open(found.header.session));
  if (!record.state.head) throw Error("session " + record.key + " is empty", Trouble::usage);
  std::vector<Entry> path;
  for (const Placed& placed :
       value_or_throw(store.path(record.header.session, *record.state.head)).entries)
    path.push_back(placed.entry);

  Compatibility report;
  if (provider != nullptr)
    report = check_compatibility(messages_of(path, record.state.redacted),
                                 target_for(provider->wire, to.provider, to.model));
  const std::string from = record.state.model.empty() ? "unknown" : record.state.model;
  Json out = {{"from", from},
              {"to", to_string(to)},
              {"compatible", report.compatible},
              {"warnings", report.warnings},
              {"lossyFields", report.lossy_fields}};
  if (!invocation.has("--check")) {
    // Going on with another model needs none of this; a copy is for keeping both.
    const SessionHandle copy = value_or_throw(store.branch_from_entry(
        record.header.session, *record.state.head, invocation.value("--new-key")));
    NewEntry change{
        make_entry(type::model_change, dump({{"provider", to.provider}, {"model", to.model}}))};
    change.entry.meta =
        dump({{"migratedFrom", from}, {"migratedTo", to_string(to)}, {"migratedAt", now_utc()}});
    value_or_throw(store.append_session_entries(copy.session_id, std::span(&change, 1)));
    out["key"] = value_or_throw(store.open(copy.session_id)).key;
    out["entries"] = path.size();
  }
  if (invocation.has("--json")) {
    std::puts(dump(out).c_str());
    return 0;
  }
  for (const std::string& warning : report.warnings) print_line("warning: " + warning);
  if (invocation.has("--check"))
    print_line(report.warnings.empty() ? "nothing would be lost"
                                       : "lossy: " + dump(out["lossyFields"]));
  else
    print_line("Migrated " + std::to_string(path.size()) + " entries from " + from + " to " +
               to_string(to) + ": " + string_at(out, "key"));
  return 0;
}

}  // namespace skein
