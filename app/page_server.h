// Shows a shared session to one browser of this machine: loopback only, read only. The address has
// a token that works once; who opened it has a cookie, and everybody else is refused.
#pragma once

#include "core/export/exported_session.h"
#include "core/text/io.h"

namespace skein::app {

// A session that a browser watches: its page, and what has come since.
class SharedSession {
 public:
  using Read = std::function<exporters::ExportedSession()>;
  // `read` gives the current session, with everything masked that must be; `version` differs
  // when it may have changed, and is cheap. Reads once: what is wrong with the session is thrown
  // here.
  SharedSession(Read read, std::function<std::string()> version);

  std::string page();

  struct News {
    std::string entries{};  // a JSON array on one line; empty: there are none
    std::size_t count = 0;  // how many there are in all now
  };
  // What a page that has `after` entries lacks.
  News since(std::size_t after);
  // Looks whether something happened; true: since() may have something to say.
  bool changed();
  // Counts the times that something which was shown went or came otherwise.
  std::size_t edition() const { return edition_; }

 private:
  Read read_;
  std::function<std::string()> version_;
  std::string seen_{};
  std::vector<std::size_t> hashes_{};  // of what is shown of each entry
  std::size_t edition_ = 0;
};

// The little of HTTP/1.1 that a page for one browser needs: the head of a GET, read strictly.
struct HttpRequest {
  std::string path{};   // "/events", without the query
  std::string query{};  // "after=3"
  std::string host{};   // must be there
  std::string cookies{};
  std::string fetch_site{};  // what a browser says of where the request comes from; empty: nothing
};

// What became of the bytes so far.
struct ReadRequest {
  std::optional<HttpRequest> request{};
  int status = 0;  // of the refusal; 0: there is none, and without a request more is to come
};

inline constexpr std::size_t most_head_bytes = 8 * 1024;

ReadRequest read_request(std::string_view bytes);

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
  void make_room(bool knows_token);
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
