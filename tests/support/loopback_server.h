// A server on 127.0.0.1 that plays a script, byte by byte: also what no decent server would send.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace skein::test {

// The server's end of one connection. Every call ends when the server is torn down.
class Connection {
 public:
  Connection(int fd, int number);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int number() const { return number_; }  // 0 for the first one of a server
  bool secure(void* context);             // TLS handshake with an SSL_CTX
  // Head and body (as content-length says) of the next request; empty if the peer is gone.
  std::string request();
  bool take_bytes();  // waits for any, and drops them; false: the peer is gone
  bool send(std::string_view bytes);
  // Status line, headers and the whole body, with its length.
  bool answer(int status, std::string_view body, std::string_view headers = {});
  bool begin_stream(std::string_view headers = "content-type: text/event-stream\r\n");  // chunked
  bool chunk(std::string_view bytes);
  bool end_stream() { return send("0\r\n\r\n"); }
  void wait_until_closed();  // until the peer closes
  void reset();              // RST instead of FIN
  void shut();               // ends every call on it, from any thread

 private:
  std::size_t receive(char* buffer, std::size_t size);

  std::mutex closing_{};  // `shut` comes from another thread
  int fd_;
  int number_;
  void* tls_ = nullptr;
  std::string rest_{};
};

class LoopbackServer {
 public:
  using Script = std::function<void(Connection&)>;
  // `script` runs once for every connection, each on a thread of its own.
  explicit LoopbackServer(Script script, void* tls_context = nullptr);
  ~LoopbackServer();

  int port() const { return port_; }
  std::string url(std::string_view path = "") const;
  int connections() const { return accepted_; }

 private:
  void accept_all();

  Script script_;
  void* tls_context_;
  int port_ = 0;
  int listener_ = -1;
  std::atomic<int> accepted_{0};
  std::mutex mutex_{};
  std::list<Connection> open_{};
  std::vector<std::thread> threads_{};
  std::thread acceptor_{};
};

// A port of 127.0.0.1 where nobody listens.
int closed_port();

}  // namespace skein::test
