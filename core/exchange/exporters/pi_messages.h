// Messages as pi keeps them: content blocks, usage and stop reasons in its words.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/exchange/exporters/exported_session.h"
#include "core/model/message.h"
#include "core/model/payloads.h"
#include "core/text/json.h"

namespace skein::exchange::exporters {

// Of all calls so far, the tool's name by the call's id: pi's results repeat it.
using ToolNames = std::map<std::string, std::string>;

// The message entries one message of ours becomes: each result is one of its own.
std::vector<Json> pi_messages(const ExportedSession& session, const model::Message& message,
                              std::int64_t time_ms, ToolNames& names);

Json pi_usage(const model::Usage& usage);

// The beginning of requests as a system message; `before` is the one it takes the place of.
Json pi_system_message(const model::payload::RuntimeInit& init,
                       const model::payload::RuntimeInit* before, std::int64_t time_ms);

}  // namespace skein::exchange::exporters
