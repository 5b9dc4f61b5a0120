// Hides keys in what the loop tells, before it is shown: models repeat what they read, and
// commands print what they find.
#pragma once

#include "core/model/event.h"
#include "providers/keys.h"

namespace skein::providers {

class EventMask {
 public:
  using Sink = std::function<void(const model::Event&)>;
  // `keys` must outlive it; those it learns later are hidden from then on.
  EventMask(const Keyring& keys, Sink sink) : secrets_(keys.secrets()), sink_(std::move(sink)) {}

  // Passes the event on. Of text that comes in pieces, what may be the beginning of a key waits for
  // the next piece or for the end of its block.
  void operator()(const model::Event& event);

 private:
  enum class Kind { text, thinking, input, output };
  struct Stream {
    Kind kind;
    std::string name;  // of the block or the call
    StreamMask mask;
  };

  std::string masked(std::string_view text) const { return mask_secrets(text, secrets_); }
  void feed(Kind kind, const std::string& name, std::string_view piece);
  void tell(Kind kind, const std::string& name, std::string text);
  // Tells what was held back of the streams that `which` chooses, and forgets them.
  void release(const std::function<bool(const Stream&)>& which);
  void release_all();

  void take(const model::Streaming& event);
  void take(const model::ToolStarted& event);
  void take(const model::ToolOutput& event);
  void take(const model::Notice& event);
  void take(const model::Retrying& event);
  // What has no text, and what was masked before it was saved; nothing else.
  template <class Event>
    requires std::same_as<Event, model::Committed> || std::same_as<Event, model::ToolEnded>
  void take(const Event& event) {
    release_all();
    sink_(event);
  }

  const std::vector<std::string>& secrets_;
  Sink sink_;
  std::list<Stream> streams_{};
};

}  // namespace skein::providers
