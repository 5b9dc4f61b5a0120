#include "app/page_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "core/export/html.h"
#include "core/text/text.h"
#include "core/text/wait.h"

namespace skein::app {

using exporters::ExportedSession;

SharedSession::SharedSession(Read read, std::function<std::string()> version)
    : read_(std::move(read)), version_(std::move(version)) {
  changed();
}

std::string SharedSession::page() {
  std::string out;
  write_live_html(read_(), [&](std::string_view piece) { out += piece; });
  return out;
}

bool SharedSession::changed() {
  std::string version = version_();
  if (version == seen_) return false;
  seen_ = std::move(version);
  const ExportedSession session = read_();
  std::vector<std::size_t> hashes;
  session.each_entry([&](const model::Entry& entry) {
    if (const auto json = page_entry(session, entry))
      hashes.push_back(std::hash<std::string>{}(*json));
  });
  // A redaction, or a head that went elsewhere.
  if (hashes.size() < hashes_.size() || !std::equal(hashes_.begin(), hashes_.end(), hashes.begin()))
    ++edition_;
  hashes_ = std::move(hashes);
  return true;
}

SharedSession::News SharedSession::since(std::size_t after) {
  News news{.count = hashes_.size()};
  if (after >= hashes_.size()) return news;
  const ExportedSession session = read_();
  std::size_t at = 0;
  session.each_entry([&](const model::Entry& entry) {
    const auto json = page_entry(session, entry);
    if (json && at++ >= after) news.entries += (news.entries.empty() ? "[" : ",") + *json;
  });
  if (!news.entries.empty()) news.entries += "]";
  news.count = at;
  return news;
}

namespace {

struct Known {
  std::string_view name;
  std::string HttpRequest::*member;
};
constexpr Known known[] = {{"host", &HttpRequest::host},
                           {"cookie", &HttpRequest::cookies},
                           {"sec-fetch-site", &HttpRequest::fetch_site}};

// 0, or the status of the refusal.
int read_request_line(std::string_view line, HttpRequest& request) {
  const std::size_t one = line.find(' '), two = line.rfind(' ');
  if (one == std::string_view::npos || one == two) return 400;
  const std::string_view method = line.substr(0, one), target = line.substr(one + 1, two - one - 1);
  if (line.substr(two + 1) != "HTTP/1.1" && line.substr(two + 1) != "HTTP/1.0") return 400;
  if (method != "GET") return 405;
  const bool plain = std::ranges::all_of(target, [](char c) { return c > ' ' && c < 0x7f; });
  if (!target.starts_with('/') || !plain) return 400;
  const std::size_t question = std::min(target.find('?'), target.size());
  request.path = target.substr(0, question);
  request.query = target.substr(std::min(question + 1, target.size()));
  return 0;
}

using namespace std::chrono_literals;

std::string_view words_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 303: return "See Other";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 431: return "Request Header Fields Too Large";
    case 503: return "Service Unavailable";
    default: return "Error";
  }
}

// The value of one cookie; empty: there is none.
std::string cookie_named(std::string_view cookies, std::string_view name) {
  for (const std::string_view each : split(cookies, ';')) {
    const std::string_view pair = trimmed(each);
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name)
      return std::string(pair.substr(equals + 1));
  }
  return {};
}

// The headers every answer has.
std::string http_head(int status, std::string_view type, std::string_view more_headers) {
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(words_of(status)) +
         "\r\nContent-Type: " + std::string(type) +
         "\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY"
         "\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store"
         "\r\nCross-Origin-Opener-Policy: same-origin"
         "\r\nCross-Origin-Resource-Policy: same-origin"
         "\r\nPermissions-Policy: camera=(), microphone=(), geolocation=()"
         "\r\nConnection: close\r\n" +
         std::string(more_headers);
}

