// The requests a server has not answered yet, what it told of them meanwhile, and the questions it
// has for the user. Filled on a channel's thread, looked at by those who wait.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/text/base.h"

namespace skein::mcp {

namespace rpc {
struct Message;
}

// What came of a request.
struct Reply {
  // The answer with its result, handed over by the channel's thread; null: it failed.
  std::shared_ptr<const rpc::Message> answer{};
  std::string failure{};  // for the model and the user to read
  bool again = false;     // it was not done, and may be if it is asked again
  bool later = false;     // it may go better next time, but may have been done as well
};

class OpenRequests {
 public:
  void open(std::int64_t id);
  void close(std::int64_t id);  // nobody waits for it any more
  bool any() const;
  // False: nobody waits for it, or it has been settled.
  bool settle(std::int64_t id, Reply reply);
  void settle_all(const Reply& reply);
  bool progress(std::int64_t id, const std::string& text);  // false: there is no such request

  struct Look {
    std::optional<Reply> reply{};  // it has come
    std::string progress{};        // what was told since the last look
    bool moved = false;            // there was progress
  };
  Look look(std::int64_t id);

  // A server's question, as the request in which it came.
  void ask(std::shared_ptr<const rpc::Message> question);
  std::shared_ptr<const rpc::Message> next_question();  // null: there is none

 private:
  struct Pending {
    std::optional<Reply> reply{};
    std::string progress{};
    bool moved = false;
  };
  mutable std::mutex lock_{};
  std::map<std::int64_t, Pending> pending_{};
  std::deque<std::shared_ptr<const rpc::Message>> questions_{};
};

}  // namespace skein::mcp
