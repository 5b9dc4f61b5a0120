// What a sub-agent works with, and what it is asked to do. All of a worker is its own, as if
// another process had been started: it shares nothing but files with the agent that asked for help,
// so no part of skein needs to know of threads.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/agent/agent.h"
#include "core/agent/conversation.h"
#include "core/subagents/definition.h"

namespace skein::subagents {

struct Order {
  Definition agent{};
  std::string description{};  // a few words, for people
  std::string prompt{};
  bool background = false;
  Id session{};                // that the work is kept in
  bool goes_on = false;        // the session is there already
  Id parent{}, entry{};        // the session that asks, and where it is
  std::string call{};          // that asks, there
  agent::Settings settings{};  // of the one that asks, as they are now
  // Has something done in the thread of the one that asks. Empty in the background.
  std::function<void(const std::function<void()>&)> in_turn{};
};

class Worker {
 public:
  virtual ~Worker() = default;
  virtual store::SessionStore& store() = 0;
  virtual agent::Agent& agent() = 0;
  // How the order is to be carried out in this conversation: model, instructions, rules.
  virtual agent::Settings settings(const agent::Conversation& conversation) = 0;
  virtual const std::string& workspace() const = 0;
  // What one answer of provider/model cost; nullopt: not known.
  virtual std::optional<double> cost(const std::string& model, const model::Usage& usage) = 0;
  // Events with every key in them masked.
  virtual std::function<void(const model::Event&)> masking(
      std::function<void(const model::Event&)> sink) = 0;
};
using MakeWorker = std::function<std::unique_ptr<Worker>()>;  // called in the worker's own thread

}  // namespace skein::subagents
