// What servers and networks do to a turn, as a table: a script for the server, and how the turn
// must end.
#pragma once

#include <atomic>
#include <span>
#include <thread>

#include "core/model/message.h"
#include "tests/support/certificates.h"
#include "tests/support/dialects.h"
#include "tests/support/loopback_server.h"

namespace skein::test {

// What a script can see besides its connection.
struct Scene {
  const Dialect& dialect;
  LoopbackServer* other = nullptr;  // another host, for redirects
  std::atomic<bool> heard{false};   // the client has shown something

  // A reset may overtake what was sent before it; so may anything a test must see in order.
  void wait_until_heard() const {
    while (!heard) std::this_thread::yield();
  }
};

using Script = void (*)(Connection&, int number, Scene&);

struct Scenario {
  const char* name;
  Script script;
  model::Stop stop;
  int requests;
  const char* text = "";   // what the message keeps
  const char* error = "";  // a part of what the user reads
  enum class Road { plain, tls, proxy, closed } road = Road::plain;
  CertificateWish certificate{};
};

std::span<const Scenario> scenarios();

}  // namespace skein::test
