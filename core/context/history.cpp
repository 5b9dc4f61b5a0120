#include "core/context/history.h"

#include <algorithm>

#include "core/context/beginning.h"
#include "core/model/payloads.h"
#include "core/model/redaction.h"
#include "core/model/tokens.h"
#include "core/text/request_text.h"

namespace skein::context {

namespace {

constexpr const char* summary_text = "Summary of the conversation so far:\n\n";
constexpr const char* cut_text = "(older messages were left out to make room)";

// The summary, and what is kept beside it because a model might forget to mention it.
std::string text_of(const model::payload::CompactionSummary& compaction) {
  std::string out = compaction.summary.empty() ? cut_text : summary_text + compaction.summary;
  const auto add_files = [&](const char* title, const std::vector<std::string>& files) {
    std::string names;
    for (const std::string& file : files) names += (names.empty() ? "" : ", ") + file;
    if (!names.empty()) out += std::string("\n\n") + title + names;
  };
  add_files("Files read: ", compaction.files_read);
  add_files("Files changed: ", compaction.files_changed);
  if (!compaction.last_prompt.empty())
    out +=
        "\n\nThe user's last message, which is still being worked on:\n" + compaction.last_prompt;
  return out;
}

bool says_something(const model::Message& message) {
  return std::ranges::any_of(message.content, [](const model::Block& block) {
    const auto* text = std::get_if<model::Text>(&block);
    return std::holds_alternative<model::Image>(block) || (text && !is_blank(text->text));
  });
}

std::optional<ContextMessage> said_in(const model::Entry& entry, const std::set<Id>& redacted) {
  const bool hidden = redacted.contains(entry.id);
  if (const auto branch = model::read_as<model::payload::BranchSummary>(entry))
    return ContextMessage{
        entry.id, model::user_message("Summary of another branch of this conversation:\n\n" +
                                      (hidden ? std::string(model::redacted_text)
                                              : branch->summary))};
  if (entry.type != model::type::message) return std::nullopt;
  std::optional<model::Message> message = model::message_from_json(entry.payload);
  if (!message) return std::nullopt;
  if (hidden) *message = model::masked(std::move(*message));
  const bool by_user = model::is_prompt(*message) && says_something(*message);
  return ContextMessage{entry.id, std::move(*message), 0, by_user};
}

// Summaries are sent as user messages: every provider accepts those.
ContextMessage said_in_summary(const model::Entry& entry,
                               const model::payload::CompactionSummary& compaction,
                               const std::set<Id>& redacted) {
  ContextMessage said{.entry = entry.id,
                      .message = model::user_message(redacted.contains(entry.id)
                                                         ? std::string(summary_text) +
                                                               std::string(model::redacted_text)
                                                         : text_of(compaction)),
                      .pinned = true};
  said.tokens = model::tokens_of(said.message);
  return said;
}

// What the recorded steps of a path say of its entries, by their place.
struct Steps {
  std::span<const model::Entry> path;
  std::size_t from = 0, summary = 0;  // the first entry that is sent, and the summary's place
  std::optional<model::payload::CompactionSummary> summed_up{};
  std::size_t thinking_from = 0;
  std::size_t beginning = 0;  // what was told of changes before it is part of it

  explicit Steps(std::span<const model::Entry> whole)
      : path(whole), thinking_from(thinking_counts_from(whole)) {
    if (const model::Entry* last = last_beginning(path))
      beginning = static_cast<std::size_t>(last - path.data());
    const auto compacted = std::find_if(path.rbegin(), path.rend(), [](const model::Entry& entry) {
      return entry.type == model::type::compaction_summary;
    });
    if (compacted == path.rend()) return;
    summary = static_cast<std::size_t>(compacted.base() - 1 - path.begin());
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
    if (place < thinking_from) said->message.seals = model::Seals::moved;
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
      for (const model::Entry& entry : path.subspan(steps.from, i + 1 - steps.from)) pass_over(entry);
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
