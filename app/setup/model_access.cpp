#include "app/setup/model_access.h"

#include "app/invocation/signals.h"
#include "app/setup/home.h"
#include "core/text/log.h"
#include "core/text/text.h"
#include "providers/ask_models.h"
#include "providers/event_mask.h"
#include "providers/http/address.h"
#include "providers/request.h"
#include "providers/stream.h"

namespace skein::app {

using agent::ModelLimits, catalog::ModelRow, catalog::ProviderRow, model::ModelRef, model::Provider;

namespace {

// Why a provider can be used now, or what it lacks.
Usable usable_now(const catalog::ProviderRow& row, const providers::Keyring& keys,
                  const std::vector<providers::LocalServer>& servers) {
  for (const providers::LocalServer& server : servers)
    if (server.provider == row.name)
      return {true, "running, " + counted(server.models.size(), "model")};
  if (row.local) return {false, "no server at " + catalog::base_url(row)};
  if (const std::string source = keys.source(providers::key_sources(row)); !source.empty())
    return {true, source == "key command" ? source : "key found"};
  if (!row.key_needed) return {true, "needs no key"};
  return {false, providers::how_to_give_key(row)};
}

// "off, low, medium, high"
std::string levels_text(model::ThinkingLevels levels) {
  std::string out;
  for (std::size_t i = 0; i < model::thinking_levels; ++i)
    if (const auto level = static_cast<model::ThinkingLevel>(i); levels.has(level))
      (out += out.empty() ? "" : ", ") += model::name(level);
  return out;
}

// A provider and where it is: the same name may list other models elsewhere.
std::string place_of(const catalog::ProviderRow& row) {
  return std::string(row.name) + " " + catalog::base_url(row);
}

// Asks one; false: it did not answer.
bool refresh_models_of(const catalog::ProviderRow& row, catalog::Catalog& catalog,
                       providers::Keyring& keys, discovery::ModelCache& cache,
                       const model::Ports& ports) {
  auto models = providers::ask_models(row, keys, ports);
  if (!models || ports.stopped()) return false;
  cache.keep(place_of(row), {now_ms(), *models});
  catalog.learn(row.name, *std::move(models));
  return true;
}

// Lists of everything a service has also name what cannot hold a conversation.
bool is_for_text(std::string_view name) {
  constexpr std::string_view others[] = {"-tts",     "-image",     "-audio",       "-live",
                                         "realtime", "transcribe", "computer-use", "robotics"};
  return std::ranges::none_of(
      others, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

// What a service lists that the table does not have: all of it where the table has nothing.
bool is_news(const catalog::Catalog& catalog, const model::ModelRef& ref, bool has_rows) {
  if (!has_rows) return true;
  return !catalog.has_row(ref) && catalog.is_relative(ref) &&
         catalog.find_retired(ref) == nullptr && is_for_text(ref.model);
}

std::vector<providers::LocalServer> servers_here(const catalog::Catalog& catalog) {
  std::vector<providers::LocalServer> servers = providers::listening_servers(catalog);
  for (providers::LocalServer& server : servers)
    for (const catalog::ServiceModel& model :
         catalog.served(*catalog.find_provider(server.provider)))
      server.models.push_back(model.name);
  return servers;
}

// The same service under another name has the same models.
bool is_double(const catalog::ProviderRow& row, const catalog::Catalog& catalog) {
  const catalog::ProviderRow* home = catalog.find_provider(row.home);
  return home != nullptr && catalog::base_url(*home) == catalog::base_url(row);
}

bool is_due(const catalog::ProviderRow& row, const providers::Keyring& keys,
            discovery::ModelCache& cache, Refresh which) {
  if (row.local || which == Refresh::local) return false;  // only where something listens
  const bool has_key = keys.has(providers::key_sources(row)) || !row.key_needed;
  if (which == Refresh::all) return has_key || !row.key_command.empty();
  // A command may ask the user for a password, which opening a list should not.
  if (!has_key || !row.key_command.empty()) return false;
  const discovery::CachedListing* copy = cache.find(place_of(row));
  const std::int64_t now = now_ms();
  return copy == nullptr || copy->fetched > now || now - copy->fetched > day_ms;
}

// Where no limit is known none is sent, and an answer still needs room. A window that ends where
// the price goes up is the user's, not the model's: no need to keep all of the longest answer free.
std::int64_t reserved_for_answer(const ModelRow& row) {
  constexpr std::int64_t usual = 32'000;
  if (row.max_output == 0) return std::min(usual, row.window / 4);
  return row.tiers[0].above == row.window ? std::min(usual, row.max_output) : row.max_output;
}

// "1M window, answers up to 128k, $2 in, $10 out per million, …"
std::string details(const catalog::ModelRow& row) {
  std::string out = thousands(row.window) + " window";
  if (row.max_output > 0) out += " · answers up to " + thousands(row.max_output);
  if (row.prices.input) out += " · " + price_text(row.prices);
  if (const catalog::Tier& tier = row.tiers[0]; tier.above != 0)
    out += " (" + price_text(tier.prices) + " above " + thousands(tier.above) + ")";
  return out;
}

pick::ModelLine line_of(const AvailableModel& model) {
  const auto& [provider, name, row, usable] = model;
  pick::ModelLine line{.name = provider + "/" + name,
                       .usable = usable.now,
                       .note = usable.why,
                       .price = short_price(row.prices),
                       .images = row.images,
                       .ends = catalog::ending_text(row, now_ms())};
  if (row.window == 0) return line;
  line.window = thousands(row.window);
  line.details = details(row);
  if (!row.thinks.empty()) line.thinks = "thinking: " + levels_text(row.thinks);
  return line;
}

}  // namespace

std::string login_text(const catalog::Catalog& catalog, const providers::Keyring& keys) {
  const std::vector<providers::LocalServer> servers =
      providers::find_local_servers(catalog, model::Ports{});
  std::string out;
  for (const ProviderRow& row : catalog.providers()) {
    std::string name(row.name);
    name.resize(std::max<std::size_t>(name.size(), 18), ' ');
    const Usable usable = usable_now(row, keys, servers);
    const bool lacks_key = !usable.now && !row.local;
    out +=
        (usable.now ? "* " : "  ") + name + (lacks_key ? "no key yet: " : "") + usable.why + "\n";
  }
  return out +
         "`skein login PROVIDER`, or /login PROVIDER at the prompt, checks a key and stores it. "
         "`skein logout` removes it.\n"
         "skein also reads keys from the environment, and does not store those:\n"
         "  export ANTHROPIC_API_KEY=…\n"
         "A command in the configuration can print the key (/config shows the file):\n"
         "  [providers.anthropic]\n"
         "  key-command = \"pass show anthropic\"\n";
}

providers::Keyring gathered_keys(const catalog::Catalog& catalog) {
  providers::Keyring keys;
  keys.take_environment(catalog.key_variables());
  keys.use(providers::KeyStore(below(state_folder(), "keys")));
  return keys;
}

std::string log_in(const ProviderRow& row, const std::string& key, providers::Keyring& keys,
                   const model::Ports& ports) {
  const std::string name(row.name);
  if (row.auth == catalog::Auth::none) throw Error(name + " needs no key");
  if (key.empty() || std::ranges::any_of(key, [](char c) { return c <= ' ' || c == 0x7f; }))
    throw Error(key.empty() ? "no key was given" : "a key is one line without spaces");
  ProviderRow alone = row;
  alone.key_variables = {};
  alone.key_command = {};
  providers::Keyring typed;
  typed.give(name, key);
  const providers::KeyCheck check = providers::check_key(alone, typed, ports);
  using Result = providers::KeyCheck::Result;
  if (check.result == Result::refused) throw Error("the key is not stored: " + check.text);
  keys.store().store(name, key);
  keys.give(name, key);
  std::string out =
      check.text +
      (check.result == Result::accepted ? "; key stored\n" : "; key stored without a check\n");
  if (const std::string first = keys.source(providers::key_sources(row)); first != "stored key")
    out += first + " takes precedence over it\n";
  if (sandbox::best_sandbox() == sandbox::Sandbox::none)
    out += "warning: there is no sandbox here, so the model's commands could read it\n";
  return out;
}

std::string log_out(const ProviderRow& row, const providers::Keyring& keys) {
  const std::string name(row.name);
  if (!keys.store().remove(name)) throw Error("no key of " + name + " is stored");
  const std::string left = keys.source(providers::key_sources(row));
  return "the key of " + name + " is removed" +
         (left.empty() || left == "stored key" ? "" : "; " + left + " is still used") + "\n";
}

std::vector<AvailableModel> available_models(const catalog::Catalog& catalog,
                                             const providers::Keyring& keys) {
  const std::vector<providers::LocalServer> servers = servers_here(catalog);
  const catalog::BuiltInRow& own = catalog.fallback();
  std::vector<AvailableModel> out{{std::string(own.name),
                                   std::string(own.model),
                                   {.provider = own.name, .name = own.model},
                                   {true, std::string(own.note)}}};
  for (const catalog::ProviderRow& provider : catalog.providers()) {
    const std::string name(provider.name);
    const Usable usable = usable_now(provider, keys, servers);
    const std::size_t before = out.size();
    for (const catalog::ModelRow& row : catalog.models())
      if (row.provider == provider.name)
        out.push_back({name, std::string(row.name),
                       catalog.find_model({name, std::string(row.name)}), usable});
    const bool has_rows = out.size() > before;
    if (usable.now || !provider.local)
      for (const catalog::ServiceModel& model : catalog.served(provider))
        if (is_news(catalog, {name, model.name}, has_rows))
          out.push_back({name, model.name, catalog.find_model({name, model.name}), usable});
    // A service whose models are not known takes any name.
    if (out.size() == before && !provider.local) out.push_back({name, "NAME", {}, usable});
  }
  return out;
}

std::string thousands(std::int64_t tokens) {
  if (tokens == 0) return "-";
  // Windows of 1,048,576 are called a million.
  if (tokens >= 1'000'000 && tokens % 1'000'000 < 100'000)
    return std::to_string(tokens / 1'000'000) + "M";
  return tokens % 1000 == 0 || tokens >= 10'000 ? std::to_string(tokens / 1000) + "k"
                                                : std::to_string(tokens);
}

std::string price_text(const catalog::Prices& prices) {
  if (!prices.input || !prices.output) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "$%g in, $%g out", *prices.input, *prices.output);
  return text;
}

std::string short_price(const catalog::Prices& prices) {
  if (!prices.input || !prices.output) return {};
  if (*prices.input == 0 && *prices.output == 0) return "free";
  char text[64];
  std::snprintf(text, sizeof text, "$%g/$%g", *prices.input, *prices.output);
  return text;
}

std::vector<std::string> remarks_on(const catalog::Catalog& catalog, const model::ModelRef& model) {
  std::vector<std::string> out;
  if (std::string ended = catalog::ended_text(catalog, model, now_ms()); !ended.empty())
    out.push_back(std::move(ended));
  // Of an unknown model, what it takes is only guessed.
  if (model.thinking == model::ThinkingLevel::off ||
      !(catalog.has_row(model) || catalog.is_relative(model)))
    return out;
  const catalog::ModelRow row = catalog.find_model(model);
  const model::ThinkingLevel sent = model::nearest(model.thinking, row.thinks);
  const std::string wanted(model::name(model.thinking));
  if (row.thinks.empty())
    out.push_back(model.model + " does not support thinking levels; " + wanted + " is ignored");
  else if (sent != model.thinking)
    out.push_back(model.model + " does not support thinking " + wanted + "; " +
                  std::string(model::name(sent)) +
                  " is used (supported: " + levels_text(row.thinks) + ")");
  return out;
}

void use_cache(catalog::Catalog& catalog, discovery::ModelCache& cache) {
  catalog.ask_for_service_models([&cache](const catalog::ProviderRow& row) {
    const discovery::CachedListing* copy = cache.find(place_of(row));
    return copy != nullptr ? copy->models : std::vector<catalog::ServiceModel>{};
  });
}

Refreshed refresh_models(catalog::Catalog& catalog, providers::Keyring& keys,
                         discovery::ModelCache& cache, const model::Ports& ports, Refresh which,
                         std::string_view only) {
  const std::vector<providers::LocalServer> listening = providers::listening_servers(catalog);
  Refreshed out;
  const std::vector<catalog::ProviderRow> rows = catalog.providers();
  for (const catalog::ProviderRow& row : rows) {
    if (ports.stopped()) break;
    if (only.empty() ? is_double(row, catalog) : only != row.name) continue;
    const bool listens = std::ranges::find(listening, row.name,
                                           &providers::LocalServer::provider) != listening.end();
    if (!listens && !is_due(row, keys, cache, which)) continue;
    try {
      if (refresh_models_of(row, catalog, keys, cache, ports))
        out.changed = true;
      else
        out.silent.emplace_back(row.name);
    } catch (const Error& error) {
      log_warning("models not listed", {{"provider", std::string(row.name)}});
      out.silent.push_back(std::string(row.name) + " (" + error.what() + ")");
    }
  }
  return out;
}

insights::Prices call_cost(const catalog::Catalog& catalog) {
  return [&catalog, rows = std::map<std::string, catalog::ModelRow>()](
             const std::string& model,
             const model::Usage& usage) mutable -> std::optional<model::Cost> {
    auto row = rows.find(model);
    if (row == rows.end()) {
      const std::size_t slash = model.find('/');
      if (slash == std::string::npos) return std::nullopt;
      row =
          rows.emplace(model, catalog.find_model({model.substr(0, slash), model.substr(slash + 1)}))
              .first;
    }
    return catalog::cost_of(usage, row->second);
  };
}

ModelAccess::ModelAccess(const Invocation& invocation, const config::Config& config,
                         catalog::Catalog& catalog, providers::Keyring keys)
    : config_(config),
      catalog_(catalog),
      keys_(std::move(keys)),
      windows_(state_file(invocation, "windows.json")),
      cache_(models_file(invocation)) {
  catalog_.prefer([this](const ProviderRow& row) { return !row.key_needed || has_key(row); });
  use_cache(catalog_, cache_);
}

std::string ModelAccess::built_in_name() const {
  const catalog::BuiltInRow& row = catalog_.fallback();
  return std::string(row.name) + "/" + std::string(row.model);
}

bool ModelAccess::has_key(const ProviderRow& row) const {
  return !keys_.source(providers::key_sources(row)).empty();
}

std::string ModelAccess::default_name() const {
  for (const ProviderRow& row : catalog_.providers()) {
    if (row.local || !row.key_needed) continue;
    const bool usable = has_key(row);
    for (const ModelRow& model : catalog_.models())
      if (usable && model.provider == row.name)
        return std::string(row.name) + "/" + std::string(model.name);
  }
  return built_in_name();
}

bool ModelAccess::can_be_asked(const std::string& model) const {
  const std::size_t slash = std::min(model.find('/'), model.size());
  const ModelRef ref{model.substr(0, slash), model.substr(std::min(slash + 1, model.size()))};
  if (catalog_.find_built_in(ref.provider) != nullptr) return true;
  const ProviderRow* row = catalog_.find_provider(ref.provider);
  return row != nullptr && !ref.model.empty() && (!row->key_needed || has_key(*row)) &&
         catalog::ended_text(catalog_, ref, now_ms()).empty();
}

std::string ModelAccess::first_name() const {
  return config_.model.empty() ? default_name() : config_.model;
}

std::int64_t ModelAccess::first_window() const {
  return catalog_.find_model(catalog_.parse(first_name())).window;
}

Provider& ModelAccess::provider_for(const ModelRef& model) {
  const catalog::BuiltInRow* built_in = catalog_.find_built_in(model.provider);
  const bool own = built_in != nullptr && built_in->one_for_each_model;
  std::unique_ptr<Provider>& provider = providers_[own ? model::to_string(model) : model.provider];
  if (!provider && built_in != nullptr) provider = built_in->make(model.model);
  if (!provider)
    provider = std::make_unique<providers::HttpProvider>(catalog_, keys_, http::Timeouts{});
  return *provider;
}

// The model and where it is served: the same name may mean another window elsewhere.
std::string ModelAccess::place_of(const ModelRef& model) const {
  const ProviderRow* row = catalog_.find_provider(model.provider);
  return model::to_string(model) + (row != nullptr ? " " + catalog::base_url(*row) : "");
}

// A server on this machine is asked when a model of its is first used: it runs with the window it
// was started with, whatever the model could take. True: it has answered.
bool ModelAccess::ask_server_here(const ModelRef& model) {
  constexpr std::int64_t pause_ms = 60'000;
  const ProviderRow* row = catalog_.find_provider(model.provider);
  if (row == nullptr || !row->local) return false;
  const std::string url = catalog::base_url(*row);
  if (!http::is_loopback(http::host_of(url))) return false;
  if (const auto [last, is_new] = asked_.try_emplace(url, now_ms());
      is_new || now_ms() - last->second > pause_ms) {
    last->second = now_ms();
    refresh_models_of(*row, catalog_, keys_, cache_, model::Ports{.stop = &stop_asked()});
  }
  return std::ranges::any_of(catalog_.served(*row), [&](const catalog::ServiceModel& each) {
    return each.name == model.model && each.window > 0;
  });
}

ModelLimits ModelAccess::limits_of(const ModelRef& model) {
  const bool answered = ask_server_here(model);
  const ModelRow row = catalog_.find_model(model);
  const catalog::BuiltInRow* built_in = catalog_.find_built_in(model.provider);
  ModelLimits limits{{row.window, reserved_for_answer(row)},
                     built_in != nullptr && !built_in->summarizes};
  const ProviderRow* provider = catalog_.find_provider(model.provider);
  limits.cuts_silently = provider != nullptr && provider->local;
  limits.longest_answer = row.max_output;
  if (const auto known = windows_.find(place_of(model), now_ms())) {
    // What the server says now is newer than what it said when it refused a request.
    if (!answered && (row.window == 0 || known->tokens < row.window))
      limits.window.tokens = known->tokens;
    limits.tokens_per_guess = known->tokens_per_guess;
  }
  return limits;
}

std::vector<ModelRef> ModelAccess::fallbacks_of(const ModelRef& model) const {
  auto found = config_.fallback.find(model::to_string(model));
  if (found == config_.fallback.end()) found = config_.fallback.find("");
  std::vector<ModelRef> out;
  if (found != config_.fallback.end())
    for (const std::string& name : found->second) out.push_back(catalog_.parse(name));
  return out;
}

void ModelAccess::learn(const ModelRef& model, const ModelLimits& limits) {
  windows_.keep(place_of(model), {limits.window.tokens, limits.tokens_per_guess}, now_ms());
}

std::optional<double> ModelAccess::cost(const model::SessionState& session) const {
  double sum = 0;
  for (const auto& [model, usage] : session.usage) {
    const auto cost = catalog_.cost(model, usage);
    if (!cost) return std::nullopt;
    sum += cost->dollars;
  }
  return sum;
}

void ModelAccess::account(screen::TurnSummary& turn) const {
  const ModelRow row = catalog_.find_model({.provider = turn.provider, .model = turn.model});
  turn.window = row.known ? row.window : 0;
  std::optional<double> sum;
  for (const model::Usage& call : turn.each) {
    model::Usage one;
    one += call;
    const auto cost = catalog_.cost(turn.provider + "/" + turn.model, one);
    if (!cost) return;
    sum = sum.value_or(0) + cost->dollars;
  }
  turn.cost_usd = sum;
}

std::string ModelAccess::clean(std::string text) const {
  return providers::mask_secrets(text, keys_.secrets());
}

ModelAccess::Sink ModelAccess::masking(Sink sink) const {
  return providers::EventMask(keys_, std::move(sink));
}

std::vector<pick::ModelLine> ModelAccess::lines() {
  std::vector<pick::ModelLine> lines;
  for (const AvailableModel& model : available_models(catalog_, keys_))
    lines.push_back(line_of(model));
  return lines;
}

bool ModelAccess::refresh(const model::Ports& ports) {
  return refresh_models(catalog_, keys_, cache_, ports, Refresh::stale).changed;
}

std::vector<std::string> ModelAccess::remarks(const ModelRef& model) const {
  std::vector<std::string> out = remarks_on(catalog_, model);
  const std::string end = catalog::ending_text(catalog_.find_model(model), now_ms());
  if (!end.empty() && catalog::ended_text(catalog_, model, now_ms()).empty())
    out.insert(out.begin(), model.model + " " + end);
  const ProviderRow* row = catalog_.find_provider(model.provider);
  if (row != nullptr && row->key_needed && !row->local && row->auth != catalog::Auth::none &&
      !has_key(*row))
    out.push_back("there is no key for " + model.provider + " yet; /login " + model.provider +
                  " stores one");
  return out;
}

std::string ModelAccess::handle_key(session::KeyStep step, std::string_view provider,
                                    const std::string& key) {
  if (provider.empty()) return login_text(catalog_, keys_);
  const ProviderRow* row = catalog_.find_provider(provider);
  if (row == nullptr) throw Error("there is no provider " + std::string(provider));
  const model::Ports ports{.stop = &stop_asked()};
  switch (step) {
    case session::KeyStep::check: break;
    case session::KeyStep::store: return log_in(*row, key, keys_, ports);
    case session::KeyStep::remove: return log_out(*row, keys_);
  }
  return providers::check_key(*row, keys_, ports).text + "\n";
}

}  // namespace skein::app
