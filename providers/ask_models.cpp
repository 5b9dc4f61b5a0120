#include "providers/ask_models.h"

#include "core/text/json.h"
#include "providers/discovery/listing.h"
#include "providers/http/address.h"
#include "providers/request.h"

namespace skein::providers {

namespace {

using namespace std::chrono_literals;
using catalog::ServiceModel;

using Models = std::vector<ServiceModel>;

constexpr int most_pages = 10;
constexpr std::size_t most_shown = 50;  // of Ollama, which tells of each by itself

// One service while it is asked.
class ModelListRequest {
 public:
  ModelListRequest(const catalog::ProviderRow& row, http::HttpHeaders headers,
                   const model::Ports& ports)
      : row_(row), headers_(std::move(headers)), ports_(ports), base_(catalog::base_url(row)) {
    timeout_ = http::is_loopback(http::host_of(base_)) ? 500ms : 5000ms;
  }

  std::optional<Models> ask() {
    switch (row_.listing) {
      case catalog::ModelListing::openai: return openai();
      case catalog::ModelListing::anthropic: return anthropic();
      case catalog::ModelListing::google:
        return listed(versioned("/models?pageSize=1000"), "models", discovery::google_models);
      case catalog::ModelListing::ollama: return ollama();
      case catalog::ModelListing::llamacpp: return llamacpp();
      case catalog::ModelListing::lmstudio:
        if (auto models = listed("/api/v0/models", "data", discovery::openai_models)) return models;
        return openai();
    }
    return std::nullopt;
  }

 private:
  // The body of a good answer; else nothing. A POST if there is something to send.
  std::optional<std::string> get(const std::string& path, std::string sent = {}) {
    if (ports_.stopped()) return std::nullopt;
    http::HttpRequest request{.method = sent.empty() ? "GET" : "POST",
                              .url = base_ + path,
                              .headers = headers_,
                              .body = std::move(sent),
                              .timeouts = {timeout_, timeout_, timeout_}};
    if (!request.body.empty()) request.headers.emplace_back("content-type", "application/json");
    http::HttpAnswer answer = http::http_answer(request, ports_);
    const bool good =
        answer.response.end == http::HttpResponse::End::complete && answer.response.status == 200;
    return good ? std::optional(std::move(answer.body)) : std::nullopt;
  }

  std::string versioned(const std::string& path) const { return std::string(row_.version) + path; }

  // A port alone proves nothing, 8080 and 8000 are everybody's: it must be shaped like a list.
  static bool is_list(const std::string& body, std::string_view member) {
    return at(parse_json(body).value_or(Json()), member).is_array();
  }

  std::optional<Models> listed(const std::string& path, std::string_view member,
                               Models (*read)(std::string_view body)) {
    const auto body = get(path);
    return body && is_list(*body, member) ? std::optional(read(*body)) : std::nullopt;
  }

  std::optional<Models> openai() {
    return listed(versioned("/models"), "data", discovery::openai_models);
  }

  std::optional<Models> anthropic() {
    Models all;
    std::string after;
    for (int page = 0; page < most_pages; ++page) {
      const auto body =
          get(versioned("/models?limit=1000") + (after.empty() ? "" : "&after_id=" + after));
      if (!body || !is_list(*body, "data")) return page == 0 ? std::nullopt : std::optional(all);
      std::ranges::move(discovery::openai_models(*body), std::back_inserter(all));
      after = discovery::next_page(*body);
      if (after.empty() || all.size() >= discovery::most_models) break;
    }
    return all;
  }

  std::optional<Models> ollama() {
    const auto tags = get("/api/tags");
    if (!tags || !is_list(*tags, "models")) return openai();
    Models models = discovery::ollama_tags(*tags);
    for (std::size_t i = 0; i < std::min(models.size(), most_shown); ++i)
      if (const auto shown = get("/api/show", dump({{"model", models[i].name}})))
        discovery::add_ollama_show(models[i], *shown);
    if (const auto running = get("/api/ps")) discovery::add_ollama_running(models, *running);
    return models;
  }

  std::optional<Models> llamacpp() {
    std::optional<Models> models = openai();
    // One that serves several models has none that holds for all.
    if (models && models->size() == 1)
      if (const auto props = get("/props"))
        if (const std::int64_t window = discovery::llamacpp_window(*props); window > 0)
          models->front().window = window;
    return models;
  }

  const catalog::ProviderRow& row_;
  http::HttpHeaders headers_;
  const model::Ports& ports_;
  std::string base_;
  std::chrono::milliseconds timeout_{};
};

// What a query without a body is sent with.
struct QueryHeaders {
  http::HttpHeaders headers{};
  std::string refusal{};  // why it must not be sent: a sentence for the user
};

QueryHeaders headers_for(const catalog::ProviderRow& row, Keyring& keys) {
  QueryHeaders out;
  if (row.wire == handover::WireFormat::anthropic)
    out.headers.emplace_back("anthropic-version", "2023-06-01");
  if (row.auth == catalog::Auth::none) return out;
  const auto key = keys.find(key_sources(row));
  if (key) {
    out.refusal = key_refusal(row, catalog::base_url(row));
    out.headers.push_back(key_header(row, *key));
  } else if (row.key_needed) {
    out.refusal = "there is no key for " + std::string(row.name) + " yet: " + how_to_give_key(row);
  }
  return out;
}

}  // namespace

std::optional<Models> ask_models(const catalog::ProviderRow& row, Keyring& keys,
                                 const model::Ports& ports) {
  QueryHeaders query = headers_for(row, keys);
  if (!query.refusal.empty()) return std::nullopt;
  return ModelListRequest(row, std::move(query.headers), ports).ask();
}

KeyCheck check_key(const catalog::ProviderRow& row, Keyring& keys, const model::Ports& ports) {
  const std::string name(row.name);
  const QueryHeaders query = headers_for(row, keys);
  if (!query.refusal.empty()) return {KeyCheck::Result::refused, query.refusal};
  const http::HttpAnswer answer =
      http::http_get(catalog::base_url(row) + std::string(row.version) + "/models", query.headers,
                     std::chrono::seconds(10), ports);
  const int status = answer.response.status;
  if (answer.response.end != http::HttpResponse::End::complete)
    return {KeyCheck::Result::unknown,
            name + " cannot be reached: " + mask_secrets(answer.response.trouble, keys.secrets())};
  if (status >= 200 && status < 300) return {KeyCheck::Result::accepted, name + " accepts the key"};
  const wire::Explanation why =
      codec_of(row.wire).explain(status, answer.body, answer.response.headers);
  return {status == 401 || status == 403 ? KeyCheck::Result::refused : KeyCheck::Result::unknown,
          name + " answers: " + mask_secrets(why.text, keys.secrets())};
}

}  // namespace skein::providers
