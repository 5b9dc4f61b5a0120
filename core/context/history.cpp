#include "core/context/history.h"

#include "core/context/beginning.h"
#include "core/model/payloads.h"
#include "core/model/provider.h"
#include "core/model/scrub.h"
#include "core/text/text.h"

namespace skein::context {

namespace {

constexpr std::int64_t long_result = 500;  // tokens; shorter ones are not worth replacing

// How many tokens there are from each message to the end; pinned ones are not counted.
std::vector<std::int64_t> tails(const std::vector<ContextMessage>& said) {
  std::vector<std::int64_t> out(said.size() + 1, 0);
  for (std::size_t i = said.size(); i-- > 0;)
    out[i] = out[i + 1] + (said[i].pinned ? 0 : said[i].tokens);
  return out;
}

std::optional<std::size_t> last_prompt(const std::vector<ContextMessage>& said) {
  for (std::size_t i = said.size(); i-- > 0;)
    if (said[i].by_user) return i;
  return std::nullopt;
}

// A place where the request could begin, and how long it would be.
struct Boundary {
  std::size_t from = 0;
  std::int64_t tokens = 0;
};

// The oldest of at most `most` tokens; `places` go from old to new.
std::optional<std::size_t> oldest(const std::vector<Boundary>& places, std::int64_t most) {
  const auto found =
      std::ranges::find_if(places, [&](const Boundary& place) { return place.tokens <= most; });
  return found == places.end() ? std::nullopt : std::optional(found->from);
}

}  // namespace

// Anthropic refuses a request if the longest answer would not fit as well, so all of it is
// reserved; but an answer as long as the window would leave no room for a request.
std::int64_t room_in(const Window& window) {
  return window.tokens - std::min(window.output, window.tokens / 2);
}

std::int64_t tokens_of(const std::vector<ContextMessage>& said) {
  std::int64_t sum = 0;
  for (const ContextMessage& each : said) sum += each.tokens;
  return sum;
}

std::vector<bool> borders(const std::vector<ContextMessage>& said) {
  // inside[i]: how many pairs of call and result begin before i and end at or after it, as changes.
  std::vector<int> inside(said.size() + 1, 0);
  std::map<std::string_view, std::vector<std::size_t>> open;
  for (std::size_t i = 0; i < said.size(); ++i)
    for (const model::Block& block : said[i].message.content) {
      if (const auto* call = std::get_if<model::ToolUse>(&block)) open[call->id].push_back(i);
      const auto* result = std::get_if<model::ToolResult>(&block);
      const auto call = result ? open.find(result->tool_use_id) : open.end();
      if (call == open.end() || call->second.empty()) continue;
      ++inside[call->second.back() + 1];
      --inside[i + 1];
      call->second.pop_back();
    }
  std::vector<bool> out(said.size());
  int depth = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    depth += inside[i];
    out[i] = depth == 0 && said[i].message.role != model::Role::tool && !said[i].pinned;
  }
  return out;
}

std::int64_t tokens_from(const std::vector<ContextMessage>& said, std::size_t from) {
  const std::optional<std::size_t> asked = last_prompt(said);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < said.size(); ++i)
    if (said[i].pinned || i >= from || i == asked) sum += said[i].tokens;
  return sum;
}

std::size_t cut_place(const std::vector<ContextMessage>& said, std::int64_t room) {
  const std::vector<bool> border = borders(said);
  const std::vector<std::int64_t> tail = tails(said);
  const std::int64_t pinned = tokens_of(said) - tail[0];
  const std::optional<std::size_t> asked = last_prompt(said);
  std::vector<Boundary> turns, steps;
  std::size_t last = 0;
  for (std::size_t i = 0; i < said.size(); ++i) {
    if (!border[i]) continue;
    last = i;
    if (!asked || i > *asked)
      steps.push_back({i, pinned + tail[i] + (asked ? said[*asked].tokens : 0)});
    else if (model::is_prompt(said[i].message))
      turns.push_back({i, pinned + tail[i]});
  }
  for (const std::vector<Boundary>* places : {&turns, &steps})
    for (const std::int64_t most : {room / 2, room})
      if (const std::optional<std::size_t> place = oldest(*places, most)) return *place;
  return last;
}

