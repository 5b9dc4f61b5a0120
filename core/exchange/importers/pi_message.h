// One message as pi writes it, which OpenClaw does too. For .cpp files only.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/exchange/importers/receiver.h"
#include "core/text/json.h"

namespace skein::exchange::importers {

// The records in a line: one, or several that were glued together. False: its end, or all of it,
// cannot be read.
bool each_pi_record(std::string_view line,
                    const std::function<void(const Json& record, std::string_view text)>& each);

struct PiMessage {
  // monostate: nothing of it can be taken over, which was reported.
  std::variant<std::monostate, model::Message, ForeignContext> content{};
  // Something in it has no place there: a signature, what a tool told its own program.
  bool more = false;
};
PiMessage pi_message(const Json& message, Receiver& receiver);
// Of the user, or of an extension of pi in the user's place.
PiMessage pi_prompt(const Json& message, Receiver& receiver);

// Text blocks, or a string, as one text.
std::string pi_text(const Json& content);
// nullopt: there is none.
std::optional<model::Usage> pi_usage(const Json& usage);

}  // namespace skein::exchange::importers
