#include "repl/status/status_line.h"

#include "core/project/project_root.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "repl/layout/width.h"

namespace skein::status {

namespace {

constexpr std::int64_t long_context = 200'000;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json or_null(std::int64_t number) { return number == 0 ? Json() : Json(number); }

Json context_json(const StatusFacts& facts) {
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
  const std::int64_t held = model::context_behind(last);
  const std::int64_t used =
      std::min<std::int64_t>(100, (100 * held + facts.window / 2) / facts.window);
  out["used_percentage"] = used;
  out["remaining_percentage"] = 100 - used;
  return out;
}

// What Claude Code calls a cause.
std::string_view usual_name(insights::MissCause cause) {
  using enum insights::MissCause;
  switch (cause) {
    case model_change: return "model_changed";
    case runtime_init: return "system_prompt_changed";
    case compaction_summary:
    case drop:
    case redaction: return "messages_rewritten";
    case expired: return "ttl_expired_5m";
    case service: return "likely_server_side";
    case thinking_level_change: break;
  }
  return "unknown";
}

Json cache_json(const StatusFacts& facts) {
  if (!facts.last || facts.last->cache_read + facts.last->cache_write == 0) return {};
  const auto read = static_cast<double>(facts.last->cache_read);
  Json out = {{"hit_ratio", read / static_cast<double>(model::whole_input(*facts.last))},
              {"warm", facts.cache_warm},
              {"last_miss_at", nullptr},
              {"last_miss_cause", nullptr}};
  if (!facts.cache_miss) return out;
  out["last_miss_at"] = facts.cache_miss->time;
  out["last_miss_cause"] = {{"causes", Json::array({usual_name(*facts.cache_miss->cause)})}};
  return out;
}

constexpr std::size_t widest_name = 40;  // of a folder, a branch or a title

struct StatusItem {
  std::string_view name;
  std::string (*text)(const StatusFacts&);  // empty: not known
};

std::string context_item(const StatusFacts& facts) {
  if (!facts.last || facts.window <= 0) return {};
  const std::int64_t held = model::context_behind(*facts.last);
  return held > 0 ? "context " + percent(held, facts.window) : "";
}

std::string cache_item(const StatusFacts& facts) {
  if (!facts.last || facts.last->cache_read + facts.last->cache_write == 0) return {};
  return "cached " + percent(facts.last->cache_read, model::whole_input(*facts.last));
}

std::string cost_item(const StatusFacts& facts) {
  if (!facts.cost || facts.cost->dollars <= 0) return {};
  return (facts.cost->at_least ? "at least " : "") + dollars(facts.cost->dollars);
}

// One branch is no news.
std::string branch_item(const StatusFacts& facts) {
  if (facts.branches < 2) return {};
  return facts.branch == 0
             ? counted(facts.branches, "branch", "branches")
             : "branch " + std::to_string(facts.branch) + " of " + std::to_string(facts.branches);
}

std::string tokens_item(const StatusFacts& facts) {
  const std::int64_t input = model::whole_input(facts.all);
  if (input + facts.all.output == 0) return {};
  return short_count(input) + " in " + short_count(facts.all.output) + " out";
}

constexpr StatusItem all_items[] = {
    {"model",
     [](const StatusFacts& facts) {
       return facts.model.model.empty() ? facts.model.provider : facts.model.model;
     }},
    {"context", context_item},
    {"cache", cache_item},
    {"cost", cost_item},
    {"branch", branch_item},
    {"git", [](const StatusFacts& facts) { return facts.git.empty() ? "" : "git " + facts.git; }},
    {"cwd", [](const StatusFacts& facts) { return layout::short_folder(facts.folder); }},
    {"mode", [](const StatusFacts& facts) { return std::string(permission::name(facts.mode)); }},
    {"thinking",
     [](const StatusFacts& facts) {
       return "thinking " + std::string(name(facts.model.thinking));
     }},
    {"title", [](const StatusFacts& facts) { return facts.title; }},
    {"session", [](const StatusFacts& facts) { return facts.key; }},
    {"tokens", tokens_item},
};

using std::chrono::milliseconds;

constexpr std::size_t longest_row = 4096;     // in bytes: no terminal shows more
constexpr std::size_t longest_sequence = 64;  // of attributes

struct Escape {
  std::size_t length = 0;
  bool attributes = false;  // SGR: colours, bold and so on
};

bool is_within(char c, char first, char last) { return c >= first && c <= last; }

// The escape sequence at the start of `text`, which begins with ESC. One without an end takes all.
Escape escape_at(std::string_view text) {
  if (text.size() < 2) return {text.size()};
  if (text[1] == '[') {
    std::size_t end = 2;
    while (end < text.size() && is_within(text[end], 0x20, 0x3F)) ++end;
    if (end == text.size()) return {end};
    const bool numbers =
        text.substr(2, end - 2).find_first_not_of("0123456789;:") == std::string_view::npos;
    return {end + 1, text[end] == 'm' && numbers && end < longest_sequence};
  }
  // Strings for the terminal: OSC, DCS, SOS, PM, APC. They end with BEL or ESC backslash.
  if (std::string_view("]PX^_").find(text[1]) != std::string_view::npos) {
    const std::size_t end = text.find_first_of("\x07\x1b", 2);
    if (end == std::string_view::npos) return {text.size()};
    return {text.substr(end).starts_with("\x1b\\") ? end + 2 : text[end] == '\x07' ? end + 1 : end};
  }
  return {2};
}

RowsAbove::Row safe_row(std::string_view line, std::size_t columns, bool colour) {
  RowsAbove::Row row;
  bool styled = false;
  line = line.substr(0, longest_row);
  while (!line.empty()) {
    if (line.front() == '\x1b') {
      const Escape escape = escape_at(line);
      if (escape.attributes && colour) row.text += line.substr(0, escape.length), styled = true;
      line.remove_prefix(escape.length);
      continue;
    }
    const std::size_t run = std::min(line.find('\x1b'), line.size());
    const std::string text = layout::sanitized_row(line.substr(0, run));
    const std::string shown = layout::fit(text, columns - row.columns);
    row.text += shown;
    row.columns += layout::display_width(shown);
    line.remove_prefix(run);
    if (shown != text || row.columns >= columns) break;
  }
  if (styled) row.text += layout::end_of_style;
  return row;
}

constexpr milliseconds between_starts{300}, glance_at_command{50};

StatusFacts facts_now(const FactParts& parts, const std::optional<model::Usage>& last) {
  session::Session& session = parts.session;
  const agent::Conversation& conversation = session.conversation();
  const model::SessionState& state = conversation.state();
  const session::Cost cost = parts.with_cost ? session.cost() : session::Cost{};
  const bool known =
      parts.with_cost && !state.usage.empty() && (cost.dollars > 0 || !cost.at_least);
  StatusFacts facts{.session = to_string(conversation.session()),
                    .key = conversation.record().key,
                    .title = state.title,
                    .transcript = parts.transcript(conversation.session()),
                    .folder = session.workspace(),
                    .git = project::git_branch(session.workspace()),
                    .model = session.settings().model,
                    .mode = session.settings().rules.mode,
                    .window = parts.window(session.settings().model),
                    .last = last,
                    .cache_miss = session.cache_miss(),
                    .cache_warm = now_ms() - ms_from_utc(state.updated_at).value_or(0) <
                                  insights::usual_lifetime_ms,
                    .all = model::total_usage(state),
                    .cost = known ? std::optional(cost) : std::nullopt,
                    .worked_ms = state.duration_ms,
                    .branches = state.leaves.size()};
  if (const std::optional<Id> head = conversation.head()) {
    facts.head = to_string(*head);
    const auto ours = std::ranges::find(state.leaves, *head);
    if (ours != state.leaves.end())
      facts.branch = static_cast<std::size_t>(ours - state.leaves.begin()) + 1;
  }
  return facts;
}

}  // namespace

// The last answer is looked for again only when the head has moved.
std::function<StatusFacts()> fact_finder(FactParts parts) {
  return [parts = std::move(parts), head = std::optional<Id>{},
          last = std::optional<model::Usage>{}]() mutable {
    const agent::Conversation& conversation = parts.session.conversation();
    if (conversation.head() != head) {
      head = conversation.head();
      last = conversation.last_usage();
    }
    return facts_now(parts, last);
  };
}

JsonText facts_json(const StatusFacts& facts, std::int64_t open_ms) {
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
               {"prompt_cache", cache_json(facts)},
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
                 {"cost_at_least", facts.cost && facts.cost->at_least},
                 {"queued", 0}}}});
}

