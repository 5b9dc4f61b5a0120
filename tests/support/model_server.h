// A model behind HTTP whose server plays a script, and everything that was seen on both sides.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "providers/stream.h"
#include "tests/support/dialects.h"
#include "tests/support/loopback_server.h"

namespace skein::test {

inline constexpr const char* test_key = "sk-test-0123456789abcdef";

class ModelServer {
 public:
  using Script = std::function<void(Connection&, int number)>;

  // `script` runs after each request; `number` counts them from 0.
  ModelServer(const Dialect& dialect, Script script, void* tls_context = nullptr);

  // Asks the model once.
  model::Message run();

  void move_to(const std::string& url);  // where the model is looked for, if not at our own server
  std::string url(std::string_view path = "") const { return server_.url(path); }
  int connections() const { return server_.connections(); }

  std::string streamed() const;  // the text that was shown
  std::size_t retries() const;

  std::vector<std::string> requests{};
  std::vector<model::SentRequest> sent{};  // what is to be recorded of them
  std::vector<model::Event> events{};
  bool keep_events = true;
  std::function<void(const model::Event&)> watch = [](const model::Event&) {};
  std::atomic<bool> stop{false};
  http::Timeouts timeouts{.retry = std::chrono::milliseconds(4)};

 private:
  const Dialect& dialect_;
  catalog::Catalog catalog_{};
  providers::Keyring keys_{};
  std::mutex mutex_{};
  LoopbackServer server_;
};

// The whole answer in one stream.
void play(Connection& peer, const std::string& events);
// "Hello", in two pieces.
std::string hello(const Dialect& dialect);

}  // namespace skein::test
