// Plays every scenario of a server's or network's misbehaviour, with every wire format. Whatever
// happens, the turn ends with a message that says so, nothing half-made is a call, a request is
// sent again only where that is right, and the key is seen by nobody else.
//   scenario_sweep [name]      only those whose name contains it
#include <chrono>
#include <cstring>

#include "tests/support/environment.h"
#include "tests/support/model_server.h"
#include "tests/support/scenarios.h"
#include "tests/support/sweep.h"
#include "tests/support/temp_dir.h"

using namespace skein;
using namespace skein::test;
using namespace std::chrono_literals;

namespace {

constexpr auto tls = Scenario::Road::tls;

struct World {
  Authority authority{};
  TempDir folder{};
};

// What was wrong; empty: nothing.
std::string wrong(const Scenario& scenario, const Dialect& dialect, const World& world) {
  Scene scene{dialect};
  std::mutex mutex;
  std::string elsewhere;  // what the other host was sent
  LoopbackServer other([&](Connection& peer) {
    const std::string request = peer.request();
    const std::lock_guard lock(mutex);
    elsewhere += request;
    peer.answer(400, R"({"error":{"message":"other host"}})");
  });
  scene.other = &other;
  TlsContext context;
  if (scenario.road == tls) context = world.authority.server(scenario.certificate);
  ModelServer server(
      dialect, [&](Connection& peer, int number) { scenario.script(peer, number, scene); },
      context.get());
  // Where nothing comes, the limit is short that is to be met. The others are for a busy machine.
  server.timeouts = {.connect = 25s, .answer = 25s, .idle = 25s, .retry = 1ms};
  if (std::strstr(scenario.name, "silence in the middle")) server.timeouts.idle = 1500ms;
  if (std::strstr(scenario.name, "silence instead")) server.timeouts.answer = 700ms;
  server.watch = [&](const model::Event&) { scene.heard = true; };
  std::optional<Environment> proxy;
  if (scenario.road == Scenario::Road::proxy) {
    proxy.emplace("HTTPS_PROXY", server.url().c_str());
    server.move_to("https://model.invalid");
  }
  if (scenario.road == Scenario::Road::closed)
    server.move_to("http://127.0.0.1:" + std::to_string(closed_port()));

  const auto start = std::chrono::steady_clock::now();
  const model::Message message = server.run();
  const auto took = std::chrono::steady_clock::now() - start;

  if (message.stop != scenario.stop)
    return "it ended as " + std::to_string(static_cast<int>(message.stop)) + ": " + message.error;
  if (static_cast<int>(server.requests.size()) != scenario.requests)
    return std::to_string(server.requests.size()) + " requests";
  if (scenario.text && model::plain_text(message) != scenario.text)
    return "text: " + model::plain_text(message);
  if (message.error.find(scenario.error) == std::string::npos) return "error: " + message.error;
  const bool failed =
      message.stop == model::Stop::error || message.stop == model::Stop::interrupted;
  if (failed == message.error.empty()) return "an error without words, or words without an error";
  if (message.error.size() > 2000) return "an endless error";
  if (server.streamed() != model::plain_text(message)) return "shown: " + server.streamed();
  if (message.stop == model::Stop::tool_use
          ? model::tool_uses(message).size() != 1
          : message.stop == model::Stop::stop && !model::tool_uses(message).empty())
    return "calls that were not made";
  if (message.error.find(test_key) != std::string::npos) return "the key is shown";
  if (took > 30s) return "it took too long";
  for (std::size_t i = 1; i < server.requests.size(); ++i) {
    const auto body = [&](std::size_t n) {
      return server.requests[n].substr(server.requests[n].find("\r\n\r\n"));
    };
    if (body(i) != body(0)) return "another request the second time";
  }
  const std::lock_guard lock(mutex);
  if (elsewhere.find(test_key) != std::string::npos) return "the key went to another host";
  if (scenario.road == Scenario::Road::proxy &&
      server.requests[0].find(test_key) != std::string::npos)
    return "the key went to the proxy";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const World world;
  world.authority.write_certificate(world.folder / "ca.pem");
  const Environment bundle("CURL_CA_BUNDLE", nullptr), folder("SSL_CERT_DIR", nullptr);
  const Environment file("SSL_CERT_FILE", (world.folder / "ca.pem").c_str());
  Sweep sweep("scenario_sweep");
  for (const Scenario& scenario : scenarios()) {
    if (argc > 1 && std::strstr(scenario.name, argv[1]) == nullptr) continue;
    for (const Dialect& dialect : dialects()) {
      sweep.count();
      const std::string trouble = wrong(scenario, dialect, world);
      sweep.check(trouble.empty(), [&] {
        return std::string(scenario.name) + ", " + dialect.provider + ": " + trouble;
      });
    }
  }
  const bool enough = argc > 1 || sweep.states() >= 256;
  return sweep.end("scenarios") == 0 && enough ? 0 : 1;
}
