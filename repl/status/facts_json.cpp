#include "repl/status/facts_json.h"

#include <algorithm>

#include "core/text/json.h"

namespace skein::status {

namespace {

constexpr std::int64_t long_context = 200'000;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json or_null(std::int64_t number) { return number == 0 ? Json() : Json(number); }

Json context_json(const Facts& facts) {
  Json out = {{"context_window_size", or_null(facts.window)},
              {"used_percentage", nullptr},
              {"remaining_percentage", nullptr},
              {"total_input_tokens", model::whole_input(facts.all)},
              {"total_output_tokens", facts.all.output},
              {"current_usage", nullptr}};
  if (!facts.last) return out;
  const model::Usage& last = *facts.last;
  out["current_usage"] = {{"input_tokens", last.input},
                          {"output_tokens", last.output},
                          {"cache_creation_input_tokens", last.cache_write},
                          {"cache_read_input_tokens", last.cache_read}};
  if (facts.window <= 0) return out;
  const std::int64_t held = model::whole_input(last) + last.output;
  const std::int64_t used =
      std::min<std::int64_t>(100, (100 * held + facts.window / 2) / facts.window);
  out["used_percentage"] = used;
  out["remaining_percentage"] = 100 - used;
  return out;
}

}  // namespace

JsonText facts_json(const Facts& facts, std::int64_t open_ms) {
  const bool thinks = facts.model.thinking != model::ThinkingLevel::off;
  const Json effort = thinks ? Json{{"level", model::name(facts.model.thinking)}} : Json();
  const Json long_one = facts.last ? Json(model::whole_input(*facts.last) > long_context) : Json();
  return dump({{"hook_event_name", "Status"},
               {"session_id", facts.session},
               {"session_name", or_null(facts.title)},
               {"transcript_path", or_null(facts.transcript)},
               {"cwd", facts.folder},
               {"workspace",
                {{"current_dir", facts.folder},
                 {"project_dir", facts.folder},
                 {"added_dirs", Json::array()}}},
               {"model", {{"id", facts.model.model}, {"display_name", facts.model.model}}},
               {"version", SKEIN_VERSION},
               {"cost",
                {{"total_cost_usd", facts.cost ? Json(facts.cost->dollars) : Json()},
                 {"total_duration_ms", open_ms},
                 {"total_api_duration_ms", facts.worked_ms},
                 {"total_lines_added", nullptr},
                 {"total_lines_removed", nullptr}}},
               {"context_window", context_json(facts)},
               {"exceeds_200k_tokens", long_one},
               {"effort", effort},
               {"thinking", {{"enabled", thinks}}},
               {"vim", nullptr},
               {"worktree", nullptr},
               {"skein",
                {{"key", facts.key},
                 {"provider", facts.model.provider},
                 {"head", or_null(facts.head)},
                 {"branch", or_null(static_cast<std::int64_t>(facts.branch))},
                 {"branches", facts.branches},
                 {"mode", permission::name(facts.mode)},
                 {"git_branch", or_null(facts.git)},
                 {"queued", 0}}}});
}

}  // namespace skein::status
