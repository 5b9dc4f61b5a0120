#include "tests/support/model_server.h"

#include <algorithm>

#include "tests/support/environment.h"

namespace skein::test {

ModelServer::ModelServer(const Dialect& dialect, Script script, void* tls_context)
    : dialect_(dialect),
      server_(
          [this, script](Connection& peer) {
            for (;;) {
              std::string request = peer.request();
              if (request.empty()) return;
              int number = 0;
              {
                const std::lock_guard lock(mutex_);
                requests.push_back(std::move(request));
                number = static_cast<int>(requests.size()) - 1;
              }
              script(peer, number);
            }
          },
          tls_context) {
  const Environment key("SKEIN_TEST_KEY", test_key);
  keys_.take_environment({"SKEIN_TEST_KEY"});
  catalog::ProviderRow row = *catalog_.find_provider(dialect.provider);
  row.key_variables = {"SKEIN_TEST_KEY"};
  catalog_.add(row);
  move_to(server_.url());
}

void ModelServer::move_to(const std::string& url) {
  catalog_.move_provider(dialect_.provider, url);
}

model::Message ModelServer::run() {
  model::Ports ports;
  ports.stop = &stop;
  ports.sink = [this](const model::Event& event) {
    if (keep_events) events.push_back(event);
    watch(event);
  };
  return providers::HttpProvider(catalog_, keys_, timeouts)
      .stream({.messages = {model::user_message("hi")},
               .on_sent = [this](const model::SentRequest& each) { sent.push_back(each); }},
              {dialect_.provider, dialect_.model}, ports);
}

std::string ModelServer::streamed() const {
  std::string text;
  for (const model::Event& event : events)
    if (const auto* streaming = std::get_if<model::Streaming>(&event))
      if (const auto* piece = std::get_if<model::delta::TextPiece>(&streaming->delta))
        text += piece->text;
  return text;
}

std::size_t ModelServer::retries() const {
  return static_cast<std::size_t>(std::ranges::count_if(events, [](const model::Event& event) {
    return std::holds_alternative<model::Retrying>(event);
  }));
}

void play(Connection& peer, const std::string& events) {
  peer.begin_stream();
  peer.chunk(events);
  peer.end_stream();
}

std::string hello(const Dialect& dialect) {
  return dialect.begin + dialect.text("Hel") + dialect.text("lo") + dialect.end;
}

}  // namespace skein::test
