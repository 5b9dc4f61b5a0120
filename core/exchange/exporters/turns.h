// The messages of a path as every service wants them: user and assistant by turns, each call
// answered, no answer without its call.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/exchange/exporters/exported_session.h"
#include "core/model/message.h"

namespace skein::exchange::exporters {

struct Turn {
  bool assistant = false;
  std::vector<model::Block> blocks{};  // of the user: results first
  std::vector<std::string> names{};    // of the user: for each result the tool that was called
  std::string provider{}, model{};     // of the assistant: who wrote its first block
};

void each_turn(const ExportedSession& session, const std::function<void(const Turn&)>& visit);

// What the model was told first, as it was told last; empty: nothing.
std::string system_of(const ExportedSession& session);

}  // namespace skein::exchange::exporters
