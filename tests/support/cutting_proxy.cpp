#include "tests/support/cutting_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

#include "core/text/base.h"

namespace skein::test {

namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool send_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(to, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// How long the first message is, or 0 if that is not known yet. The first one of a client has no
// type.
std::size_t message_length(std::string_view bytes, bool typed) {
  const std::size_t head = typed ? 1 : 0;
  if (bytes.size() < head + 4) return 0;
  std::size_t length = 0;
  for (std::size_t i = 0; i < 4; ++i)
    length = length << 8 | static_cast<unsigned char>(bytes[head + i]);
  return head + length;
}

}  // namespace

CuttingProxy::CuttingProxy(int server_port) : server_port_(server_port) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener_, 16) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw Error("no proxy");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

CuttingProxy::~CuttingProxy() {
  ending_ = true;
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  for (std::thread& thread : threads_) thread.join();
}

void CuttingProxy::cut_at(int message, Cut cut) {
  behind_ = cut == Cut::behind;
  left_ = message;
}

void CuttingProxy::accept_all() {
  for (;;) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) return;
    const std::lock_guard lock(threads_lock_);
    threads_.emplace_back([this, client] { forward(client); });
  }
}

bool CuttingProxy::pass_on(int from, int to, std::string& pending, bool& typed) {
  std::array<char, 65536> buffer{};
  const ssize_t got = recv(from, buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  pending.append(buffer.data(), static_cast<std::size_t>(got));
  for (;;) {
    const std::size_t length = message_length(pending, typed);
    if (length == 0 || pending.size() < length) return true;
    const bool cut = left_ < never && left_-- == 0;
    if ((!cut || behind_) && !send_all(to, std::string_view(pending).substr(0, length)))
      return false;
    if (cut) return false;
    pending.erase(0, length);
    typed = true;
  }
}

void CuttingProxy::forward(int client) {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(server_port_);
  bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int at_once = 1;
  for (const int each : {client, server})
    setsockopt(each, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
  std::string from_client, from_server;
  bool client_typed = false, server_typed = true;
  while (open && !ending_ && !down_) {
    std::array<pollfd, 2> fds{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    if (poll(fds.data(), fds.size(), 10) <= 0) continue;
    if (down_) break;
    if (fds[0].revents != 0) open = pass_on(client, server, from_client, client_typed);
    if (open && fds[1].revents != 0) open = pass_on(server, client, from_server, server_typed);
  }
  close(client);
  close(server);
}

}  // namespace skein::test
