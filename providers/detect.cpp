#include "providers/detect.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/wait.h"
#include "providers/discovery/listing.h"

namespace skein::providers {

namespace {

using namespace std::chrono_literals;

// The port of http://127.0.0.1:… or http://localhost:…; 0 for every other address.
std::uint16_t loopback_port(std::string_view url) {
  for (const std::string_view prefix : {"http://127.0.0.1:", "http://localhost:"}) {
    std::uint16_t port = 0;
    if (!url.starts_with(prefix)) continue;
    std::from_chars(url.data() + prefix.size(), url.data() + url.size(), port);
    return port;
  }
  return 0;
}

// A socket that is being connected; none if that failed at once.
Fd begin_connecting(std::uint16_t port) {
  Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int result = connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  return result == 0 || errno == EINPROGRESS ? std::move(fd) : Fd();
}

bool was_accepted(const Fd& fd) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

// Polls all of them until each has an answer or the time is over.
std::vector<bool> who_accepts(const std::vector<std::uint16_t>& ports) {
  std::vector<Fd> attempts;
  std::vector<pollfd> waiting;
  for (const std::uint16_t port : ports)
    waiting.push_back({attempts.emplace_back(begin_connecting(port)).get(), POLLOUT, 0});
  std::vector<bool> accepted(ports.size(), false);
  const Deadline end = std::chrono::steady_clock::now() + 150ms;
  const auto any_left = [&] {
    return std::ranges::any_of(waiting, [](const pollfd& each) { return each.fd >= 0; });
  };
  while (any_left() && wait(waiting, end) == Wake::ready)
    for (std::size_t i = 0; i < waiting.size(); ++i)
      if (waiting[i].fd >= 0 && waiting[i].revents != 0) {
        accepted[i] = (waiting[i].revents & POLLOUT) != 0 && was_accepted(attempts[i]);
        waiting[i].fd = -1;
      }
  return accepted;
}

}  // namespace

std::vector<LocalServer> listening_servers(const catalog::Catalog& catalog) {
  std::vector<LocalServer> places;
  std::vector<std::uint16_t> numbers;
  for (const catalog::ProviderRow& row : catalog.providers()) {
    const std::string url = catalog::base_url(row);
    const std::uint16_t port = loopback_port(url);
    if (port == 0) continue;
    places.push_back({std::string(row.name), url});
    numbers.push_back(port);
  }
  const std::vector<bool> accepted = who_accepts(numbers);
  for (std::size_t i = places.size(); i-- > 0;)
    if (!accepted[i]) places.erase(places.begin() + static_cast<std::ptrdiff_t>(i));
  return places;
}

std::vector<LocalServer> find_local_servers(const catalog::Catalog& catalog,
                                            const model::Ports& ports) {
  std::vector<LocalServer> found;
  for (LocalServer& place : listening_servers(catalog)) {
    if (ports.stopped()) break;
    // A port alone proves nothing: 8080 and 8000 are everybody's.
    const http::HttpAnswer answer = http::http_get(place.base_url + "/v1/models", {}, 500ms, ports);
    const auto list = answer.response.status == 200 ? parse_json(answer.body) : std::nullopt;
    if (!list || !at(*list, "data").is_array()) continue;
    for (catalog::ServiceModel& model : discovery::openai_models(answer.body))
      place.models.push_back(std::move(model.name));
    found.push_back(std::move(place));
  }
  return found;
}

}  // namespace skein::providers
