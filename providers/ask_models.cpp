#include "providers/ask_models.h"

#include <algorithm>
#include <chrono>

#include "core/text/json.h"
#include "providers/discovery/listing.h"
#include "providers/http/address.h"
#include "providers/http/http.h"
#include "providers/request.h"

namespace skein::providers {

namespace {

using catalog::ServiceModel;
using Models = std::vector<ServiceModel>;
using namespace std::chrono_literals;

constexpr std::size_t most_bytes = std::size_t{4} << 20;
constexpr int most_pages = 10;
constexpr std::size_t most_shown = 50;  // of Ollama, which tells of each by itself

// One service while it is asked.
class Question {
 public:
  Question(const catalog::ProviderRow& row, http::HttpHeaders headers, const model::Ports& ports)
      : row_(row), headers_(std::move(headers)), ports_(ports), base_(catalog::base_url(row)) {
    patience_ = http::is_loopback(http::host_of(base_)) ? 500ms : 5000ms;
  }

  // The body of a good answer; else nothing.
  std::optional<std::string> get(const std::string& path) { return exchange("GET", path, {}); }

  std::optional<Models> ask() {
    switch (row_.listing) {
      case catalog::Listing::openai: return openai();
      case catalog::Listing::anthropic: return anthropic();
      case catalog::Listing::google: return google();
      case catalog::Listing::ollama: return ollama();
      case catalog::Listing::llamacpp: return llamacpp();
      case catalog::Listing::lmstudio: return lmstudio();
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> exchange(const char* method, const std::string& path,
                                      std::string body) {
    if (ports_.stopped()) return std::nullopt;
    http::HttpRequest request{.method = method,
                              .url = base_ + path,
                              .headers = headers_,
                              .body = std::move(body),
                              .patience = {patience_, patience_, patience_}};
    if (!request.body.empty()) request.headers.emplace_back("content-type", "application/json");
    std::string answer;
    http::HttpHandlers handlers;
    handlers.on_body = [&](std::string_view piece) {
      answer += piece;
      return answer.size() <= most_bytes;
    };
    const http::HttpResponse response = http::http_exchange(request, handlers, ports_);
    if (response.end != http::HttpResponse::End::complete || response.status != 200)
      return std::nullopt;
    return answer;
  }

  std::string versioned(const std::string& path) const { return std::string(row_.version) + path; }

  // A port alone proves nothing, 8080 and 8000 are everybody's: it must be shaped like a list.
  static bool is_list(const std::string& body, std::string_view member) {
    const std::optional<Json> json = parse_json(body);
    return json && at(*json, member).is_array();
  }

  std::optional<Models> openai() {
    const auto body = get(versioned("/models"));
    if (!body || !is_list(*body, "data")) return std::nullopt;
    return discovery::openai_models(*body);
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

  std::optional<Models> google() {
    const auto body = get(versioned("/models?pageSize=1000"));
    if (!body || !is_list(*body, "models")) return std::nullopt;
    return discovery::google_models(*body);
  }

  std::optional<Models> ollama() {
    const auto tags = get("/api/tags");
    if (!tags || !is_list(*tags, "models")) return openai();
    Models models = discovery::ollama_tags(*tags);
    for (std::size_t i = 0; i < std::min(models.size(), most_shown); ++i)
      if (const auto shown = exchange("POST", "/api/show", dump({{"model", models[i].name}})))
        discovery::add_ollama_show(models[i], *shown);
    if (const auto running = get("/api/ps")) discovery::add_ollama_running(models, *running);
    return models;
  }

  std::optional<Models> llamacpp() {
    std::optional<Models> models = openai();
    // One that serves several models has no window of its own.
    if (models && models->size() == 1)
      if (const auto props = get("/props"))
        if (const std::int64_t window = discovery::llamacpp_window(*props); window > 0)
          models->front().window = window;
    return models;
  }

  std::optional<Models> lmstudio() {
    const auto body = get("/api/v0/models");
    if (!body || !is_list(*body, "data")) return openai();
    return discovery::openai_models(*body);
  }

  const catalog::ProviderRow& row_;
  http::HttpHeaders headers_;
  const model::Ports& ports_;
  std::string base_;
  std::chrono::milliseconds patience_{};
};

}  // namespace

std::optional<Models> ask_models(const catalog::ProviderRow& row, Keyring& keys,
                                 const model::Ports& ports) {
  http::HttpHeaders headers;
  if (row.wire == handover::WireFormat::anthropic)
    headers.emplace_back("anthropic-version", "2023-06-01");
  if (row.auth != catalog::Auth::none) {
    const auto key = keys.find(variables_of(row), std::string(row.key_command));
    if (!key && row.key_needed) return std::nullopt;
    if (key && !key_refusal(row, catalog::base_url(row)).empty()) return std::nullopt;
    if (key) headers.push_back(key_header(row, *key));
  }
  return Question(row, std::move(headers), ports).ask();
}

}  // namespace skein::providers
