#include "providers/catalog/catalog.h"

#include "core/text/text.h"
#include "providers/catalog/rows.h"

namespace skein::catalog {

namespace {

// What a model insists on beyond its wire format: by family and version, never by a list of names,
// so that a model of next month follows the newest rule.

// claude-opus-4-5, claude-3-5-haiku, and as others serve it: anthropic.claude-opus-5-5-v1:0.
void add_anthropic(wire::ModelFacts& facts, std::string_view name) {
  const std::size_t claude = name.find("claude");
  if (claude == std::string_view::npos) return;  // another vendor's model in this format
  const std::optional<Version> version = split_version(name.substr(claude)).version;
  if (!since(version, {4, 6})) facts.thinking = wire::ThinkingStyle::budget;
  facts.thinking_display = since(version, {4, 7});
  facts.prefix_bound = since(version, {5, 1});
}

// gemini-3.8-flash, gemini-live-4, and those that have no number because it is always the newest.
void add_google(wire::ModelFacts& facts, std::string_view name) {
  std::optional<Version> version = version_behind(name, "gemini-");
  if (!version) version = version_behind(name, "gemini-live-");
  const bool newest = !version && name.ends_with("-latest");
  const bool third = newest || (version && version->major >= 3);
  facts.signed_calls = facts.images_in_results = facts.call_ids = third;
  if (version && version->major < 3) facts.thinking = wire::ThinkingStyle::budget;
}

struct Family {
  std::string_view prefix;
  Version since{};
};
constexpr Family always_reasoning[] = {{"deepseek-v", {4, 0}}, {"kimi-k", {}}, {"glm-", {5, 0}}};

void add_openai_chat(wire::ModelFacts& facts, std::string_view name) {
  facts.reasoning_always = name.ends_with("deepseek-flash") ||
                           std::ranges::any_of(always_reasoning, [&](const Family& family) {
                             const std::optional<Version> version =
                                 version_behind(name, family.prefix);
                             return version && *version >= family.since;
                           });
}

wire::ModelFacts traits_of(handover::WireFormat wire, std::string_view model) {
  wire::ModelFacts facts{.thinking = wire::ThinkingStyle::effort};
  if (wire == handover::WireFormat::anthropic) add_anthropic(facts, model);
  if (wire == handover::WireFormat::google) add_google(facts, model);
  if (wire == handover::WireFormat::openai_chat) add_openai_chat(facts, model);
  return facts;
}

// One of the parts between hyphens.
bool is_part(std::string_view name, std::string_view word) {
  return ("-" + std::string(name) + "-").find("-" + std::string(word) + "-") != std::string::npos;
}

bool is_dated(std::string_view name, std::string_view of) {
  if (!name.starts_with(of)) return false;
  name.remove_prefix(of.size());
  return name.size() >= 9 && name.starts_with("-20") &&
         name.find_first_not_of("0123456789-") == std::string_view::npos;
}

using enum model::ThinkingLevel;
constexpr model::ThinkingLevels usual_levels{off, low, medium, high};

// An unknown model at an unknown service.
ModelRow cautious(const model::ModelRef& ref, const ProviderRow* provider, bool free) {
  const bool local = provider != nullptr && provider->local;
  const bool sees =
      provider != nullptr && !local && provider->wire != handover::WireFormat::openai_chat;
  // Only this format insists on a limit, and thinking counts towards it.
  const bool limited = provider != nullptr && provider->wire == handover::WireFormat::anthropic;
  return {.window = local ? 32'768 : 128'000,
          .max_output = limited ? 32'000 : 0,
          .thinks = usual_levels,  // if the user asks for it, it is sent
          .images = sees || ref.provider == "openai",
          .prices = free ? Prices{0, 0, 0, 0} : Prices{},
          .known = false};
}

// How well a row fits a model that has none, the best last: of the same family, with the
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
  const auto said = std::ranges::lower_bound(all, ref.model, {}, &ServiceModel::name);
  if (said == all.end() || said->name != ref.model) return row;
  const auto open = [&](unsigned what) { return (row.given & what) == 0; };
  if (said->window > 0 && open(Given::window)) {
    row.window = said->window;
    row.known = true;
  }
  if (said->max_output > 0 && said->max_output < row.window && open(Given::max_output))
    row.max_output = said->max_output;
  if (said->images && open(Given::images)) row.images = *said->images;
  if (said->input && said->output && open(Given::prices)) {
    row.prices = {said->input, said->output, said->cache_read, {}};
    row.tiers = {};
  }
  if (!said->ends.empty()) row.ends = keep(said->ends);
  return row;
}

void Catalog::learn(std::string_view provider, std::vector<ServiceModel> models) {
  std::ranges::sort(models, {}, &ServiceModel::name);
  served_[std::string(provider)] = std::move(models);
}

const std::vector<ServiceModel>& Catalog::served(const ProviderRow& row) const {
  const auto [found, is_new] = served_.try_emplace(std::string(row.name));
  if (is_new && ask_service_) {
    found->second = ask_service_(row);
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

handover::Target Catalog::target(const model::ModelRef& ref) const {
  const ProviderRow* row = find_provider(ref.provider);
  if (row == nullptr)
    return handover::target_for(handover::WireFormat::openai_chat, ref.provider, ref.model);
  return target_of(routed(*row, ref.model), find_model(ref), ref);
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
    all.at_least = all.at_least || !one || one->at_least;
    if (one) all.dollars += one->dollars;
  }
  const bool unknown = all.at_least && all.dollars <= 0;
  return usage.empty() || unknown ? std::nullopt : std::optional(all);
}

const ModelRow* Catalog::newest_of(std::string_view family, std::string_view provider) const {
  const auto is_of = [&](std::string_view name) {
    if (family != "fast") return is_part(name, family);
    return std::ranges::any_of(rows::fast_families,
                               [&](std::string_view word) { return is_part(name, word); });
  };
  const ModelRow* newest = nullptr;
  std::optional<Version> version;
  for (const ModelRow& row : models_) {
    if (row.provider != provider || !is_of(row.name)) continue;
    const std::optional<Version> its = split_version(row.name).version;
    if (newest != nullptr && !(version < its)) continue;
    newest = &row;
    version = its;
  }
  return newest;
}

std::optional<model::ModelRef> Catalog::newest_of(std::string_view family) const {
  std::optional<model::ModelRef> first;
  for (const ProviderRow& provider : providers_) {
    const ModelRow* row = newest_of(family, provider.name);
    if (row == nullptr) continue;
    const model::ModelRef ref{std::string(provider.name), std::string(row->name)};
    if (!usable_ || usable_(provider)) return ref;
    if (!first) first = ref;
  }
  return first;
}

// The name that was probably meant; empty: none is similar.
std::string Catalog::nearest_name(std::string_view text) const {
  std::vector<std::string_view> known(std::begin(rows::families), std::end(rows::families));
  for (const auto& [alias, meaning] : aliases_) known.push_back(alias);
  for (const ModelRow& row : models_) known.push_back(row.name);
  return std::string(nearest(text, known));
}

model::ModelRef Catalog::parse(std::string_view text) const {
  if (const auto alias = aliases_.find(text); alias != aliases_.end()) text = alias->second;
  const auto wrong = [](const std::string& why) { return Error(why, ExitStatus::usage); };
  const std::string whole(text);
  const std::size_t slash = whole.find('/');
  if (slash == std::string::npos) {
    const auto row = std::ranges::find(models_, text, &ModelRow::name);
    if (row != models_.end()) return {std::string(row->provider), whole};
    const auto* const gone = std::ranges::find(rows::retired, text, &RetiredRow::name);
    if (gone == std::end(rows::retired)) {
      if (std::ranges::find(rows::families, text) != std::end(rows::families))
        if (const std::optional<model::ModelRef> newest = newest_of(text)) return *newest;
      const std::string near = nearest_name(text);
      throw wrong("no model is called " + whole +
                  (near.empty() ? "; write it" : "; did you mean " + near + "? Write others") +
                  " as provider/model");
    }
    throw wrong(whole + " ended " + std::string(gone->ended) + "; use " +
                std::string(gone->provider) + "/" + std::string(gone->instead));
  }
  const std::string provider = whole.substr(0, slash), model = whole.substr(slash + 1);
  const BuiltInRow* const built_in = find_built_in(provider);
  if (find_provider(provider) == nullptr && built_in == nullptr) {
    std::string names;
    for (const ProviderRow& row : providers_) (names += row.name) += ", ";
    throw wrong("unknown provider " + provider + "; there are " + names +
                std::string(fallback().name));
  }
  if (model.empty()) throw wrong("the name of the model is missing after " + provider + "/");
  if (built_in != nullptr && !built_in->model.empty() && model != built_in->model)
    throw wrong("no model is called " + whole + "; there is " + provider + "/" +
                std::string(built_in->model));
  return {provider, model};
}

std::vector<std::string> Catalog::key_variables() const {
  std::vector<std::string> names;
  for (const ProviderRow& row : providers_)
    for (const std::string_view name : row.key_variables)
      if (!name.empty() && std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  return names;
}

std::string base_url(const ProviderRow& row) {
  std::string url = env(std::string(row.base_url_variable).c_str());
  url = with_scheme(url.empty() ? std::string(row.base_url) : url, row);
  constexpr std::string_view anywhere = "//0.0.0.0:";
  if (const std::size_t found = url.find(anywhere); found != std::string::npos)
    url.replace(found, anywhere.size(), "//127.0.0.1:");
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
                           const model::ModelRef& ref) {
  const wire::ModelFacts traits = traits_of(provider.wire, ref.model);
  const bool claude = provider.wire == handover::WireFormat::anthropic &&
                      ref.model.find("claude") != std::string::npos;
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
  target.seal_family = claude ? "claude" : "";
  return target;
}

wire::ModelFacts facts_of(const ProviderRow& provider, const ModelRow& model,
                          const model::ModelRef& ref) {
  wire::ModelFacts facts = traits_of(provider.wire, ref.model);
  facts.max_output = model.max_output;
  facts.images = model.images;
  facts.max_tokens_field = provider.max_tokens_field;
  facts.stream_usage = provider.stream_usage;
  if (model.thinks.empty()) facts.thinking = wire::ThinkingStyle::none;
  facts.levels = model.thinks;
  if (model.known && model.thinks.has(off)) facts.thinking_off = model.thinking_off;
  facts.betas = provider.wire == handover::WireFormat::anthropic &&
                (provider.betas || base_url(provider) == anthropic_address);
  return facts;
}

std::optional<std::int64_t> days_until(std::string_view date, std::int64_t now) {
  const std::optional<std::int64_t> end = ms_from_utc(std::string(date) + "T00:00:00.000Z");
  if (!end) return std::nullopt;
  return *end / day_ms - now / day_ms;
}

std::string ending_text(const ModelRow& row, std::int64_t now) {
  const std::optional<std::int64_t> days = days_until(row.ends, now);
  if (!days) return {};
  const auto instead = [&](const char* words) {
    return row.instead.empty() ? "" : words + std::string(row.instead);
  };
  if (*days < 0) return "ended " + std::string(row.ends) + instead("; use ");
  if (*days == 0) return "ends today" + instead(", then ");
  return "ends in " + counted(static_cast<std::size_t>(*days), "day") + instead(", then ");
}

std::string ending_text(const RetiredRow& row) {
  return "ended " + std::string(row.ended) + "; use " + std::string(row.instead);
}

std::string ended_text(const Catalog& catalog, const model::ModelRef& ref, std::int64_t now) {
  if (const RetiredRow* retired = catalog.find_retired(ref))
    return ref.model + " " + ending_text(*retired);
  const ModelRow row = catalog.find_model(ref);
  const std::optional<std::int64_t> days = days_until(row.ends, now);
  return days && *days < 0 ? ref.model + " " + ending_text(row, now) : std::string{};
}

}  // namespace skein::catalog
