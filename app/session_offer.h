// What `skein mcp-server` has to offer to other agents: the sessions kept here, to look into. What
// goes out is masked as in an export: redacted entries, and secrets.
#pragma once

#include <functional>
#include <string>

#include "core/mcp/server.h"
#include "core/store/session_store.h"

namespace skein::app {

// A prompt for a model, to its end. What it answers is JSON: the text and the session. Called on
// several threads at the same time.
using Ask = std::function<std::string(const JsonText& arguments, const mcp::CallStop& stop)>;

struct OfferSettings {
  bool notes = false;  // session_append_note is offered
  Ask ask{};           // as `ask`; empty: it is not offered
};
// `store` must outlive it.
mcp::Offer session_offer(store::SessionStore& store, const OfferSettings& settings);

}  // namespace skein::app
