// The two eras of the protocol. Until 2025-11-25 a connection begins with a greeting and has a
// state; since 2026-07-28 there is none, and every request says for itself who asks and what they
// can do. Pure. For .cpp files only.
#pragma once

#include <string>
#include <string_view>

#include "core/mcp/rpc.h"
#include "core/mcp/server_entry.h"
#include "core/text/json.h"

namespace skein::mcp {

inline constexpr const char* modern_version = "2026-07-28";
inline constexpr const char* newest_greeting = "2025-11-25";

bool is_greeting_version(std::string_view version);  // of the first era, and known to us

// Whether a server is asked first which era it is of, `known` being what it turned out to be
// before. A process is greeted in the old way unless its entry says otherwise: some start all they
// have at the first question, and a second one would do that twice.
bool asks_era(const ServerEntry& entry, Era known);

// What we can do for a server; `modern`: as every request says it.
Json client_capabilities(bool modern);
Json client_info(const std::string& version);
// The members of `_meta` that make a request one of the modern era.
Json modern_meta(const std::string& our_version);

// What follows when a server did not like being asked for its era.
enum class AfterProbe {
  modern,  // it is of that era, and only does not know this question
  legacy,  // it may be greeted
  none,    // neither: the failure says why
};
AfterProbe after_probe(const rpc::Failure& failure, const ServerEntry& entry);

}  // namespace skein::mcp
