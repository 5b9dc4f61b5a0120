// Pages of the web: for the model by its tool, for the user by /web and @https://….
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/config/config.h"
#include "core/model/attachments.h"
#include "core/model/tool.h"
#include "core/web/typed_urls.h"
#include "repl/session/services.h"

namespace skein::web {
class Fetcher;
}  // namespace skein::web

namespace skein::app {

class WebPages {
 public:
  explicit WebPages(const config::Config& config) : config_(config) {}

  model::Tool tool();
  // The user has typed this: the addresses in it may be fetched in that session.
  void note_typed(Id session, std::string_view text);
  std::function<bool(const std::string& url)> typed_in(Id session) const;
  // What is at an address the user has named; nullopt: the name is none. Throws Error.
  std::optional<model::Fetched> fetched(const std::string& name, const session::CommandPorts& ports,
                                        model::ToolPorts asking);

 private:
  const config::Config& config_;
  std::map<Id, web::TypedUrls> typed_{};     // by session
  std::shared_ptr<web::Fetcher> fetcher_{};  // the copies of its tool have it too
};

// What a tool's result attaches to a prompt that names it. Throws Error if it is a failure.
model::Fetched attached(const std::string& name, const model::ToolOutcome& read);

}  // namespace skein::app
