// Lines of JSON-RPC as the Agent Client Protocol has them, and the facts that its sessions share.
#pragma once

#include "app/driven/json_lines.h"
#include "core/mcp/rpc.h"
#include "core/text/base.h"
#include "core/text/json.h"

namespace skein::app::driven::acp {

inline constexpr int authentication_required = -32000, request_cancelled = -32800;

// Why a request is refused. Other errors are refused as internal errors.
struct RequestError : Error {
  RequestError(int number, const std::string& sentence) : Error(sentence), code(number) {}
  int code;
};

inline RequestError bad(const std::string& why) { return {mcp::rpc::bad_parameters, why}; }

void notify(OutputLines& out, const char* method, const Json& params);
void answer(OutputLines& out, const Json& id, const Json& result);
void refuse(OutputLines& out, const Json& id, int code, const std::string& why);
// Refuses with the exception that is being handled.
void refuse_by_exception(OutputLines& out, const Json& id);

// What the client has declared in `initialize`.
struct ClientFacts {
  bool reads_files = false;  // it says what is in the editor, saved or not
  bool has_forms = false;    // it asks the user what a JSON schema describes
  bool has_notices = false;
  bool has_compactions = false;
};

// What the sessions of a process share; it outlives them.
struct AcpConnection {
  OutputLines& out;
  const ClientFacts& client;
  std::function<void(Id)> opened{};    // called in the thread of the session
  std::vector<std::string> notices{};  // for when it is open
};

}  // namespace skein::app::driven::acp
