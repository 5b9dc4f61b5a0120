// The protocol versions of MCP. Up to 2025-11-25 it is stateful: a connection begins with a
// greeting. Since 2026-07-28 it is stateless: every request says for itself who asks and what they
// can do. Also how parts of a message are to be read: arguments that are headers, the content of a
// result. Pure but for blobs. For .cpp files only.
#pragma once

#include "core/mcp/rpc.h"
#include "core/mcp/server_entry.h"
#include "core/model/tool.h"
#include "core/text/json.h"

namespace skein::mcp {

inline constexpr const char* stateless_version = "2026-07-28";
inline constexpr const char* newest_stateful_version = "2025-11-25";

bool is_stateful_version(std::string_view version);  // that is known to us

// Whether a server is asked first which version it speaks, `known` being what it turned out to be
// before. A process is greeted in the old way unless its entry says otherwise: some start all they
// have at the first question, and a second one would do that twice.
bool asks_version(const ServerEntry& entry, ProtocolVersion known);

// What skein can do for a server; `stateless`: as every request says it.
Json client_capabilities(bool stateless);
Json client_info(const std::string& version);
// The members of `_meta` that make a request a stateless one.
Json stateless_meta(const std::string& our_version);

// What follows when a server did not like being asked for its version.
enum class AfterProbe {
  stateless,  // it is of that version, and only does not know this question
  stateful,   // it may be greeted
  none,       // neither: the failure says why
};
AfterProbe after_probe(const rpc::Failure& failure, const ServerEntry& entry);

// Arguments of a tool that also travel as HTTP headers ("x-mcp-header" in its schema), so that what
// is between can route a call without reading it.
struct HeaderParameter {
  std::vector<std::string> path;  // the names of properties that lead to it
  std::string header;             // without the prefix Mcp-Param-
};

// nullopt: an annotation makes no sense (empty or no token, twice, on a number, or where an
// argument may be one of several things); such a tool cannot be called.
std::optional<std::vector<HeaderParameter>> header_parameters(const Json& schema);

// Names, in lower case, and values, not yet encoded. What was not given has no header.
std::vector<std::pair<std::string, std::string>> parameter_headers(const Json& schema,
                                                                   const Json& arguments);

inline constexpr std::size_t most_result_bytes = 100'000;  // about 25,000 tokens

// What a server answered to a call, as the model gets it: text up to a limit, images that models
// take, and everything else as a blob with its name.
model::ToolOutcome outcome_of(const Json& result, const model::ToolPorts& ports);

}  // namespace skein::mcp
