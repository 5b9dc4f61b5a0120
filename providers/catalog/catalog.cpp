#include "providers/catalog/catalog.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "providers/catalog/model_rows.h"
#include "providers/catalog/rows.h"
#include "providers/catalog/traits.h"

namespace skein::catalog {

namespace {

bool is_dated(std::string_view name, std::string_view of) {
  if (!name.starts_with(of)) return false;
  name.remove_prefix(of.size());
  return name.size() >= 9 && name.starts_with("-20") &&
         name.find_first_not_of("0123456789-") == std::string_view::npos;
}

using enum model::ThinkingLevel;
constexpr model::ThinkingLevels usual_levels{off, low, medium, high};

// A model nobody has heard of, at a service that may be anybody's.
ModelRow cautious(const model::ModelRef& ref, const ProviderRow* provider, bool free) {
  const bool local = provider != nullptr && provider->local;
  const bool sees =
      provider != nullptr && !local && provider->wire != handover::WireFormat::openai_chat;
  // Only this format insists on a limit, and thinking counts towards it.
  const bool limited = provider != nullptr && provider->wire == handover::WireFormat::anthropic;
  return {.provider = {},
          .name = {},
          .window = local ? 32'768 : 128'000,
          .max_output = limited ? 32'000 : 0,
          .thinks = usual_levels,  // if the user asks for it, it is sent
          .images = sees || ref.provider == "openai",
          .prices = free ? Prices{0, 0, 0, 0} : Prices{},
          .known = false};
}

// How well a row stands for a model that has none, the best last: of the same family, with the
// same words behind the version, not newer, and then the nearest.
struct Kinship {
  bool family = false, rest = false, not_newer = false;
  Version near{};
  auto operator<=>(const Kinship&) const = default;
};

std::optional<Kinship> kinship(const VersionedName& wanted, std::string_view row) {
  const VersionedName known = split_version(row);
  if (known.vendor != wanted.vendor || !known.version) return std::nullopt;
  const bool older = !since(wanted.version, *known.version);
  const Version near =
      older ? Version{-known.version->major, -known.version->minor} : *known.version;
  return Kinship{known.family == wanted.family, known.rest == wanted.rest, !older, near};
}

// OLLAMA_HOST may be a host, a port, both, or what a server is to listen on.
std::string with_scheme(std::string url, const ProviderRow& row) {
  if (url.find("://") != std::string::npos) return url;
  if (url.starts_with(':')) url = "127.0.0.1" + url;
  if (row.local && url.find(':') == std::string::npos)
    url += row.base_url.substr(row.base_url.rfind(':'));
  return "http://" + url;
}

void replace(std::string& text, std::string_view what, std::string_view by) {
  if (const std::size_t found = text.find(what); found != std::string::npos)
    text.replace(found, what.size(), by);
}

void forget_price(ModelRow& row) {
  row.prices = {};
  row.tiers = {};
  row.ends = row.instead = {};
}

constexpr std::string_view anthropic_address = "https://api.anthropic.com";

// Models of this kind have never been served otherwise.
bool wants_responses(std::string_view rest) {
  return rest.ends_with("-pro") || rest.find("codex") != std::string_view::npos;
}

}  // namespace

std::optional<double> cost_usd(const model::Usage& usage, const Prices& prices) {
  double dollars = 0;
  // Who names no price for cached tokens charges them as input.
  for (const auto& [tokens, price] :
       {std::pair(usage.input, prices.input),
        {usage.output, prices.output},
        {usage.cache_read, prices.cache_read ? prices.cache_read : prices.input},
        {usage.cache_write, prices.cache_write ? prices.cache_write : prices.input}}) {
    if (tokens == 0) continue;
    if (!price) return std::nullopt;
    dollars += static_cast<double>(tokens) * *price / 1e6;
  }
  return dollars;
}

std::optional<Cost> cost_of(const model::Usage& usage, const ModelRow& row) {
  const bool one_call = usage.longest > 0 && usage.longest == model::whole_input(usage);
  const Prices* prices = &row.prices;
  bool at_least = false;
  for (const Tier& tier : row.tiers) {
    if (tier.above == 0 || model::longest_input(usage) <= tier.above) break;
    if (one_call) prices = &tier.prices;
    at_least = !one_call;
  }
  const std::optional<double> dollars = cost_usd(usage, *prices);
  if (!dollars) return std::nullopt;
  return Cost{*dollars, at_least};
}

Catalog::Catalog()
    : providers_(std::begin(rows::providers), std::end(rows::providers)),
      models_(std::begin(rows::models), std::end(rows::models)) {}

std::string_view Catalog::keep(std::string_view text) const { return *texts_.emplace(text).first; }

void Catalog::add(const ProviderRow& row) {
  ProviderRow own = row;
  for (std::string_view* text :
       {&own.name, &own.base_url, &own.version, &own.max_tokens_field, &own.key_variables[0],
        &own.key_variables[1], &own.base_url_variable, &own.key_command, &own.responses.family,
        &own.home, &own.bridge_text})
    *text = keep(*text);
  std::erase_if(providers_, [&](const ProviderRow& old) { return old.name == own.name; });
  providers_.push_back(own);
}

void Catalog::add(const ModelRow& row) {
  ModelRow own = row;
  for (std::string_view* text :
       {&own.provider, &own.name, &own.thinking_off, &own.ends, &own.instead})
    *text = keep(*text);
  std::erase_if(models_, [&](const ModelRow& old) {
    return old.provider == own.provider && old.name == own.name;
  });
  models_.push_back(own);
}

void Catalog::move_provider(std::string_view provider, std::string_view base_url) {
  const ProviderRow* found = find_provider(provider);
  if (found == nullptr) return;
  ProviderRow moved = *found;
  moved.base_url = base_url;
  moved.base_url_variable = {};
  moved.key_needed = false;
  add(moved);
}

const ProviderRow* Catalog::find_provider(std::string_view name) const {
  const auto found = std::ranges::find(providers_, name, &ProviderRow::name);
  return found == providers_.end() ? nullptr : &*found;
}

const BuiltInRow* Catalog::find_built_in(std::string_view name) const {
  const auto* found = std::ranges::find(rows::built_in, name, &BuiltInRow::name);
  return found == std::end(rows::built_in) ? nullptr : found;
}

const BuiltInRow& Catalog::fallback() const { return rows::built_in[0]; }

const ModelRow* Catalog::find_row(const model::ModelRef& ref) const {
  const std::string_view home = home_of(ref.provider);
  const ModelRow* best = nullptr;
  for (const ModelRow& row : models_) {
    if (row.provider != ref.provider && row.provider != home) continue;
    if (row.name == ref.model) return &row;
    if (is_dated(ref.model, row.name) && (!best || row.name.size() > best->name.size()))
      best = &row;
  }
  return best;
}

ModelRow Catalog::find_model(const model::ModelRef& ref) const {
  ModelRow row = row_or_guess(ref);
  const ProviderRow* provider = find_provider(ref.provider);
  if (provider == nullptr) return row;
  row.provider_alias = alias_of(*provider, ref.model);
  const std::vector<ServiceModel>& all = served(*provider);
  const auto told = std::ranges::lower_bound(all, ref.model, {}, &ServiceModel::name);
  if (told == all.end() || told->name != ref.model) return row;
  const auto open = [&](unsigned what) { return (row.given & what) == 0; };
  if (told->window > 0 && open(Given::window)) {
    row.window = told->window;
    row.known = true;
  }
  if (told->max_output > 0 && told->max_output < row.window && open(Given::max_output))
    row.max_output = told->max_output;
  if (told->images && open(Given::images)) row.images = *told->images;
  if (told->input && told->output && open(Given::prices)) {
    row.prices = {told->input, told->output, told->cache_read, {}};
    row.tiers = {};
  }
  if (!told->ends.empty()) row.ends = keep(told->ends);
  return row;
}

void Catalog::learn(std::string_view provider, std::vector<ServiceModel> models) {
  std::ranges::sort(models, {}, &ServiceModel::name);
  served_[std::string(provider)] = std::move(models);
}

const std::vector<ServiceModel>& Catalog::served(const ProviderRow& row) const {
  const auto [found, is_new] = served_.try_emplace(std::string(row.name));
  if (is_new && told_) {
    found->second = told_(row);
    std::ranges::sort(found->second, {}, &ServiceModel::name);
  }
  return found->second;
}

ModelRow Catalog::row_or_guess(const model::ModelRef& ref) const {
  const ProviderRow* provider = find_provider(ref.provider);
  if (const ModelRow* found = find_row(ref)) {
    ModelRow row = *found;
    const ProviderRow* home = find_provider(row.provider);
    // The same model at another place may cost something else.
    if (provider != nullptr && home != nullptr && provider->base_url != home->base_url)
      forget_price(row);
    return row;
  }
  const BuiltInRow* built_in = find_built_in(ref.provider);
  const ModelRow* nearest = find_relative(ref);
  if (nearest == nullptr) return cautious(ref, provider, built_in != nullptr && built_in->free);
  ModelRow guess = *nearest;
  forget_price(guess);
  guess.provider = guess.name = guess.thinking_off = {};
  guess.known = false;
  guess.given = 0;
  return guess;
}

const ModelRow* Catalog::find_relative(const model::ModelRef& ref) const {
  const ProviderRow* provider = find_provider(ref.provider);
  if (provider == nullptr) return nullptr;
  // These serve their own models only; behind the others a vendor's name may mean anything.
  const bool own_only = provider->wire == handover::WireFormat::anthropic ||
                        provider->wire == handover::WireFormat::google;
  const VersionedName wanted = split_version(ref.model);
  const ModelRow* nearest = nullptr;
  std::optional<Kinship> best;
  for (const ModelRow& row : models_) {
    if (row.provider != home_of(ref.provider)) continue;
    const std::optional<Kinship> kin = kinship(wanted, row.name);
    if (!kin || !(kin->family || own_only) || (best && *kin <= *best)) continue;
    best = kin;
    nearest = &row;
  }
  return nearest;
}

std::string_view Catalog::home_of(std::string_view provider) const {
  const ProviderRow* row = find_provider(provider);
  return row != nullptr && !row->home.empty() ? row->home : provider;
}

// With the same keys: what was encrypted for one account is unreadable to another.
std::string_view Catalog::alias_of(const ProviderRow& row, std::string_view model) const {
  const auto found = std::ranges::find_if(providers_, [&](const ProviderRow& other) {
    return other.name != row.name && home_of(other.name) == home_of(row.name) &&
           other.key_variables == row.key_variables && other.key_command == row.key_command &&
           base_url(other) == base_url(row) && routed(other, model).wire == routed(row, model).wire;
  });
  return found == providers_.end() ? std::string_view{} : found->name;
}

const RetiredRow* Catalog::find_retired(const model::ModelRef& ref) const {
  if (find_row(ref) != nullptr) return nullptr;
  const std::string_view home = home_of(ref.provider);
  const auto* const found = std::ranges::find_if(rows::retired, [&](const RetiredRow& row) {
    return row.provider == home && (row.name == ref.model || is_dated(ref.model, row.name));
  });
  return found == std::end(rows::retired) ? nullptr : found;
}

handover::Target Catalog::target(const model::ModelRef& ref,
                                 const handover::Preferences& wishes) const {
  const ProviderRow* row = find_provider(ref.provider);
  if (row == nullptr)
    return handover::target_for(handover::WireFormat::openai_chat, ref.provider, ref.model);
  return target_of(routed(*row, ref.model), find_model(ref), ref, wishes);
}

std::optional<Cost> Catalog::cost(std::string_view model, const model::Usage& usage) const {
  const std::size_t slash = model.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const model::ModelRef ref{std::string(model.substr(0, slash)),
                            std::string(model.substr(slash + 1))};
  return cost_of(usage, find_model(ref));
}

std::optional<Cost> Catalog::cost(const std::map<std::string, model::Usage>& usage) const {
  Cost all;
  for (const auto& [model, tokens] : usage) {
    const std::optional<Cost> one = cost(model, tokens);
    if (!one) return std::nullopt;
    all.dollars += one->dollars;
    all.at_least = all.at_least || one->at_least;
  }
  return usage.empty() ? std::nullopt : std::optional(all);
}

model::ModelRef Catalog::parse(std::string_view text) const {
  if (const auto alias = aliases_.find(text); alias != aliases_.end()) text = alias->second;
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    const auto row = std::ranges::find(models_, text, &ModelRow::name);
    if (row != models_.end()) return {std::string(row->provider), std::string(row->name)};
    const auto* const gone = std::ranges::find(rows::retired, text, &RetiredRow::name);
    if (gone != std::end(rows::retired))
      throw Error(std::string(text) + " ended " + std::string(gone->ended) + "; use " +
                      std::string(gone->provider) + "/" + std::string(gone->instead),
                  ExitStatus::usage);
    throw Error("no model is called " + std::string(text) + "; write it as provider/model",
                ExitStatus::usage);
  }
  const std::string_view provider = text.substr(0, slash), model = text.substr(slash + 1);
  if (find_provider(provider) == nullptr && find_built_in(provider) == nullptr) {
    std::string names;
    for (const ProviderRow& row : providers_) (names += row.name) += ", ";
    names += fallback().name;
    throw Error("unknown provider " + std::string(provider) + "; there are " + names,
                ExitStatus::usage);
  }
  if (const BuiltInRow* const row = find_built_in(provider);
      row != nullptr && !row->model.empty() && !model.empty() && model != row->model)
    throw Error("no model is called " + std::string(text) + "; there is " + std::string(provider) +
                    "/" + std::string(row->model),
                ExitStatus::usage);
  if (model.empty())
    throw Error("no model named after " + std::string(provider) + "/", ExitStatus::usage);
  return {std::string(provider), std::string(model)};
}

