#include "app/recall.h"

#include "core/search/search.h"
#include "core/text/when.h"

namespace skein::app {

tools::Recall recall_in(store::SessionStore& store, const std::string& workspace) {
  return [&store, workspace](const std::string& query, const std::string& since,
                             const model::ToolPorts& ports) {
    constexpr std::size_t most = 5, characters = 500;
    // The conversation the call is made in is before the model already.
    search::Request request{.query = search::parse_query(query),
                            .filter = {.except = ports.session, .cwd = workspace},
                            .limit = most,
                            .snippet_characters = characters};
    if (!since.empty()) {
      const auto time = time_ms(since, now_ms());
      if (!time) throw Error("'" + since + "' is no time; say 7d, or 2026-11-01");
      request.filter.since = utc_from_ms(*time);
    }
    std::vector<tools::Recollection> out;
    for (const search::Hit& hit : search::search_ranked(store, request).hits)
      out.push_back({hit.key, hit.entry ? to_string(*hit.entry) : "-",
                     std::string(search::name(hit.role)), hit.time, hit.snippet.text});
    return out;
  };
}

}  // namespace skein::app
