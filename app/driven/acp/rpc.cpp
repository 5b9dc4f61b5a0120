#include "app/driven/acp/rpc.h"

namespace skein::app::driven::acp {

namespace rpc = mcp::rpc;

void notify(OutputLines& out, const char* method, const Json& params) {
  out.send(printable_json(rpc::notification(method, params)));
}

void answer(OutputLines& out, const Json& id, const Json& result) {
  out.send(printable_json(rpc::response(id, result)));
}

void refuse(OutputLines& out, const Json& id, int code, const std::string& why) {
  out.send(printable_json(rpc::failure(id, {.code = code, .message = why})));
}

void refuse_by_exception(OutputLines& out, const Json& id) {
  try {
    throw;
  } catch (const RequestError& error) {
    refuse(out, id, error.code, error.what());
  } catch (const std::exception& error) {
    refuse(out, id, rpc::internal_error, error.what());
  }
}

}  // namespace skein::app::driven::acp
