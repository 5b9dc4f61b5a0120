#include "app/driven/dialects/client_channel.h"

namespace skein::app::driven::dialects {

namespace {

// Answers come in the thread that reads lines and are passed on in a thread of the channel, since
// the thread that reads lines may hold locks of the server.
class ClientChannel : public mcp::Channel {
 public:
  ClientChannel(Control& control, std::string server, Events events)
      : control_(control), server_(std::move(server)), events_(std::move(events)) {
    thread_ = quiet_thread([this] { run(); });
  }
  ~ClientChannel() override {
    ClientChannel::close();
    thread_.join();
  }

  using Channel::send;
  void send(JsonText message, Parameters) override {
    Json json = parse_json(message).value_or(Json::object());
    // Notifications are answered as well: those answers mean nothing.
    const bool asks = json.contains("id") && json.contains("method");
    const Json id = at(json, "id");
    control_.send(
        {{"subtype", "mcp_message"}, {"server_name", server_}, {"message", json}},
        [came = came_, asks, id](const Json& response) {
          if (!asks) return;
          const Json& answer = at(at(response, "response"), "mcp_response");
          if (answer.is_object() && string_at(response, "subtype") == "success")
            return came->put(dump(answer));
          const std::string why =
              string_at(response, "error", "the program that drives skein has no answer");
          came->put(dump(
              {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", -32603}, {"message", why}}}}));
        });
  }
  void close() override { came_->close(); }

 private:
  // What has come. Shared with the answers that are still to come, which may outlive the channel.
  class Came {
   public:
    void put(JsonText message) {
      const std::lock_guard hold(lock_);
      messages_.push_back(std::move(message));
      changed_.notify_all();
    }
    void close() {
      const std::lock_guard hold(lock_);
      closed_ = true;
      changed_.notify_all();
    }
    std::optional<JsonText> next() {  // none: it is closed
      std::unique_lock hold(lock_);
      changed_.wait(hold, [this] { return closed_ || !messages_.empty(); });
      if (closed_) return std::nullopt;
      JsonText message = std::move(messages_.front());
      messages_.pop_front();
      return message;
    }

   private:
    std::mutex lock_{};
    std::condition_variable changed_{};
    std::deque<JsonText> messages_{};
    bool closed_ = false;
  };

  void run() {
    while (std::optional<JsonText> message = came_->next()) events_.message(*std::move(message));
  }

  Control& control_;
  const std::string server_;
  Events events_;
  std::shared_ptr<Came> came_ = std::make_shared<Came>();
  std::thread thread_{};  // last: it uses all the others
};

}  // namespace

mcp::OpenChannel client_channels(Control& control) {
  return [&control](const mcp::ServerEntry& entry, mcp::Channel::Events events) {
    return std::make_unique<ClientChannel>(control, entry.name, std::move(events));
  };
}

}  // namespace skein::app::driven::dialects