std::size_t begin_at_border(std::vector<ContextMessage>& said) {
  const std::vector<bool> border = borders(said);
  const std::optional<std::size_t> asked = last_prompt(said);
  std::size_t from = 0;
  while (from < said.size() && said[from].pinned) ++from;
  if (from == asked) ++from;  // it may have been read alone, from further back
  while (from < said.size() && !border[from]) ++from;
  std::vector<ContextMessage> kept;
  for (std::size_t i = 0; i < said.size(); ++i)
    if (said[i].pinned || i >= from || i == asked) kept.push_back(std::move(said[i]));
  const std::size_t dropped = said.size() - kept.size();
  said = std::move(kept);
  return dropped;
}

std::size_t shorten_results(model::Message& message, std::size_t bytes) {
  std::size_t shortened = 0;
  for (model::Block& block : message.content) {
    auto* result = std::get_if<model::ToolResult>(&block);
    const std::int64_t tokens = result ? model::tokens_of(block) : 0;
    if (tokens <= std::max(long_result, static_cast<std::int64_t>(bytes / 4))) continue;
    const std::string whole = model::plain_text(*result);
    const bool only_text = std::ranges::all_of(result->content, [](const auto& part) {
      return std::holds_alternative<model::Text>(part);
    });
    if (only_text && whole.size() <= bytes) continue;
    std::string text(utf8_prefix(whole, bytes));
    text += (text.empty() ? "" : "\n") + ("[of " + std::to_string(tokens)) +
            " tokens of output, the rest was left out to save space; call the tool again if you "
            "need it]";
    *result = model::ToolResult{.tool_use_id = result->tool_use_id,
                                .content = {model::Text{std::move(text)}},
                                .is_error = result->is_error};
    ++shortened;
  }
  return shortened;
}

namespace {

constexpr const char* summary_text = "Summary of the conversation so far:\n\n";
constexpr const char* cut_text = "(older messages were left out to make room)";

// The summary, and what is kept with it because a model might forget to mention it.
std::string text_of(const model::payload::CompactionSummary& compaction) {
  std::string out = compaction.summary.empty() ? cut_text : summary_text + compaction.summary;
  const auto add_files = [&](const char* title, const std::vector<std::string>& files) {
    if (!files.empty()) out += std::string("\n\n") + title + listed(files);
  };
  add_files("Files read: ", compaction.files_read);
  add_files("Files changed: ", compaction.files_changed);
  if (!compaction.last_prompt.empty())
    out +=
        "\n\nThe user's last message, which is still being worked on:\n" + compaction.last_prompt;
  return out;
}

std::optional<ContextMessage> said_in(const model::Entry& entry, const std::set<Id>& redacted) {
  const bool hidden = redacted.contains(entry.id);
  if (const auto branch = model::read_as<model::payload::BranchSummary>(entry))
    return ContextMessage{
        entry.id,
        model::user_message("Summary of another branch of this conversation:\n\n" +
                            (hidden ? std::string(model::redacted_text) : branch->summary))};
  if (entry.type != model::type::message) return std::nullopt;
  std::optional<model::Message> message = model::message_from_json(entry.payload);
  if (!message) return std::nullopt;
  if (hidden) *message = model::masked(std::move(*message));
  const bool by_user = model::is_prompt(*message) && model::says_something(*message);
  return ContextMessage{entry.id, std::move(*message), 0, by_user};
}

// Summaries are sent as user messages: every provider accepts those.
ContextMessage said_in_summary(const model::Entry& entry,
                               const model::payload::CompactionSummary& compaction,
                               const std::set<Id>& redacted) {
  model::Message message = model::user_message(
      redacted.contains(entry.id) ? std::string(summary_text) + std::string(model::redacted_text)
                                  : text_of(compaction));
  const std::int64_t tokens = model::tokens_of(message);
  return {.entry = entry.id, .message = std::move(message), .tokens = tokens, .pinned = true};
}

// Calls keep their results, so that they still fit together.
void replace_results(model::Message& message, const std::string& text) {
  for (model::Block& block : message.content)
    if (auto* result = std::get_if<model::ToolResult>(&block))
      *result = model::ToolResult{.tool_use_id = result->tool_use_id,
                                  .content = {model::Text{text}},
                                  .is_error = result->is_error};
}

// What the recorded steps of a path say of its entries, by their place.
struct Steps {
  std::span<const model::Entry> path;
  std::size_t from = 0, summary = 0;  // the first entry that is sent, and the summary's place
  std::optional<model::payload::CompactionSummary> summed_up{};
  std::size_t thinking_from = 0;
  std::size_t beginning = 0;  // it includes the changes that were reported before it
  std::map<std::string, std::string> dropped{};

