#include "tests/support/loopback_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>

#include "core/text/base.h"

namespace skein::test {

namespace {

int bound_socket(int& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (fd < 0 || bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw Error("the test server cannot bind a port");
  port = ntohs(address.sin_port);
  return fd;
}

std::size_t content_length(std::string_view head) {
  std::size_t length = 0;
  for (const std::string_view name : {"content-length: ", "Content-Length: "})
    if (const std::size_t at = head.find(name); at != std::string_view::npos)
      std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
  return length;
}

}  // namespace

Connection::Connection(int fd, int number) : fd_(fd), number_(number) {}

Connection::~Connection() {
  SSL_free(static_cast<SSL*>(tls_));
  if (fd_ >= 0) close(fd_);
}

bool Connection::secure(void* context) {
  SSL* tls = SSL_new(static_cast<SSL_CTX*>(context));
  SSL_set_fd(tls, fd_);
  tls_ = tls;
  return SSL_accept(tls) == 1;
}

std::size_t Connection::receive(char* buffer, std::size_t size) {
  const auto got = tls_ != nullptr
                       ? SSL_read(static_cast<SSL*>(tls_), buffer, static_cast<int>(size))
                       : recv(fd_, buffer, size, 0);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

std::string Connection::request() {
  std::array<char, 16384> buffer{};
  for (;;) {
    if (const std::size_t end = rest_.find("\r\n\r\n"); end != std::string::npos) {
      const std::size_t whole = end + 4 + content_length(rest_.substr(0, end + 4));
      if (rest_.size() >= whole) {
        const std::string request = rest_.substr(0, whole);
        rest_.erase(0, whole);
        return request;
      }
    }
    const std::size_t got = receive(buffer.data(), buffer.size());
    if (got == 0) return {};
    rest_.append(buffer.data(), got);
  }
}

bool Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = tls_ != nullptr ? SSL_write(static_cast<SSL*>(tls_), bytes.data(),
                                                  static_cast<int>(bytes.size()))
                                      : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Connection::answer(int status, std::string_view body, std::string_view headers) {
  return send("HTTP/1.1 " + std::to_string(status) + " Status\r\n" + std::string(headers) +
              "content-length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
}

bool Connection::begin_stream(std::string_view headers) {
  return send("HTTP/1.1 200 OK\r\n" + std::string(headers) + "transfer-encoding: chunked\r\n\r\n");
}

bool Connection::chunk(std::string_view bytes) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), bytes.size(), 16).ptr;
  return send(std::string(size.data(), end) + "\r\n" + std::string(bytes) + "\r\n");
}

bool Connection::take_bytes() {
  std::array<char, 4096> buffer{};
  return receive(buffer.data(), buffer.size()) > 0;
}

void Connection::wait_until_closed() {
  while (take_bytes()) {
  }
}

void Connection::reset() {
  const std::lock_guard lock(closing_);
  const linger now{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close(fd_);
  fd_ = -1;
}

void Connection::shut() {
  const std::lock_guard lock(closing_);
  if (fd_ >= 0) shutdown(fd_, SHUT_RDWR);
}

LoopbackServer::LoopbackServer(Script script, void* tls_context)
    : script_(std::move(script)), tls_context_(tls_context), listener_(bound_socket(port_)) {
  std::signal(SIGPIPE, SIG_IGN);  // as the program itself does
  if (listen(listener_, 64) != 0) throw Error("the test server cannot listen");
  acceptor_ = std::thread([this] { accept_all(); });
}

void LoopbackServer::accept_all() {
  for (;;) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const int now = 1;  // small pieces leave at once, as the script has them
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
    const std::lock_guard lock(mutex_);
    Connection& connection = open_.emplace_back(fd, accepted_++);
    threads_.emplace_back([this, &connection] {
      if (tls_context_ == nullptr || connection.secure(tls_context_)) script_(connection);
      connection.shut();
    });
  }
}

LoopbackServer::~LoopbackServer() {
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  for (Connection& connection : open_) connection.shut();
  for (std::thread& thread : threads_) thread.join();
}

std::string LoopbackServer::url(std::string_view path) const {
  return (tls_context_ != nullptr ? "https://localhost:" : "http://127.0.0.1:") +
         std::to_string(port_) + std::string(path);
}

int closed_port() {
  int port = 0;
  close(bound_socket(port));
  return port;
}

}  // namespace skein::test
