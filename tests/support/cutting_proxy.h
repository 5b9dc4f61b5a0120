// Stands between a client and a PostgreSQL server, counts the messages of the protocol that pass,
// and cuts the connection at the one it was told.
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <thread>

namespace skein::test {

class CuttingProxy {
 public:
  explicit CuttingProxy(int server_port);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  int port() const { return port_; }
  enum class Cut { before, behind };  // is the message itself still delivered?
  // Of the messages that pass from now on, in both directions; later connections are left alone.
  void cut_at(int message, Cut cut);
  // Whether that many came.
  bool has_cut() const { return left_ < 0; }
  void disarm() { left_ = never; }
  // As if there were no server: all connections are cut, and new ones at once.
  void set_down(bool down) { down_ = down; }

 private:
  static constexpr int never = 1 << 30;
  void accept_all();
  void forward(int client);
  bool pass_on(int from, int to, std::string& pending, bool& typed);

  const int server_port_;
  int listener_ = -1, port_ = 0;
  std::atomic<int> left_{never};
  std::atomic<bool> behind_{false}, ending_{false}, down_{false};
  std::mutex threads_lock_{};
  std::list<std::thread> threads_{};
  std::thread acceptor_{};
};

}  // namespace skein::test
