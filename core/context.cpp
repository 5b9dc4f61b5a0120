#include "core/context.h"

#include <algorithm>

#include "core/json.h"
#include "core/redaction.h"
#include "core/request_text.h"
#include "core/tokens.h"

namespace skein {

namespace {

// Summaries come as a user's words: every provider takes those.
Message summary_message(const char* introduction, const std::string& summary) {
  return user_message(std::string(introduction) + "\n\n" + summary);
}

std::string member(const Entry& entry, const char* name) {
  const std::optional<Json> payload = parse_json(entry.payload);
  return payload ? string_at(*payload, name) : std::string{};
}

// The summary, and what we keep beside it because a model might forget to write it down.
std::string compaction_text(const Json& payload) {
  std::string out = string_at(payload, "summary");
  const auto add_files = [&](const char* title, const Json& files) {
    std::string names;
    for (const Json& file : files)
      if (file.is_string()) names += (names.empty() ? "" : ", ") + file.get<std::string>();
    if (!names.empty()) out += std::string("\n\n") + title + names;
  };
  add_files("Files read: ", at(payload, "filesRead"));
  add_files("Files changed: ", at(payload, "filesChanged"));
  if (const std::string prompt = string_at(payload, "lastPrompt"); !prompt.empty())
    out += "\n\nThe user's last message, which is still being worked on:\n" + prompt;
  return out;
}

bool says_something(const Message& message) {
  return std::ranges::any_of(message.content, [](const Block& block) {
    const auto* text = std::get_if<Text>(&block);
    return std::holds_alternative<Image>(block) || (text && !is_blank(text->text));
  });
}

std::optional<Said> said_in(const Entry& entry, const std::set<Id>& redacted) {
  const bool hidden = redacted.contains(entry.id);
  if (entry.type == type::branch_summary)
    return Said{entry.id, summary_message("Summary of another branch of this conversation:",
                                          hidden ? redacted_text : member(entry, "summary"))};
  if (entry.type != type::message) return std::nullopt;
  std::optional<Message> message = message_from_json(entry.payload);
  if (!message) return std::nullopt;
  if (hidden) *message = masked(std::move(*message));
  const bool by_user = is_prompt(*message) && says_something(*message);
  return Said{entry.id, std::move(*message), 0, by_user};
}

Said said_in_summary(const Entry& entry, const Json& payload, const std::set<Id>& redacted) {
  const std::string text = redacted.contains(entry.id) ? redacted_text : compaction_text(payload);
  Said said{.entry = entry.id,
            .message = summary_message("Summary of the conversation so far:", text),
            .pinned = true};
  said.tokens = tokens_of(said.message);
  return said;
}

}  // namespace

Telling telling_of(std::span<const Entry> path, const std::set<Id>& redacted, std::int64_t enough) {
  Telling out;
  const auto compacted = std::find_if(path.rbegin(), path.rend(), [](const Entry& entry) {
    return entry.type == type::compaction_summary;
  });
  std::size_t from = 0, summary = 0;
  if (compacted != path.rend()) {
    const auto first = std::ranges::find(path, first_kept(*compacted), &Entry::id);
    summary = static_cast<std::size_t>(compacted.base() - 1 - path.begin());
    from = std::min(summary, static_cast<std::size_t>(first - path.begin()));
  }

  const auto pass_over = [&](const Entry& entry) {
    if (entry.type != type::message) return;
    ++out.unread;
    out.unread_tokens += static_cast<std::int64_t>(entry.payload.size()) / 4;
  };
  // Backward from the end, until there is enough; from there on only the user's words are missing.
  std::int64_t sum = 0;
  std::size_t later = 0;
  bool asked = false;
  for (std::size_t i = path.size(); i-- > from;) {
    const bool full = enough > 0 && sum > enough;
    if (full && asked) {
      for (const Entry& entry : path.subspan(from, i + 1 - from)) pass_over(entry);
      break;
    }
    std::optional<Said> said = said_in(path[i], redacted);
    if (!said) continue;
    if (full && !said->by_user) {
      pass_over(path[i]);
      continue;
    }
    said->tokens = tokens_of(said->message);
    sum += said->tokens;
    asked = asked || said->by_user;
    later += i >= summary;
    out.said.push_back(std::move(*said));
  }
  if (compacted != path.rend()) {
    const Json payload = parse_json(compacted->payload).value_or(Json::object());
    out.said.push_back(said_in_summary(*compacted, payload, redacted));
    if (const Json& told = at(payload, "tokensPerGuess"); told.is_number())
      out.tokens_per_guess = told.get<double>();
  }
  std::ranges::reverse(out.said);
  // Where reading ended is chance, and may be between a call and its result.
  if (out.unread > 0) {
    const std::int64_t read = tokens_of(out.said);
    out.unread += cut_to(out.said, enough);
    out.unread_tokens += read - tokens_of(out.said);
  }
  out.since_summary = out.said.size() - std::min(later, out.said.size());
  return out;
}

std::vector<Message> messages_of(std::span<const Entry> path, const std::set<Id>& redacted) {
  std::vector<Message> out;
  for (Said& said : telling_of(path, redacted).said) out.push_back(std::move(said.message));
  return out;
}

std::optional<Id> first_kept(const Entry& entry) {
  if (entry.type != type::compaction_summary) return std::nullopt;
  return parse_id(member(entry, "firstKeptEntryId")).value_or(entry.id);
}

}  // namespace skein
