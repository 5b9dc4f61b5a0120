// Deltas in, one message out. The only place that remembers what a stream has said so far; a value,
// so that a stream can be forked at every byte.
#pragma once

#include "core/model/event.h"
#include "core/model/message.h"

namespace skein::model {

class Assembler {
 public:
  // Calls the provider gave no id, or one it had used before, are called call_<stem>_<n>.
  Assembler(std::string provider, std::string model, std::string stem = to_string(random_id()))
      : provider_(std::move(provider)), model_(std::move(model)), stem_(std::move(stem)) {}

  void add(const Delta& delta);

  bool finished() const { return finished_; }
  // The first error the stream reported.
  const std::optional<delta::Failed>& failure() const { return failure_; }

  // The message if the stream ended here. Without its terminal marker it is `interrupted`, and a
  // call is in it only if it ended and its input is a JSON object. Where the answer came to its own
  // end, or to the model's limit, a call that is not whole is in it too, with its fault: the model
  // shall hear what was wrong with it.
  Message message() const;
  // The message if the user stopped the stream here: what arrived, without unfinished calls.
  Message aborted() const;

  bool operator==(const Assembler&) const = default;

 private:
  struct Part {
    Block block;
    std::string input{};  // raw input of a call, as it arrives
    bool ended = false;
    bool operator==(const Part&) const = default;
  };

  struct Taker;
  template <class Kind>
  Kind& part(const std::string& key);
  Part* find(const std::string& key);
  Part& open(const std::string& key, Block block);
  static void end(Part& part);
  enum class Calls { whole, all };
  std::vector<Block> content(Calls calls) const;

  std::string provider_, model_, stem_;
  std::vector<Part> parts_{};                  // in the order they were opened
  std::map<std::string, std::size_t> keys_{};  // the provider's name of a block → its part
  std::optional<Usage> usage_{};
  std::vector<Transformation> transformed_{};
  std::optional<delta::StopReason> stop_{};
  std::optional<delta::Failed> failure_{};
  bool finished_ = false;
};

}  // namespace skein::model
