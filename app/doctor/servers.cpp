// Model servers of this machine: connections are tried to all of them at the same time, and who
// takes one is asked for its models, all of that within a second.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "app/doctor/checks.h"
#include "core/text/amounts.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "providers/detect.h"
#include "providers/http/http.h"

namespace skein::doctor {

namespace {

using providers::LocalServer;

// Sets a flag when the time is over, unless it ends before.
class Patience {
 public:
  explicit Patience(std::chrono::milliseconds time)
      : watch_([this, time](const std::stop_token& ended) {
          std::unique_lock lock(mutex_);
          if (!sleeping_.wait_for(lock, ended, time, [] { return false; }) &&
              !ended.stop_requested())
            over_ = true;
        }) {}
  const std::atomic<bool>* over() const { return &over_; }

 private:
  std::mutex mutex_{};
  std::condition_variable_any sleeping_{};
  std::atomic<bool> over_ = false;
  std::jthread watch_;  // last: it uses the others
};

const LocalServer* server_of(const std::vector<LocalServer>& all, std::string_view provider) {
  const auto found = std::ranges::find(all, provider, &LocalServer::provider);
  return found == all.end() ? nullptr : &*found;
}

bool is_loopback(std::string_view url) {
  return url.starts_with("http://127.") || url.starts_with("http://localhost");
}

struct Found {
  std::vector<LocalServer> listening{};  // on this machine, whatever they are
  std::vector<LocalServer> naming{};     // model servers
};
Found look_for_servers(const catalog::Catalog& catalog) {
  Found found{.listening = providers::listening_servers(catalog)};
  const Patience patience(std::chrono::seconds(1));
  const model::Ports ports{.stop = patience.over()};
  try {
    if (!found.listening.empty()) found.naming = providers::find_local_servers(catalog, ports);
    // One that the user has moved to another machine.
    for (const catalog::ProviderRow& row : catalog.providers())
      if (const std::string url = catalog::base_url(row);
          row.local && !is_loopback(url) && !ports.stopped())
        if (http::http_get(url + "/v1/models", {}, std::chrono::milliseconds(500), ports)
                .response.status == 200)
          found.naming.push_back({std::string(row.name), url});
  } catch (const Error&) {
    // The network module does not load; that is another check's to tell.
  }
  return found;
}

bool is_chosen(const Surroundings& here, std::string_view provider) {
  return here.config.model.starts_with(std::string(provider) + "/");
}

}  // namespace

Finding look_at_servers(const Surroundings& here) {
  Finding found;
  const Found servers = look_for_servers(here.catalog);
  std::vector<std::string> running;
  Json facts = Json::array();
  for (const catalog::ProviderRow& row : here.catalog.providers()) {
    const LocalServer* const server = server_of(servers.naming, row.name);
    const bool listens = server != nullptr || server_of(servers.listening, row.name) != nullptr;
    if (!row.local && !listens) continue;
    const std::string name(row.name), url = catalog::base_url(row);
    if (server != nullptr)
      running.push_back(name + " (" + counted(server->models.size(), "model") + ")");
    const std::string state = server != nullptr ? "answers"
                              : listens         ? "something listens there, and names no models"
                                                : "nobody answers there";
    found.details.push_back(name + " at " + url + ": " + state);
    facts.push_back({{"provider", name},
                     {"url", url},
                     {"listens", listens},
                     {"models", server != nullptr ? Json(server->models) : Json::array()}});
    if (server == nullptr && is_chosen(here, row.name))
      found.problems.push_back("the model is " + here.config.model + ", and at " + url + " " +
                               state.substr(0, state.find(" there")) +
                               ": start that server, or choose another model with -m");
  }
  found.note = running.empty() ? "none runs" : listed(running);
  found.facts = dump({{"servers", std::move(facts)}});
  return found;
}

}  // namespace skein::doctor
