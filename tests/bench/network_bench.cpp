// How fast a stop is noticed while a server is silent, and what an exchange costs beside a bare
// one on the same connection. One line per workload; ratios are of one run.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>
#include <vector>

#include "providers/detect.h"
#include "providers/http/http.h"
#include "providers/offline/offline.h"
#include "providers/stream.h"
#include "tests/support/dialects.h"
#include "tests/support/loopback_server.h"

using namespace skein;
using namespace skein::test;
using Clock = std::chrono::steady_clock;

namespace {

std::atomic<bool> stop_asked{false};

double milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

void print(const char* what, std::vector<double> numbers) {
  std::ranges::sort(numbers);
  std::printf("%-48s median %8.3f ms   worst %8.3f ms   (%zu)\n", what, numbers[numbers.size() / 2],
              numbers.back(), numbers.size());
}

model::Ports stoppable() {
  model::Ports ports;
  ports.stop = &stop_asked;
  return ports;
}

// From the signal to the return of the exchange, the server saying nothing.
double cancel_silent(const std::string& url) {
  stop_asked = false;
  Clock::time_point sent{};
  const pthread_t self = pthread_self();
  std::thread user([&] {
    ::poll(nullptr, 0, 15);
    sent = Clock::now();
    pthread_kill(self, SIGINT);
  });
  http::http_exchange({.url = url, .body = "{}"}, {}, stoppable());
  const auto end = Clock::now();
  user.join();
  return milliseconds(end - sent);
}

double cancel_offline() {
  stop_asked = false;
  Clock::time_point sent{};
  const pthread_t self = pthread_self();
  std::thread user([&] {
    ::poll(nullptr, 0, 15);
    sent = Clock::now();
    pthread_kill(self, SIGINT);
  });
  offline::OfflineProvider(std::chrono::milliseconds(1000))
      .stream({.messages = {model::user_message("help")}}, {"offline", "demo"}, stoppable());
  const auto end = Clock::now();
  user.join();
  return milliseconds(end - sent);
}

template <class Work>
std::vector<double> times(int count, const Work& work) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    work();
    out.push_back(milliseconds(Clock::now() - start));
  }
  return out;
}

}  // namespace

int main() {
  struct sigaction action {};
  action.sa_handler = [](int) { stop_asked = true; };
  sigaction(SIGINT, &action, nullptr);

  LoopbackServer silent([](Connection& peer) { peer.request(), peer.wait_until_closed(); });
  std::vector<double> cancels, offline;
  for (int i = 0; i < 50; ++i) cancels.push_back(cancel_silent(silent.url()));
  for (int i = 0; i < 50; ++i) offline.push_back(cancel_offline());
  print("stop a silent server", cancels);
  print("stop offline/demo between two words", offline);
  stop_asked = false;

  LoopbackServer keeper([](Connection& peer) {
    while (!peer.request().empty()) peer.answer(200, "ok");
  });
  LoopbackServer closer([](Connection& peer) {
    peer.request();
    peer.answer(200, "ok", "connection: close\r\n");
  });
  print("exchange on a kept connection",
        times(200, [&] { http::http_exchange({.url = keeper.url(), .body = "{}"}, {}, {}); }));
  print("exchange on a new connection",
        times(200, [&] { http::http_exchange({.url = closer.url(), .body = "{}"}, {}, {}); }));

  const catalog::Catalog catalog;
  print("look for local servers, none there",
        times(20, [&] { providers::find_local_servers(catalog, {}); }));

  for (const Dialect& dialect : dialects()) {
    std::string many = dialect.begin;
    constexpr int pieces = 100'000;
    for (int i = 0; i < pieces; ++i) many += dialect.text("x");
    many += dialect.end;
    LoopbackServer server([&](Connection& peer) {
      peer.request();
      peer.begin_stream();
      peer.chunk(many);
      peer.end_stream();
    });
    catalog::Catalog moved;
    moved.move_provider(dialect.provider, server.url());
    providers::Keyring keys;
    providers::HttpProvider provider(moved, keys);
    const auto start = Clock::now();
    const model::Message message = provider.stream({.messages = {model::user_message("hi")}},
                                                   {dialect.provider, dialect.model}, {});
    const double took = milliseconds(Clock::now() - start);
    std::printf("%-48s %8.2f us per event   %6.1f MB/s   %s\n",
                ("stream of 100,000 events, " + dialect.provider).c_str(), took * 1000 / pieces,
                static_cast<double>(many.size()) / took / 1000,
                model::plain_text(message).size() == pieces ? "whole" : "NOT WHOLE");
  }
  return 0;
}
