#include "providers/discovery/listing.h"

#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::discovery {

namespace {

using catalog::ServiceModel;

constexpr std::int64_t most_tokens = 1'000'000'000;
constexpr double most_dollars = 1e6;

// The first of these members that is a number of tokens.
std::int64_t tokens_at(const Json& object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const std::int64_t tokens = int_at(object, name); tokens > 0 && tokens <= most_tokens)
      return tokens;
  return 0;
}

// Dollars per token, as OpenRouter writes them: "0.000002". Negative where it depends.
std::optional<double> price_at(const Json& pricing, std::string_view name) {
  const auto dollars = parse_number<double>(string_at(pricing, name));
  if (!dollars) return std::nullopt;
  // Back to the number the service has in its own list: 0.1, and not 0.09999999999999999.
  const double million = std::round(*dollars * 1e12) / 1e6;
  return million >= 0 && million <= most_dollars ? std::optional(million) : std::nullopt;
}

bool holds(const Json& array, std::string_view word) {
  return std::ranges::find(elements(array), Json(word)) != elements(array).end();
}

// 2026-11-30, also at the start of a longer timestamp.
std::string date_at(const Json& object, std::string_view name) {
  const std::string text = string_at(object, name).substr(0, 10);
  const bool shaped = text.size() == 10 && text[4] == '-' && text[7] == '-' &&
                      text.find_first_not_of("0123456789-") == std::string::npos;
  return shaped ? text : std::string{};
}

ServiceModel openai_model(const Json& each) {
  ServiceModel model{.name = string_at(each, "id")};
  // A server that has loaded it knows better than the file it came from.
  model.window = tokens_at(each, {"loaded_context_length", "max_model_len", "context_length",
                                  "context_window", "max_context_length", "max_input_tokens"});
  if (model.window == 0) model.window = tokens_at(at(each, "meta"), {"n_ctx"});
  model.max_output = tokens_at(each, {"max_completion_tokens", "max_output_tokens"});
  const Json& top = at(each, "top_provider");
  if (model.max_output == 0) model.max_output = tokens_at(top, {"max_completion_tokens"});
  if (const Json& inputs = at(at(each, "architecture"), "input_modalities"); inputs.is_array())
    model.images = holds(inputs, "image");
  if (const Json& sees = at(at(each, "capabilities"), "vision"); sees.is_boolean())
    model.images = sees.get<bool>();
  if (string_at(each, "type") == "vlm") model.images = true;
  const Json& pricing = at(each, "pricing");
  model.input = price_at(pricing, "prompt");
  model.output = price_at(pricing, "completion");
  model.cache_read = price_at(pricing, "input_cache_read");
  model.ends = date_at(each, "shutdown_date");
  return model;
}

std::vector<ServiceModel> read_list(std::string_view body, std::string_view member,
                                    const std::function<ServiceModel(const Json&)>& read) {
  std::vector<ServiceModel> out;
  const Json json = parse_json(body).value_or(Json());
  for (const Json& each : list_at(json, member)) {
    if (out.size() == most_models) break;
    ServiceModel model = read(each);
    const bool for_embeddings = string_at(each, "type").starts_with("embedding") ||
                                model.name.find("embed") != std::string::npos;
    if (is_model_name(model.name) && !for_embeddings) out.push_back(std::move(model));
  }
  return out;
}

}  // namespace

bool is_model_name(std::string_view name) {
  constexpr std::size_t longest = 200;
  return !name.empty() && name.size() <= longest &&
         std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f; });
}

std::vector<ServiceModel> openai_models(std::string_view body) {
  return read_list(body, "data", openai_model);
}

std::string next_page(std::string_view body) {
  const Json json = parse_json(body).value_or(Json());
  if (!bool_at(json, "has_more")) return {};
  const std::string last = string_at(json, "last_id");
  const bool plain = std::ranges::all_of(
      last, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
  return plain && last.size() <= 200 ? last : std::string{};
}

std::vector<ServiceModel> google_models(std::string_view body) {
  return read_list(body, "models", [](const Json& each) {
    ServiceModel model;
    if (!holds(at(each, "supportedGenerationMethods"), "generateContent")) return model;
    model.name = string_at(each, "name");
    if (constexpr std::string_view prefix = "models/"; model.name.starts_with(prefix))
      model.name.erase(0, prefix.size());
    model.window = tokens_at(each, {"inputTokenLimit"});
    model.max_output = tokens_at(each, {"outputTokenLimit"});
    return model;
  });
}

std::vector<ServiceModel> ollama_tags(std::string_view body) {
  return read_list(body, "models", [](const Json& each) {
    return ServiceModel{.name = string_at(each, "name", string_at(each, "model"))};
  });
}

void add_ollama_show(ServiceModel& model, std::string_view body) {
  const Json json = parse_json(body).value_or(Json());
  if (const Json& abilities = at(json, "capabilities"); abilities.is_array())
    model.images = holds(abilities, "vision");
  // "num_ctx                        8192" among other lines: what it was made to run with.
  const std::string parameters = string_at(json, "parameters");
  if (const std::size_t found = parameters.find("num_ctx"); found != std::string::npos) {
    const std::size_t number = parameters.find_first_of("0123456789", found);
    std::int64_t tokens = 0;
    if (number != std::string::npos)
      std::from_chars(parameters.data() + number, parameters.data() + parameters.size(), tokens);
    if (tokens > 0 && tokens <= most_tokens) model.window = tokens;
  }
  if (model.window > 0) return;
  // The model could take this much; the server gives it less unless configured otherwise, so only a
  // small one says something.
  constexpr std::int64_t usual = 32'768;
  const Json& info = at(json, "model_info");
  const std::int64_t trained =
      tokens_at(info, {string_at(info, "general.architecture") + ".context_length"});
  if (trained > 0 && trained < usual) model.window = trained;
}

void add_ollama_running(std::vector<ServiceModel>& models, std::string_view body) {
  const Json json = parse_json(body).value_or(Json());
  for (const Json& each : list_at(json, "models")) {
    const std::int64_t tokens = tokens_at(each, {"context_length"});
    const auto found = std::ranges::find(models, string_at(each, "name"), &ServiceModel::name);
    if (tokens > 0 && found != models.end()) found->window = tokens;
  }
}

std::int64_t llamacpp_window(std::string_view body) {
  const Json json = parse_json(body).value_or(Json());
  return tokens_at(at(json, "default_generation_settings"), {"n_ctx"});
}

}  // namespace skein::discovery