std::vector<std::string_view> item_names() {
  std::vector<std::string_view> out;
  std::ranges::transform(all_items, std::back_inserter(out), &StatusItem::name);
  return out;
}

std::vector<std::string> usual_items() { return {"context", "branch", "git", "cwd"}; }

std::string items_text(std::span<const std::string> items, const StatusFacts& facts,
                       std::size_t columns) {
  std::string out;
  for (const std::string& name : items) {
    const auto item = std::ranges::find(all_items, name, &StatusItem::name);
    if (item == std::end(all_items)) continue;  // the configuration says so
    const std::string text = layout::fit_end(layout::sanitized_row(item->text(facts)), widest_name);
    if (text.empty()) continue;
    const std::string longer = out.empty() ? text : out + " · " + text;
    if (layout::display_width(longer) > columns) break;
    out = longer;
  }
  return out;
}

std::vector<RowsAbove::Row> safe_rows(std::string_view printed, std::size_t columns, bool colour) {
  constexpr std::size_t most_rows = 3;
  std::vector<RowsAbove::Row> out;
  for (const std::string_view line : split(trimmed(printed, "\r\n"), '\n')) {
    if (out.size() == most_rows) break;
    out.push_back(safe_row(trimmed(line, "\r"), columns, colour));
  }
  // Blank rows would only push the prompt down.
  while (!out.empty() && out.back().columns == 0) out.pop_back();
  return out;
}

