#include "app/driven/control.h"

namespace skein::app::driven {

Control::Control(LineQueue& in, OutputLines& out, std::function<void()> serve, Form form)
    : in_(in), out_(out), serve_(std::move(serve)), form_(std::move(form)) {}

std::string Control::send(Json request, Receive receive) {
  std::string id;
  bool ended = false;
  {
    const std::lock_guard hold(lock_);
    id = form_.id_start + std::to_string(++last_);
    ended = ended_;
    if (!ended) open_[id] = receive;
  }
  if (ended)
    receive(nullptr);
  else
    out_.send(printable_json(dump(form_.request(id, std::move(request)))));
  return id;
}

std::optional<Json> Control::ask(Json request, Deadline deadline,
                                 const std::function<bool()>& stopped) {
  // Shared with `receive`, which may be called after this has given up.
  struct Waiting {
    bool done = false;
    Json response{};
  };
  const auto waiting = std::make_shared<Waiting>();
  const std::string id = send(std::move(request), [this, waiting](const Json& response) {
    const std::lock_guard hold(lock_);
    waiting->done = true;
    waiting->response = response;
    came_.notify_all();
  });
  const auto done = [&] {
    const std::lock_guard hold(lock_);
    return waiting->done;
  };
  const auto over = [&] { return stopped() || std::chrono::steady_clock::now() >= deadline; };
  const bool reads = std::this_thread::get_id() == reading_;
  while (!done() && !over()) {
    if (reads) {
      wait(in_.fd(), deadline, stopped);
      serve_();
      continue;
    }
    constexpr std::chrono::milliseconds glance{50};  // at `stopped`
    std::unique_lock hold(lock_);
    came_.wait_for(hold, glance, [&] { return waiting->done; });
  }
  if (!done()) {
    cancel(id);
    return std::nullopt;
  }
  if (waiting->response.is_null()) return std::nullopt;
  return waiting->response;
}

void Control::cancel(const std::string& id) {
  {
    const std::lock_guard hold(lock_);
    if (open_.erase(id) == 0) return;
  }
  out_.send(dump(form_.cancel(id)));
}

bool Control::answered(const std::string& id, const Json& response) {
  Receive receive;
  {
    const std::lock_guard hold(lock_);
    const auto found = open_.find(id);
    if (found == open_.end()) return false;
    receive = std::move(found->second);
    open_.erase(found);
  }
  receive(response);
  return true;
}

bool Control::ended() const {
  const std::lock_guard hold(lock_);
  return ended_;
}

void Control::end() {
  std::map<std::string, Receive> open;
  {
    const std::lock_guard hold(lock_);
    ended_ = true;
    open = std::exchange(open_, {});
  }
  for (const auto& [id, receive] : open) receive(nullptr);
}

}  // namespace skein::app::driven
