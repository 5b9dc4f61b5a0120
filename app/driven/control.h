// Requests that skein sends to the program that drives it, and their answers. An answer that no
// request waits for, and a second one, change nothing.
#pragma once

#include "app/driven/json_lines.h"
#include "core/text/json.h"
#include "core/text/wait.h"

namespace skein::app::driven {

class Control {
 public:
  // An answer, in the form of the dialect. Null: there will be none.
  using Receive = std::function<void(const Json& response)>;
  // How a dialect writes a request, and that it is cancelled.
  struct Form {
    std::string id_start{};
    std::function<Json(const std::string& id, Json request)> request{};
    std::function<Json(const std::string& id)> cancel{};
  };

  // To be made in the thread that reads lines. `serve` takes the lines that have come, in that
  // thread; it and the queues must outlive this.
  Control(LineQueue& in, OutputLines& out, std::function<void()> serve, Form form);

  // Sends a request; `receive` is called once, in the thread that reads lines. From any thread.
  std::string send(Json request, Receive receive);
  // Sends a request and waits. None: `stopped`, the deadline has passed, or the input has ended;
  // then the request is cancelled. From any thread.
  std::optional<Json> ask(Json request, Deadline deadline, const std::function<bool()>& stopped);
  // An answer has come. False: no request waits for it.
  bool answered(const std::string& id, const Json& response);
  void end();  // the input has ended: what still waits gets no answer
  bool ended() const;

 private:
  void cancel(const std::string& id);

  LineQueue& in_;
  OutputLines& out_;
  std::function<void()> serve_;
  const Form form_;
  const std::thread::id reading_ = std::this_thread::get_id();
  mutable std::mutex lock_{};
  std::condition_variable came_{};
  std::int64_t last_ = 0;
  bool ended_ = false;
  std::map<std::string, Receive> open_{};
};

}  // namespace skein::app::driven
