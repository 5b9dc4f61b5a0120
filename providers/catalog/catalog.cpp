#include "providers/catalog/catalog.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "providers/catalog/rows.h"

namespace skein::catalog {

namespace {

// The Responses dialect is spoken with the same models.
std::string_view model_home(std::string_view provider) {
  return provider == "openai-responses" ? "openai" : provider;
}

bool is_dated(std::string_view name, std::string_view of) {
  if (!name.starts_with(of)) return false;
  name.remove_prefix(of.size());
  return name.size() >= 9 && name.starts_with("-20") &&
         name.find_first_not_of("0123456789-") == std::string_view::npos;
}

ModelRow cautious(const model::ModelRef& ref, const ProviderRow* provider, bool free) {
  const bool local = provider != nullptr && provider->local;
  const bool sees =
      provider != nullptr && !local && provider->wire != handover::WireFormat::openai_chat;
  return {.provider = {},
          .name = {},
          .window = local ? 32'768 : 128'000,
          .max_output = local ? 4'096 : 8'192,
          .thinks = Thinks::optional,  // if the user asks for it, it is sent
          .images = sees || ref.provider == "openai",
          .prices = free ? Prices{0, 0, 0, 0} : Prices{},
          .known = false};
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

// A relay may not know them, so an address alone never turns them on.
bool knows_betas(const ProviderRow& provider) {
  return provider.betas || base_url(provider) == "https://api.anthropic.com";
}

// Budgets are how the older models of the table are told; what is newer than the table takes words.
wire::ThinkingStyle thinking_style(handover::WireFormat wire, const ModelRow& model) {
  const bool budget =
      wire == handover::WireFormat::anthropic || wire == handover::WireFormat::google;
  return budget && model.known ? wire::ThinkingStyle::budget : wire::ThinkingStyle::effort;
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

Catalog::Catalog()
    : providers_(std::begin(rows::providers), std::end(rows::providers)),
      models_(std::begin(rows::models), std::end(rows::models)) {}

std::string_view Catalog::keep(std::string_view text) { return texts_.emplace_back(text); }

void Catalog::add(const ProviderRow& row) {
  ProviderRow own = row;
  for (std::string_view* text :
       {&own.name, &own.base_url, &own.version, &own.max_tokens_field, &own.key_variables[0],
        &own.key_variables[1], &own.base_url_variable, &own.key_command})
    *text = keep(*text);
  std::erase_if(providers_, [&](const ProviderRow& old) { return old.name == own.name; });
  providers_.push_back(own);
}

void Catalog::add(const ModelRow& row) {
  ModelRow own = row;
  own.provider = keep(own.provider);
  own.name = keep(own.name);
  own.thinking_off = keep(own.thinking_off);
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

ModelRow Catalog::find_model(const model::ModelRef& ref) const {
  const ModelRow* best = nullptr;
  for (const ModelRow& row : models_) {
    if (row.provider != ref.provider && row.provider != model_home(ref.provider)) continue;
    if (row.name == ref.model) return row;
    if (is_dated(ref.model, row.name) && (!best || row.name.size() > best->name.size()))
      best = &row;
  }
  if (best != nullptr) return *best;
  const BuiltInRow* built_in = find_built_in(ref.provider);
  return cautious(ref, find_provider(ref.provider), built_in != nullptr && built_in->free);
}

std::optional<double> Catalog::cost(std::string_view model, const model::Usage& usage) const {
  const std::size_t slash = model.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const model::ModelRef ref{std::string(model.substr(0, slash)),
                            std::string(model.substr(slash + 1))};
  return cost_usd(usage, find_model(ref).prices);
}

std::optional<double> Catalog::cost(const std::map<std::string, model::Usage>& usage) const {
  double dollars = 0;
  for (const auto& [model, tokens] : usage) {
    const std::optional<double> one = cost(model, tokens);
    if (!one) return std::nullopt;
    dollars += *one;
  }
  return usage.empty() ? std::nullopt : std::optional(dollars);
}

model::ModelRef Catalog::parse(std::string_view text) const {
  if (const auto alias = aliases_.find(text); alias != aliases_.end()) text = alias->second;
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    const auto row = std::ranges::find(models_, text, &ModelRow::name);
    if (row != models_.end()) return {std::string(row->provider), std::string(row->name)};
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

handover::Target target_of(const ProviderRow& provider, const ModelRow& model,
                           const model::ModelRef& ref, const handover::Preferences& wishes) {
  handover::Target target = handover::target_for(provider.wire, ref.provider, ref.model);
  target.takes_images = model.images;
  target.thinking_as_text = wishes.thinking_as_text;
  return target;
}

wire::ModelFacts facts_of(const ProviderRow& provider, const ModelRow& model,
                          const model::ModelRef& ref) {
  wire::ModelFacts facts{.max_output = model.max_output, .images = model.images};
  facts.max_tokens_field = provider.max_tokens_field;
  facts.stream_usage = provider.stream_usage;
  if (model.thinks != Thinks::no) facts.thinking = thinking_style(provider.wire, model);
  if (model.thinks == Thinks::optional && model.known) facts.thinking_off = model.thinking_off;
  const handover::Target target = target_of(provider, model, ref);
  facts.prefix_bound = target.prefix_bound;
  facts.reasoning_always = target.reasoning_always;
  facts.images_in_results = target.images_in_results;
  facts.signed_calls = target.signed_calls;
  facts.call_ids = target.call_ids;
  facts.betas = knows_betas(provider);
  return facts;
}

}  // namespace skein::catalog
