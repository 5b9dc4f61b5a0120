#include "app/model_access.h"

#include <algorithm>
#include <utility>

#include "app/availability.h"
#include "app/call_cost.h"
#include "app/home.h"
#include "app/model_refresh.h"
#include "app/signals.h"
#include "core/text/text.h"
#include "providers/catalog/ending.h"
#include "providers/event_mask.h"
#include "providers/http/address.h"
#include "providers/key_check.h"
#include "providers/stream.h"

namespace skein::app {

using agent::ModelLimits, catalog::ModelRow, catalog::ProviderRow, model::ModelRef, model::Provider;

namespace {

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
  if (const std::string tier = tier_text(row); !tier.empty()) out += " (" + tier + ")";
  return out;
}

session::ModelLine line_of(const AvailableModel& model) {
  const auto& [provider, name, row, usable] = model;
  session::ModelLine line{.name = provider + "/" + name,
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

std::vector<session::ModelLine> model_lines(const catalog::Catalog& catalog,
                                            const providers::Keyring& keys) {
  std::vector<session::ModelLine> lines;
  for (const AvailableModel& model : available_models(catalog, keys))
    lines.push_back(line_of(model));
  return lines;
}

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
         "A key is never stored. Give it in the environment before skein starts:\n"
         "  export ANTHROPIC_API_KEY=…\n"
         "or let a command print it, in the configuration (/config says where):\n"
         "  [providers.anthropic]\n"
         "  key-command = \"pass show anthropic\"\n"
         "/login PROVIDER checks whether its key is taken.\n";
}

}  // namespace

ModelAccess::ModelAccess(const Invocation& invocation, const config::Config& config)
    : config_(config), windows_(windows_file(invocation)), cache_(models_file(invocation)) {}

void ModelAccess::use_cache() { app::use_cache(catalog_, cache_); }

std::string ModelAccess::built_in_name() const {
  const catalog::BuiltInRow& row = catalog_.fallback();
  return std::string(row.name) + "/" + std::string(row.model);
}

bool ModelAccess::has_key(const ProviderRow& row) const {
  return !row.key_command.empty() ||
         keys_.has_any({row.key_variables.begin(), row.key_variables.end()});
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
    provider = std::make_unique<providers::HttpProvider>(catalog_, keys_, http::Patience{},
                                                         config_.handover);
  return *provider;
}

// The model and where it is served: the same name may mean another window elsewhere.
std::string ModelAccess::place_of(const ModelRef& model) const {
  const ProviderRow* row = catalog_.find_provider(model.provider);
  return model::to_string(model) + (row != nullptr ? " " + catalog::base_url(*row) : "");
}

// A server on this machine is asked when a model of its is first used: it runs with the window it
// was started with, whatever the model could take. True: it has told.
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
  const bool told = ask_server_here(model);
  const ModelRow row = catalog_.find_model(model);
  const catalog::BuiltInRow* built_in = catalog_.find_built_in(model.provider);
  ModelLimits limits{{row.window, reserved_for_answer(row)},
                     built_in != nullptr && !built_in->summarizes};
  const ProviderRow* provider = catalog_.find_provider(model.provider);
  limits.cuts_silently = provider != nullptr && provider->local;
  if (const auto known = windows_.find(place_of(model), now_ms())) {
    // What the server says now is newer than what it said when it refused a request.
    if (!told && (row.window == 0 || known->tokens < row.window))
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

handover::Target ModelAccess::target(const ModelRef& model) const {
  return catalog_.target(model, config_.handover);
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

std::function<void(const model::Event&)> ModelAccess::masking(
    std::function<void(const model::Event&)> sink) const {
  return providers::EventMask(keys_, std::move(sink));
}

void ModelAccess::offer(session::Services& services) {
  services.models = [this] { return model_lines(catalog_, keys_); };
  services.refresh_models = [this](const model::Ports& ports) {
    return refresh_models(catalog_, keys_, cache_, ports, Refresh::stale).changed;
  };
  services.model = [this](std::string_view name) { return catalog_.parse(name); };
  services.remarks = [this](const model::ModelRef& model) {
    std::vector<std::string> out = remarks_on(catalog_, model);
    const std::string end = catalog::ending_text(catalog_.find_model(model), now_ms());
    if (!end.empty() && catalog::ended_text(catalog_, model, now_ms()).empty())
      out.insert(out.begin(), model.model + " " + end);
    return out;
  };
  services.target = [this](const model::ModelRef& model) {
    return catalog_.target(model, config_.handover);
  };
  services.cost = [this](const std::string& model,
                         const model::Usage& usage) -> std::optional<session::Cost> {
    const std::optional<catalog::Cost> cost = catalog_.cost(model, usage);
    if (!cost) return std::nullopt;
    return session::Cost{cost->dollars, cost->at_least};
  };
  services.call_cost = [this]() -> session::Services::CallCost {
    return
        [cost_of = app::call_cost(catalog_)](
            const std::string& model, const model::Usage& usage) -> std::optional<session::Cost> {
          const std::optional<catalog::Cost> cost = cost_of(model, usage);
          if (!cost) return std::nullopt;
          return session::Cost{cost->dollars, cost->at_least};
        };
  };
  services.login = [this](std::string_view provider) {
    if (provider.empty()) return login_text(catalog_, keys_);
    const ProviderRow* row = catalog_.find_provider(provider);
    if (row == nullptr) throw Error("no provider is called " + std::string(provider));
    return providers::check_key(*row, keys_, model::Ports{.stop = &stop_asked()}) + "\n";
  };
}

}  // namespace skein::app
