// A server that runs here: a line on its standard input or output is a message.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/mcp/channel.h"
#include "core/mcp/guardian.h"
#include "core/mcp/signal.h"

namespace skein::mcp {

class StdioChannel : public Channel {
 public:
  struct Surroundings {
    std::vector<std::string> environment{};  // of skein itself
    std::string workspace{}, home{};
  };
  static constexpr std::size_t longest_message = 64u << 20;

  StdioChannel(const ServerEntry& entry, const Surroundings& around, Events events);
  ~StdioChannel() override;

  using Channel::send;
  void send(JsonText message, Parameters) override;
  void close() override;
  std::string diagnostics() const override;

 private:
  void run();
  void exchange(Guardian& server);
  void wait_for(Guardian& server, bool to_write);
  bool take_output(Guardian& server);
  bool take_errors(Guardian& server);
  void give_input(Guardian& server);
  void take_line(std::string line);
  std::string last_words() const;

  Launch launch_;
  std::string command_;  // as it was configured, for people
  Events events_;
  Signal wake_{};
  std::atomic<bool> leaving_{false};

  mutable std::mutex lock_{};  // for the two below and `garbage_`
  std::deque<std::string> outbox_{};
  std::string errors_{};  // the end of what it wrote there
  std::size_t garbage_ = 0;

  std::string line_{};  // the beginning of one
  bool too_long_ = false;
  std::size_t garbage_in_a_row_ = 0;
  std::string sending_{};
  std::size_t sent_ = 0;  // of it
  std::thread thread_{};  // last: it uses all the others
};

// What a server is started with: nothing of ours but what every program needs, and its own entry.
std::vector<std::string> server_environment(const ServerEntry& entry,
                                            const StdioChannel::Surroundings& around);

}  // namespace skein::mcp