StatusLine::~StatusLine() {
  if (!thread_.joinable()) return;
  stop_ = true;
  write_all(wake_.write.get(), "x");
  thread_.join();
}

std::vector<RowsAbove::Row> StatusLine::rows(std::size_t columns) {
  if (!parts_.look.live || columns < 2 || (!parts_.run && parts_.items.empty())) return {};
  facts_ = parts_.facts();
  const std::size_t width = columns - 1;  // the last column is where terminals differ
  std::vector<Row> out;
  if (parts_.run) {
    out = safe_rows(printed_, width, parts_.look.colour);
  } else if (std::string text = items_text(parts_.items, facts_, width); !text.empty()) {
    const std::size_t used = layout::display_width(text);
    out.push_back({std::move(text), used});
  }
  for (Row& row : out)
    if (row.text.find('\033') == std::string::npos)
      row.text = layout::painted(row.text, layout::style::dim, parts_.look);
  return out;
}

bool StatusLine::is_due() const {
  const Clock::time_point now = parts_.now();
  if (!told_) return true;
  if (now - started_ < between_starts) return false;
  return *told_ != facts_ || (parts_.refresh.count() > 0 && now - started_ >= parts_.refresh);
}

std::optional<milliseconds> StatusLine::look_again() {
  if (!parts_.run || !parts_.look.live) return std::nullopt;
  if (!thread_.joinable() && is_due()) start();
  if (thread_.joinable()) return glance_at_command;
  const auto since = std::chrono::duration_cast<milliseconds>(parts_.now() - started_);
  if (*told_ != facts_) return std::max(milliseconds(1), between_starts - since);
  if (parts_.refresh.count() == 0) return std::nullopt;
  return std::max(milliseconds(1), std::max(parts_.refresh, between_starts) - since);
}

void StatusLine::start() {
  started_ = parts_.now();
  told_ = facts_;
  const auto open = std::chrono::duration_cast<milliseconds>(started_ - opened_);
  if (!wake_.read) wake_ = make_pipe();
  ended_ = false;
  thread_ = quiet_thread([this, input = facts_json(facts_, open.count()) + "\n"] {
    end_ = parts_.run(input, stop_, wake_.read.get());
    ended_ = true;
  });
}

bool StatusLine::changed() {
  if (!thread_.joinable() || !ended_) return false;
  thread_.join();
  End end = std::exchange(end_, {});
  if (end.trouble.empty() && safe_rows(end.output, 80, false).empty())
    end.trouble = "it printed nothing";
  if (end.trouble.empty()) return std::exchange(printed_, end.output) != end.output;
  if (!std::exchange(complained_, true)) trouble_ = end.trouble;
  return !trouble_.empty();
}

void StatusLine::tell() {
  if (!trouble_.empty() && parts_.tell) parts_.tell(std::exchange(trouble_, {}));
}

}  // namespace skein::status