  explicit Steps(std::span<const model::Entry> whole)
      : path(whole), thinking_from(thinking_counts_from(whole)), dropped(dropped_on(whole)) {
    if (const model::Entry* last = last_beginning(path))
      beginning = static_cast<std::size_t>(last - path.data());
    const model::Entry* const compacted = last_of(path, model::type::compaction_summary);
    if (compacted == nullptr) return;
    summary = static_cast<std::size_t>(compacted - path.data());
    summed_up = model::read_as<model::payload::CompactionSummary>(*compacted)
                    .value_or(model::payload::CompactionSummary{});
    const auto first =
        std::ranges::find(path, summed_up->first_kept.value_or(compacted->id), &model::Entry::id);
    from = std::min(summary, static_cast<std::size_t>(first - path.begin()));
  }

  // What is sent for an entry.
  std::optional<ContextMessage> said_at(std::size_t place, const std::set<Id>& redacted) const {
    if (place < beginning && changes_in(path[place])) return std::nullopt;
    std::optional<ContextMessage> said = said_in(path[place], redacted);
    if (!said) return said;
    if (place < thinking_from && said->message.role == model::Role::assistant)
      said->message.seals = model::Seals::moved;
    if (!dropped.empty() && !redacted.contains(path[place].id))
      if (const auto text = dropped.find(to_string(path[place].id)); text != dropped.end())
        replace_results(said->message, text->second);
    if (place < summary && summed_up->result_bytes > 0)
      shorten_results(said->message, static_cast<std::size_t>(summed_up->result_bytes));
    said->tokens = model::tokens_of(said->message);
    return said;
  }
};

}  // namespace

ContextHistory history_of(std::span<const model::Entry> path, const std::set<Id>& redacted,
                          std::int64_t enough) {
  ContextHistory out;
  const Steps steps(path);
  const auto pass_over = [&](const model::Entry& entry) {
    if (entry.type != model::type::message) return;
    ++out.unread;
    out.unread_tokens += static_cast<std::int64_t>(entry.payload.size()) / 4;
  };
  // Backward from the end until there is enough, and then on to the last prompt.
  std::int64_t sum = 0;
  std::size_t later = 0;
  bool asked = false;
  for (std::size_t i = path.size(); i-- > steps.from;) {
    const bool full = enough > 0 && sum > enough;
    if (full && asked) {
      for (const model::Entry& entry : path.subspan(steps.from, i + 1 - steps.from))
        pass_over(entry);
      break;
    }
    std::optional<ContextMessage> said = steps.said_at(i, redacted);
    if (!said) continue;
    if (full && !said->by_user) {
      pass_over(path[i]);
      continue;
    }
    sum += said->tokens;
    asked = asked || said->by_user;
    later += i >= steps.summary;
    out.said.push_back(std::move(*said));
  }
  if (steps.summed_up) {
    out.said.push_back(said_in_summary(path[steps.summary], *steps.summed_up, redacted));
    out.tokens_per_guess = steps.summed_up->tokens_per_guess;
  }
  std::ranges::reverse(out.said);
  // Reading may have ended anywhere, also between a call and its result.
  if (out.unread > 0) {
    const std::int64_t read = tokens_of(out.said);
    out.unread += begin_at_border(out.said);
    out.unread_tokens += read - tokens_of(out.said);
  }
  out.since_summary = out.said.size() - std::min(later, out.said.size());
  return out;
}

std::vector<model::Message> messages_of(std::span<const model::Entry> path,
                                        const std::set<Id>& redacted) {
  std::vector<model::Message> out;
  for (ContextMessage& said : history_of(path, redacted).said)
    out.push_back(std::move(said.message));
  return out;
}

std::optional<Id> first_kept(const model::Entry& entry) {
  if (entry.type != model::type::compaction_summary) return std::nullopt;
  const auto compaction = model::read_as<model::payload::CompactionSummary>(entry);
  return compaction && compaction->first_kept ? *compaction->first_kept : entry.id;
}

}  // namespace skein::context