std::vector<std::string> Catalog::key_variables() const {
  std::vector<std::string> names;
  for (const ProviderRow& row : providers_)
    for (const std::string_view name : row.key_variables)
      if (!name.empty() && std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  return names;
}

std::string base_url(const ProviderRow& row) {
  const char* variable = row.base_url_variable.empty()
                             ? nullptr
                             : std::getenv(std::string(row.base_url_variable).c_str());
  std::string url(variable != nullptr && *variable != '\0' ? std::string_view(variable)
                                                           : row.base_url);
  url = with_scheme(url, row);
  replace(url, "//0.0.0.0:", "//127.0.0.1:");
  // Other programs want the /v1 in these variables.
  while (url.ends_with('/')) url.pop_back();
  if (url.ends_with("/v1")) url.resize(url.size() - 3);
  return url;
}

ProviderRow routed(const ProviderRow& row, std::string_view model) {
  ProviderRow out = row;
  if (row.responses.family.empty()) return out;
  const std::optional<Version> version = version_behind(model, row.responses.family);
  const bool responses = version ? *version >= row.responses.since || wants_responses(model)
                                 : model.ends_with("-latest");
  if (responses) out.wire = handover::WireFormat::openai_responses;
  return out;
}

handover::Target target_of(const ProviderRow& provider, const ModelRow& model,
                           const model::ModelRef& ref, const handover::Preferences& wishes) {
  const Traits traits = traits_of(provider.wire, ref.model);
  handover::Target target = handover::target_for(provider.wire, ref.provider, ref.model);
  target.provider_alias = model.provider_alias;
  target.takes_images = model.images;
  if (provider.ids) target.ids = *provider.ids;
  target.bridge_text = provider.bridge_text;
  target.images_in_results = target.images_in_results || traits.images_in_results;
  target.signed_calls = traits.signed_calls;
  target.call_ids = traits.call_ids;
  target.reasoning_always = traits.reasoning_always;
  target.prefix_bound = traits.prefix_bound;
  target.seal_family = traits.seal_family;
  target.thinking_as_text = wishes.thinking_as_text;
  return target;
}

wire::ModelFacts facts_of(const ProviderRow& provider, const ModelRow& model,
                          const model::ModelRef& ref) {
  const Traits traits = traits_of(provider.wire, ref.model);
  wire::ModelFacts facts{.max_output = model.max_output, .images = model.images};
  facts.max_tokens_field = provider.max_tokens_field;
  facts.stream_usage = provider.stream_usage;
  if (!model.thinks.empty()) facts.thinking = traits.style;
  facts.levels = model.thinks;
  if (model.known && model.thinks.has(off)) facts.thinking_off = model.thinking_off;
  facts.betas = provider.wire == handover::WireFormat::anthropic &&
                (provider.betas || base_url(provider) == anthropic_address);
  facts.prefix_bound = traits.prefix_bound;
  facts.thinking_display = traits.thinking_display;
  facts.reasoning_always = traits.reasoning_always;
  facts.images_in_results = traits.images_in_results;
  facts.signed_calls = traits.signed_calls;
  facts.call_ids = traits.call_ids;
  return facts;
}

}  // namespace skein::catalog
