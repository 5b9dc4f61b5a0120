#include "providers/discovery/model_cache.h"

#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/log.h"
#include "providers/discovery/listing.h"

namespace skein::discovery {

namespace {

using catalog::ServiceModel;

constexpr std::size_t most_bytes = std::size_t{8} << 20;
constexpr std::size_t most_places = 64;
constexpr std::int64_t largest_count = 1'000'000'000;

std::int64_t kept_tokens(const Json& json, std::string_view name) {
  const std::int64_t tokens = int_at(json, name);
  return tokens > 0 && tokens <= largest_count ? tokens : 0;
}

std::optional<double> kept_price(const Json& json, std::string_view name) {
  const Json& price = at(json, name);
  if (!price.is_number()) return std::nullopt;
  const auto value = price.get<double>();
  return value >= 0 && value <= 1e6 ? std::optional(value) : std::nullopt;
}

ServiceModel read_model(const Json& json) {
  ServiceModel model{.name = string_at(json, "name"),
                     .window = kept_tokens(json, "window"),
                     .max_output = kept_tokens(json, "maxOutput")};
  if (const Json& images = at(json, "images"); images.is_boolean())
    model.images = images.get<bool>();
  model.input = kept_price(json, "input");
  model.output = kept_price(json, "output");
  model.cache_read = kept_price(json, "cacheRead");
  model.ends = string_at(json, "ends").substr(0, 10);
  return model;
}

Json written(const ServiceModel& model) {
  Json json{{"name", model.name}};
  if (model.window > 0) json["window"] = model.window;
  if (model.max_output > 0) json["maxOutput"] = model.max_output;
  if (model.images) json["images"] = *model.images;
  if (model.input) json["input"] = *model.input;
  if (model.output) json["output"] = *model.output;
  if (model.cache_read) json["cacheRead"] = *model.cache_read;
  if (!model.ends.empty()) json["ends"] = model.ends;
  return json;
}

}  // namespace

void ModelCache::load() {
  if (std::exchange(loaded_, true) || file_.empty()) return;
  const Json json = parse_json(read_small_file(file_, most_bytes)).value_or(Json());
  for (const Json& service : list_at(json, "services")) {
    const Json& models = at(service, "models");
    if (!models.is_array() || all_.size() == most_places) continue;
    CachedListing& listing = all_[string_at(service, "place")];
    listing.fetched = int_at(service, "fetched");
    for (const Json& each : models) {
      if (listing.models.size() == most_models) break;
      if (ServiceModel model = read_model(each); is_model_name(model.name))
        listing.models.push_back(std::move(model));
    }
  }
}

const CachedListing* ModelCache::find(const std::string& place) {
  load();
  const auto found = all_.find(place);
  return found == all_.end() ? nullptr : &found->second;
}

void ModelCache::keep(const std::string& place, CachedListing listing) {
  // Another process may have written in between.
  loaded_ = false;
  all_.clear();
  load();
  if (all_.size() == most_places) all_.clear();
  all_[place] = std::move(listing);
  if (file_.empty()) return;
  Json services = Json::array();
  for (const auto& [name, each] : all_) {
    Json models = Json::array();
    for (const ServiceModel& model : each.models) models.push_back(written(model));
    services.push_back({{"place", name}, {"fetched", each.fetched}, {"models", std::move(models)}});
  }
  const std::string bytes = dump({{"version", 1}, {"services", std::move(services)}}) + "\n";
  if (bytes.size() > most_bytes || !replace_small_file(file_, bytes))
    log_warning("model list not kept", {{"bytes", bytes.size()}});
}

}  // namespace skein::discovery