// A whole answer that ends the connection.
std::string http_answer(int status, std::string_view type, std::string_view more_headers,
                        std::string_view body) {
  return http_head(status, type, more_headers) + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

constexpr std::size_t most_connections = 32;  // of those that are known, and of all others
constexpr auto patience = 10s;                // for a request, and for each step of an answer
constexpr auto look_every = 500ms;            // at the session
constexpr auto breath_every = 20s;  // a line to a stream: if it cannot be sent, the reader has gone
constexpr std::size_t most_unread = 32 << 20;  // of a stream whose reader has fallen asleep

std::string secret() { return to_string(random_id()) + to_string(random_id()); }

// In a time that says nothing about where they differ.
bool same(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  unsigned differs = 0;
  for (std::size_t i = 0; i < one.size(); ++i) differs |= static_cast<unsigned>(one[i] ^ other[i]);
  return differs == 0;
}

std::string refusal(int status, std::string_view why) {
  return http_answer(status, "text/plain; charset=utf-8",
                     "Content-Security-Policy: default-src 'none'\r\n", std::string(why) + "\n");
}

}  // namespace

ReadRequest read_request(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end > most_head_bytes) return {std::nullopt, bytes.size() > most_head_bytes ? 431 : 0};
  HttpRequest request;
  std::string_view rest = bytes.substr(0, end + 2);
  for (bool first = true; !rest.empty(); first = false) {
    const std::size_t stop = rest.find("\r\n");
    const std::string_view line = rest.substr(0, stop);
    rest.remove_prefix(stop + 2);
    if (first) {
      if (const int refused = read_request_line(line, request); refused != 0)
        return {std::nullopt, refused};
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.starts_with(' ')) return {std::nullopt, 400};
    const std::string name = lower(line.substr(0, colon));
    for (const Known& each : known)
      if (each.name == name) {
        // Twice, it could mean one thing to us and another to a proxy.
        if (!(request.*each.member).empty()) return {std::nullopt, 400};
        request.*each.member = trimmed(line.substr(colon + 1));
      }
  }
  if (request.host.empty()) return {std::nullopt, 400};
  return {std::move(request), 0};
}

PageServer::PageServer(SharedSession& session, std::uint16_t port)
    : session_(session), token_(secret()), cookie_(secret()) {
  listener_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t size = sizeof address;
  if (!listener_ ||
      ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener_.get(), SOMAXCONN) != 0 ||
      ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw Error("cannot listen at 127.0.0.1" + (port == 0 ? "" : ":" + std::to_string(port)) +
                ": " + std::strerror(errno));
  port_ = ntohs(address.sin_port);
}

std::string PageServer::address() const {
  return "http://127.0.0.1:" + std::to_string(port_) + "/" + token_ + "/";
}

void PageServer::run(const std::function<bool()>& stop) {
  Clock::time_point look = Clock::now() + look_every;
  while (!stop()) {
    std::vector<pollfd> fds{{listener_.get(), POLLIN, 0}};
    for (const Connection& each : connections_) {
      const bool writes = each.written < each.out.size();
      fds.push_back({each.socket.get(), static_cast<short>(writes ? POLLOUT : POLLIN), 0});
    }
    if (wait(fds, look, stop) == Wake::signal) continue;
    std::size_t at = 1;
    for (auto each = connections_.begin(); each != connections_.end(); ++at) {
      const bool alive = go_on(*each, fds[at].revents) && Clock::now() < each->until;
      each = alive ? std::next(each) : connections_.erase(each);
    }
    if (fds[0].revents != 0) accept_waiting();
    if (Clock::now() < look) continue;
    look = Clock::now() + look_every;
    tell_streams();
  }
}

// A few at a time: between them, those that are there get their turn.
void PageServer::accept_waiting() {
  for (std::size_t i = 0; i < most_connections / 4; ++i) {
    Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;
    make_room(false);
    connections_.push_back({.socket = std::move(socket), .until = Clock::now() + patience});
  }
}

// The oldest of the same kind goes: a process that does not know the token only closes connections
// of that kind.
void PageServer::make_room(bool knows_token) {
  const auto counts = [&](const Connection& each) {
    return each.known == knows_token && each.until != Clock::time_point{};
  };
  if (static_cast<std::size_t>(std::ranges::count_if(connections_, counts)) < most_connections)
    return;
  std::ranges::find_if(connections_, counts)->until = {};
}

bool PageServer::go_on(Connection& connection, short events) {
  if (events == 0) return true;
  if (connection.written < connection.out.size()) return write(connection);
  return read(connection);
}

