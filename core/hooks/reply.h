// What one program said: its exit status and what it printed, understood for its event. Pure.
#pragma once

#include <optional>
#include <string>

#include "core/hooks/definition.h"
#include "core/hooks/process.h"
#include "core/text/base.h"

namespace skein::hooks {

// In this order: of two that disagree the later one counts.
enum class Choice { none, allow, ask, deny };
std::string_view name(Choice choice);

struct Reply {
  Choice choice = Choice::none;  // of a call; deny also stands for "block" at every other event
  std::string reason{};
  std::string trouble{};                   // how it failed, for the user; empty: it did not
  std::optional<JsonText> input{};         // that is to be used instead, as the program wrote it
  std::optional<std::string> output{};     // that the model is to read instead
  std::string context{};                   // for the model to read as well
  std::string title{};                     // for the session
  std::string message{};                   // for the user
  std::optional<std::string> ends_turn{};  // why
};

Reply read_reply(const Definition& definition, const ProcessEnd& end);

}  // namespace skein::hooks
