// What can be said of the open session while the prompt waits. Found in memory and in git's own
// files: nothing here takes longer than a key takes to be drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/model/message.h"
#include "core/model/provider.h"
#include "core/permission/policy.h"
#include "repl/session/session.h"

namespace skein::status {

struct Facts {
  std::string session{}, key{}, title{};
  std::string transcript{};  // its file; empty: there is none
  std::string folder{};      // the workspace
  std::string git{};         // the branch that is checked out there; empty: none
  model::ModelRef model{};
  permission::Mode mode = permission::Mode::normal;
  std::int64_t window = 0;              // tokens; 0: not known
  std::optional<model::Usage> last{};   // of the last answer on this branch
  model::Usage all{};                   // of the whole session
  std::optional<session::Cost> cost{};  // the same in dollars
  std::int64_t worked_ms = 0;           // models and tools together
  std::string head{};
  std::size_t branches = 0, branch = 0;  // how many there are, and which is ours; 0: not known
  bool operator==(const Facts&) const = default;
};

class FactFinder {
 public:
  struct Parts {
    session::Session& session;
    std::function<std::int64_t(const model::ModelRef&)> window;
    std::function<std::string(Id session)> transcript;
  };
  explicit FactFinder(Parts parts) : parts_(std::move(parts)) {}

  Facts find();

 private:
  std::optional<model::Usage> last_usage();

  Parts parts_;
  // The last answer is looked for again only when the head has moved.
  std::optional<Id> head_{};
  std::optional<model::Usage> last_{};
};

}  // namespace skein::status