bool PageServer::read(Connection& connection) {
  char bytes[4096];
  const ssize_t got = ::recv(connection.socket.get(), bytes, sizeof bytes, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0) return false;
  if (connection.answered) return true;  // nothing that follows a request matters
  connection.in.append(bytes, static_cast<std::size_t>(got));
  const ReadRequest read = read_request(connection.in);
  if (read.status != 0)
    connection.out = refusal(read.status, "this page only answers plain GET requests");
  else if (read.request)
    answer(connection, *read.request);
  else
    return true;
  connection.answered = true;
  return write(connection);
}

bool PageServer::write(Connection& connection) {
  const ssize_t sent = ::send(connection.socket.get(), connection.out.data() + connection.written,
                              connection.out.size() - connection.written, MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  connection.written += static_cast<std::size_t>(sent);
  connection.until = Clock::now() + patience;
  if (connection.written < connection.out.size()) return true;
  connection.out.clear();
  connection.written = 0;
  if (connection.streams) connection.until = Clock::now() + breath_every;
  if (!connection.streams) ::shutdown(connection.socket.get(), SHUT_WR);
  return connection.streams;
}

// A page elsewhere may make a browser ask us, by another name that leads here.
bool PageServer::is_ours(const HttpRequest& request) const {
  const std::string port = ":" + std::to_string(port_);
  const bool here = request.host == "127.0.0.1" + port || request.host == "localhost" + port;
  return here && (request.fetch_site.empty() || request.fetch_site == "none" ||
                  request.fetch_site == "same-origin");
}

void PageServer::answer(Connection& connection, const HttpRequest& request) {
  const std::string name = "skein" + std::to_string(port_);
  const bool first = same(request.path, "/" + token_ + "/") && !token_used_;
  const bool has_cookie = same(cookie_named(request.cookies, name), cookie_);
  if (first || has_cookie) {
    make_room(true);
    connection.known = true;
  }
  if (!is_ours(request)) {
    connection.out = refusal(403, "ask for 127.0.0.1");
  } else if (first) {
    token_used_ = true;
    connection.out = http_answer(303, "text/plain; charset=utf-8",
                                 "Location: /\r\nSet-Cookie: " + name + "=" + cookie_ +
                                     "; Path=/; HttpOnly; SameSite=Strict\r\n",
                                 "");
  } else if (!has_cookie) {
    connection.out =
        refusal(403, "another browser already opened this page; only the first one can see it");
  } else if (request.path == "/" || same(request.path, "/" + token_ + "/")) {
    connection.out = http_answer(
        200, "text/html; charset=utf-8",
        "Content-Security-Policy: " + exporters::page_policy(true) + "; frame-ancestors 'none'\r\n",
        session_.page());
  } else if (request.path == "/events") {
    begin_stream(connection, request);
  } else {
    connection.out = refusal(404, "there is only one page");
  }
}

void PageServer::begin_stream(Connection& connection, const HttpRequest& request) {
  constexpr std::string_view after = "after=";
  if (request.query.starts_with(after))
    std::from_chars(request.query.data() + after.size(),
                    request.query.data() + request.query.size(), connection.entries);
  connection.streams = true;
  connection.edition = session_.edition();
  connection.out = http_head(200, "text/event-stream", "") + "\r\nretry: 2000\n\n";
  send_news(connection);
}

void PageServer::send_news(Connection& connection) {
  if (connection.out.size() > most_unread) {
    connection.until = {};
    return;
  }
  if (connection.edition != session_.edition()) {
    connection.edition = session_.edition();
    connection.out += "event: changed\ndata: {}\n\n";
    return;
  }
  const SharedSession::News news = session_.since(connection.entries);
  connection.entries = std::max(connection.entries, news.count);
  if (!news.entries.empty()) connection.out += "data: " + news.entries + "\n\n";
}

void PageServer::tell_streams() {
  const bool news = session_.changed();
  for (Connection& each : connections_) {
    if (!each.streams) continue;
    const bool idle = each.out.empty();
    if (news) send_news(each);
    // A comment: if it cannot be sent, the reader has gone.
    if (idle && each.out.empty() && each.until - Clock::now() < breath_every - 5s)
      each.out = ": \n\n";
  }
}

}  // namespace skein::app
