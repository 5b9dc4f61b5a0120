// Shows a shared session to one browser of this machine: loopback only, read only. The address has
// a token that works once; who opened it has a cookie, and everybody else is refused.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <string>

#include "app/http_request.h"
#include "app/shared_session.h"
#include "core/text/fd.h"

namespace skein::app {

class PageServer {
 public:
  // Port 0: any that is free. Throws Error if it cannot be had. `session` must outlive it.
  PageServer(SharedSession& session, std::uint16_t port);

  std::string address() const;  // with the token
  void run(const std::function<bool()>& stop);

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    Fd socket{};
    std::string in{}, out{};
    std::size_t written = 0;
    bool answered = false;
    bool known = false;         // it has shown the token or the cookie
    bool streams = false;       // gets what comes as long as it stays
    std::size_t entries = 0;    // that a stream has
    std::size_t edition = 0;    // of the session, that a stream knows
    Clock::time_point until{};  // when it is closed for doing nothing
  };

  void accept_waiting();
  void make_room(bool known);
  bool go_on(Connection& connection, short events);  // false: it is done
  bool read(Connection& connection);
  bool write(Connection& connection);
  void answer(Connection& connection, const HttpRequest& request);
  void begin_stream(Connection& connection, const HttpRequest& request);
  void tell_streams();
  void send_news(Connection& connection);
  bool is_ours(const HttpRequest& request) const;

  SharedSession& session_;
  Fd listener_{};
  std::uint16_t port_ = 0;
  std::string token_, cookie_;
  bool token_used_ = false;
  std::list<Connection> connections_{};
};

}  // namespace skein::app
