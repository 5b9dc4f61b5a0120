#include "core/exchange/importers/opencode_session.h"

#include <algorithm>
#include <utility>

#include "core/exchange/importers/foreign_values.h"

namespace skein::exchange::importers {

namespace {

JsonText opencode_raw(const OpencodeMessage& message, const Json& sealed) {
  return sealed.is_null() ? JsonText() : dump(Json{{"message", message.data}, {"parts", sealed}});
}

// Who answered: in the message itself, or in its member `model`.
void name_opencode_model(const Json& data, model::Message& message) {
  const Json& chosen = at(data, "model");
  message.provider = string_at(data, "providerID", string_at(chosen, "providerID"));
  message.model = string_at(data, "modelID", string_at(chosen, "modelID"));
  if (message.model.empty()) message.model = string_at(chosen, "id");
}

bool is_unfinished(const Json& data) {
  return !at(at(data, "time"), "completed").is_number() && !at(data, "error").is_object() &&
         !at(data, "finish").is_string();
}

}  // namespace

std::optional<ForeignSession> opencode_session(const Json& json) {
  ForeignSession session{.id = string_at(json, "id"),
                         .cwd = string_at(json, "directory"),
                         .title = string_at(json, "title"),
                         .parent = string_at(json, "parentID")};
  if (session.id.empty()) return std::nullopt;
  session.created_at = time_from(at(at(json, "time"), "created"));
  session.updated_at = time_from(at(at(json, "time"), "updated"));
  // Until something has made a better one.
  for (const char* placeholder : {"New session - ", "Child session - "})
    if (session.title.starts_with(placeholder)) session.title.clear();
  if (session.parent == session.id) session.parent.clear();
  session.spawned = !session.parent.empty();
  return session;
}

OpencodeEntries::OpencodeEntries(const ForeignSession& session, const Json& revert,
                                 const ReadOptions& options, Receiver& receiver)
    : session_(session),
      options_(options),
      receiver_(receiver),
      revert_message_(string_at(revert, "messageID")),
      revert_part_(string_at(revert, "partID")) {}

void OpencodeEntries::add(OpencodeMessage message) {
  if (held_) take(*held_, false);
  held_ = std::move(message);
}

void OpencodeEntries::finish() {
  if (held_) take(*held_, true);
  receiver_.end(leaf_.value_or(last_));
}

void OpencodeEntries::take(const OpencodeMessage& message, bool last) {
  const bool reverted = message.id == revert_message_ && !leaf_;
  if (reverted && (revert_part_.empty() || string_at(message.data, "role") == "user"))
    leaf_ = last_;
  starting_.push_back(message.id);
  take_by_role(message, last);
  if (reverted && !leaf_) leaf_ = last_;
}

void OpencodeEntries::take_by_role(const OpencodeMessage& message, bool last) {
  const std::string role = string_at(message.data, "role");
  if (role == "user") return take_user(message);
  if (role == "assistant") return take_answer(message, last);
  if (role != "model-switched") return receiver_.lose("messages of unknown kinds");
  const Json& chosen = at(message.data, "model");
  give_payload({message.id, message.time},
               model::payload::ModelChange{.provider = string_at(chosen, "providerID"),
                                           .model = string_at(chosen, "id")},
               false);
}

void OpencodeEntries::give(const Given& from, ForeignEntry entry, bool has_children) {
  if (from.id.empty() || !given_.insert(from.id).second)
    return receiver_.lose("entries whose id was there already");
  entry.id = from.id;
  entry.parent = last_;
  entry.time = time_from(Json(from.time));
  receiver_.add(std::move(entry));
  if (!has_children) return;
  last_ = from.id;
  for (std::string& message : std::exchange(starting_, {}))
    starts_.emplace(std::move(message), from.id);
}

void OpencodeEntries::give_message(const Given& from, model::Message message, JsonText raw) {
  give(from, {.content = std::move(message), .raw = std::move(raw)}, true);
}

void OpencodeEntries::give_context(const Given& from, std::string label, std::string text) {
  if (text.empty()) return;
  give(from, {.content = ForeignContext{std::move(label), std::move(text)}}, false);
}

void OpencodeEntries::give_payload(const Given& from, model::Payload payload, bool has_children) {
  give(from, {.content = std::move(payload)}, has_children);
}

// What the user typed; what the program put beside it; or a wish to compact, which is no prompt.
void OpencodeEntries::take_user(const OpencodeMessage& message) {
  model::Message prompt{.role = model::Role::user};
  give_context({message.id + "/system", message.time}, "instructions",
               string_at(message.data, "system"));
  for (const OpencodePart& part : message.parts) {
    const std::string type = string_at(part.data, "type");
    std::string text = string_at(part.data, type == "subtask" ? "prompt" : "text");
    const Given from{message.id + "/" + part.id, message.time};
    if (type == "compaction")
      tail_start_ = string_at(part.data, "tail_start_id");
    else if (type == "text" && bool_at(part.data, "synthetic"))
      give_context(from, "attachment", std::move(text));
    else if (type == "text" && bool_at(part.data, "ignored"))
      give_context(from, "note", std::move(text));
    else if ((type == "text" || type == "subtask") && !text.empty())
      prompt.content.emplace_back(model::Text{std::move(text)});
    else if (type == "file")
      if (auto image = opencode_image(part.data, receiver_))
        prompt.content.emplace_back(*std::move(image));
  }
  // Of the oldest sessions parts were lost; how the message was summed up is what is left of it.
  if (std::string body = string_at(at(message.data, "summary"), "body");
      message.parts.empty() && !body.empty())
    prompt.content.emplace_back(model::Text{std::move(body)});
  if (!prompt.content.empty()) give_message({message.id, message.time}, std::move(prompt), {});
}

void OpencodeEntries::take_answer(const OpencodeMessage& message, bool last) {
  std::vector<OpencodeStep> steps = opencode_steps(message.parts, receiver_);
  if (at(message.data, "summary") == true) return take_summary(message, steps);
  const bool unfinished = last && is_unfinished(message.data);
  if (steps.empty() && !unfinished) steps.emplace_back();  // it failed before it said anything
  if (std::ranges::none_of(steps, [](const auto& step) { return step.usage.has_value(); }) &&
      !steps.empty())
    steps.back().usage = opencode_usage(at(message.data, "tokens"));
  take_steps(message, std::move(steps), unfinished);
}

void OpencodeEntries::take_steps(const OpencodeMessage& message, std::vector<OpencodeStep> steps,
                                 bool unfinished) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    OpencodeStep& step = steps[i];
    const bool at_end = i + 1 == steps.size();
    const bool open = unfinished && (at_end ? !step.ended || step.waiting : step.waiting);
    if (open && options_.growing) return;
    if (!revert_part_.empty() && step.first >= revert_part_ && message.id == revert_message_ &&
        !leaf_)
      leaf_ = last_;
    Given from{i == 0 ? message.id : message.id + "/" + std::to_string(i + 1), message.time};
    if (open) from.id += "+" + std::to_string(message.parts.size());
    const Json& error = at_end ? at(message.data, "error") : at(Json(), {});
    model::Message answer{.role = model::Role::assistant};
    name_opencode_model(message.data, answer);
    answer.stop =
        open ? model::Stop::interrupted
             : opencode_stop(
                   step.reason.empty() && at_end ? string_at(message.data, "finish") : step.reason,
                   error, step.said);
    answer.error = opencode_error(error);
    answer.usage = step.usage;
    answer.content = std::move(step.said);
    give_message(from, std::move(answer), opencode_raw(message, step.sealed));
    if (step.results.empty()) continue;
    model::Message results{.role = model::Role::tool};
    results.content = std::move(step.results);
    give_message({from.id + "/results", message.time}, std::move(results), {});
  }
}

// The answer to a wish to compact is what stands for all before it.
void OpencodeEntries::take_summary(const OpencodeMessage& message,
                                   const std::vector<OpencodeStep>& steps) {
  model::payload::CompactionSummary summary;
  for (const OpencodeStep& step : steps) {
    for (const model::Block& block : step.said)
      if (const auto* text = std::get_if<model::Text>(&block)) summary.summary += text->text;
    if (step.usage) summary.usage = step.usage;
  }
  if (summary.summary.empty() || at(message.data, "error").is_object())
    return receiver_.lose("compactions that failed");
  if (!summary.usage) summary.usage = opencode_usage(at(message.data, "tokens"));
  model::Message writer;
  name_opencode_model(message.data, writer);
  summary.provider = writer.provider;
  summary.model = writer.model;
  if (const std::string kept = std::exchange(tail_start_, {}); !kept.empty())
    if (const auto start = starts_.find(kept); start != starts_.end())
      summary.first_kept = entry_id(opencode_name, session_.id, start->second);
  give_payload({message.id, message.time}, std::move(summary), true);
}

}  // namespace skein::exchange::importers
