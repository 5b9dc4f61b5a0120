#include "core/exchange/importers/claude_entries.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <variant>

#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_records.h"
#include "core/exchange/importers/plain_file.h"
#include "core/text/base.h"

namespace skein::exchange::importers {

ClaudeEntries::ClaudeEntries(const SourceFile& file, ClaudeIndex& index, const ClaudeTree& tree,
                             const ReadOptions& options, Receiver& receiver, std::string spilled)
    : index_(index),
      tree_(tree),
      options_(options),
      receiver_(receiver),
      spilled_(std::move(spilled)),
      reader_(file),
      blocks_(receiver),
      given_(tree.units.size()) {}

void ClaudeEntries::give(const ForeignSession& session, const std::vector<std::uint32_t>& units) {
  session_ = session.id;
  previous_ = 0;
  for (const std::uint32_t unit : units) given_[unit] = {.state = State::fresh};
  for (const std::uint32_t unit : units) give_with_parents(unit);
  receiver_.end(leaf(units));
  for (const std::uint32_t unit : units) given_[unit] = {};
}

// A parent may stand behind its child, or be its own ancestor.
void ClaudeEntries::give_with_parents(std::uint32_t unit) {
  std::vector<std::uint32_t> waiting{unit};
  while (!waiting.empty()) {
    const std::uint32_t next = waiting.back();
    const std::uint32_t parent = tree_.units[next].parent;
    if (given_[next].state == State::fresh && parent != no_unit &&
        given_[parent].state == State::fresh) {
      given_[next].state = State::waiting;
      waiting.push_back(parent);
      continue;
    }
    if (given_[next].state != State::done) give_unit(next);
    given_[next].state = State::done;
    waiting.pop_back();
  }
}

std::uint32_t ClaudeEntries::parent_of(std::uint32_t place) const {
  const ClaudeUnit& unit = tree_.units[place];
  if (unit.parent != no_unit && given_[unit.parent].state == State::done)
    return given_[unit.parent].entry;
  return unit.root && !tree_.unlinked ? 0 : previous_;
}

ForeignEntry ClaudeEntries::entry_of(std::uint32_t place) const {
  const ClaudeUnit& unit = tree_.units[place];
  const ClaudeLine& line = index_.lines[unit.first];
  ForeignEntry entry{.id = index_.names.text(line.id),
                     .parent = index_.names.text(parent_of(place)),
                     .time = line.time == 0 ? std::string{} : utc_from_ms(line.time)};
  if (unit.unfinished) entry.id += "+" + std::to_string(unit.size);
  return entry;
}

void ClaudeEntries::give_unit(std::uint32_t place) {
  const ClaudeUnit& unit = tree_.units[place];
  given_[place].entry = parent_of(place);  // what its children follow if it gives nothing
  if (unit.unfinished && options_.growing) return;
  switch (unit.kind) {
    case ClaudeKind::link: break;
    case ClaudeKind::prompt:
    case ClaudeKind::command:
    case ClaudeKind::output: give_user(place); break;
    case ClaudeKind::context: give_context(place); break;
    case ClaudeKind::result: give_results(place); break;
    case ClaudeKind::answer: give_answer(place); break;
    case ClaudeKind::boundary:
    case ClaudeKind::summary: give_compaction(place); break;
  }
}

void ClaudeEntries::add(std::uint32_t place, ForeignEntry entry) {
  // What follows a context follows what it stands behind, so that a path has none of them.
  if (!std::holds_alternative<ForeignContext>(entry.content)) {
    given_[place].said = true;
    given_[place].entry = previous_ = index_.names.number(entry.id);
  }
  receiver_.add(std::move(entry));
}

std::string_view ClaudeEntries::record(const ClaudeLine& line) {
  return reader_.read(line.offset, line.size);
}

Json ClaudeEntries::body(const ClaudeLine& line) {
  const std::string_view text =
      line.body_size == 0 ? record(line) : reader_.read(line.offset + line.body, line.body_size);
  if (auto json = read_json(text)) return std::move(*json);
  receiver_.lose("damaged lines");
  return nullptr;
}

void ClaudeEntries::set_raw(ForeignEntry& entry, const std::vector<std::string>& records) const {
  for (const std::string& each : records) {
    if (!read_json(each)) continue;
    entry.raw += (entry.raw.empty() ? "" : ",") + json_line(each);
  }
  if (records.size() > 1) entry.raw = "[" + entry.raw + "]";
}

std::string ClaudeEntries::text_of(std::uint32_t line) {
  return as_text(blocks_.content(at(body(index_.lines[line]), "content"), {}));
}

// The user's own words under the id, and beside them what else stood there.
void ClaudeEntries::add_prompt(std::uint32_t place, std::string id,
                               std::vector<model::Block> blocks) {
  ForeignEntry entry = entry_of(place);
  entry.parent = index_.names.text(given_[place].entry);
  entry.id = std::move(id);
  ClaudePrompt prompt = divided(std::move(blocks));
  if (prompt.content.empty() && prompt.contexts.empty()) return;
  if (prompt.content.empty()) {
    ForeignContext all = std::move(prompt.contexts.front());
    for (std::size_t i = 1; i < prompt.contexts.size(); ++i)
      all.text += "\n" + prompt.contexts[i].text;
    entry.content = std::move(all);
    add(place, std::move(entry));
    return;
  }
  std::size_t count = 0;
  for (ForeignContext& context : prompt.contexts)
    receiver_.add({.id = entry.id + "/context-" + std::to_string(++count),
                   .parent = entry.parent,
                   .time = entry.time,
                   .content = std::move(context)});
  entry.content = model::Message{.content = std::move(prompt.content)};
  add(place, std::move(entry));
}

void ClaudeEntries::give_user(std::uint32_t place) {
  const ClaudeUnit& unit = tree_.units[place];
  const ClaudeLine& line = index_.lines[unit.first];
  std::vector<model::Block> blocks = blocks_.content(at(body(line), "content"), {});
  std::erase_if(blocks, [](const model::Block& block) {
    return std::holds_alternative<model::ToolUse>(block) ||
           std::holds_alternative<model::Thinking>(block);
  });
  if (unit.kind == ClaudeKind::command && !unit.local)
    if (const std::string command = claude_command(as_text(blocks)); !command.empty())
      blocks = {model::Text{command}};
  add_prompt(place, entry_of(place).id, std::move(blocks));
}

void ClaudeEntries::give_context(std::uint32_t place) {
  const ClaudeLine& line = index_.lines[tree_.units[place].first];
  const Json said = body(line);
  if (said.is_null()) return;
  if (line.attachment) return give_attachment(place, said);
  const std::string text = as_text(blocks_.content(at(said, "content"), {}));
  if (text.empty()) return;
  const std::string_view label = claude_context(text);
  ForeignEntry entry = entry_of(place);
  entry.content = ForeignContext{std::string(label.empty() ? "reminder" : label), text};
  add(place, std::move(entry));
}

void ClaudeEntries::give_attachment(std::uint32_t place, const Json& attachment) {
  const std::string type = string_at(attachment, "type");
  // What was typed or reported while the model was at work.
  if (type == "queued_command" && (!bool_at(attachment, "isMeta") ||
                                   string_at(attachment, "commandMode") == "task-notification"))
    return add_prompt(place, entry_of(place).id, blocks_.content(at(attachment, "prompt"), {}));
  ForeignEntry entry = entry_of(place);
  entry.content =
      ForeignContext{type.empty() ? "attachment" : type, attachment_text(attachment, receiver_)};
  add(place, std::move(entry));
}

void ClaudeEntries::give_answer(std::uint32_t place) {
  const ClaudeUnit& unit = tree_.units[place];
  ForeignEntry entry = entry_of(place);
  model::Message message{.role = model::Role::assistant, .provider = "anthropic"};
  std::vector<std::string> records;
  std::unordered_set<std::string> calls;
  bool failed = false, aborted = false;
  for (std::uint32_t at_line = unit.first; at_line != no_line; at_line = tree_.next(at_line)) {
    const ClaudeLine& line = index_.lines[at_line];
    const std::string& id = index_.names.text(line.id);
    const Json said = body(line);
    for (model::Block& block : blocks_.content(at(said, "content"), id)) {
      if (std::holds_alternative<model::ToolResult>(block)) continue;
      if (const auto* call = std::get_if<model::ToolUse>(&block)) {
        if (!calls.insert(call->id).second) continue;
        if (call->id.starts_with("call_" + id + "_")) nameless_calls_[place].push_back(call->id);
      }
      message.content.push_back(std::move(block));
    }
    if (blocks_.take_left_out()) records.emplace_back(record(line));
    if (at(said, "usage").is_object()) message.usage = anthropic_usage(at(said, "usage"));
    message.model = string_at(said, "model", message.model);
    const model::Stop stop = anthropic_stop(string_at(said, "stop_reason"));
    if (stop != model::Stop::none) message.stop = stop;
    failed = failed || line.failed;
    aborted = aborted || line.aborted;
  }
  if (message.content.empty() && records.empty()) return;
  set_raw(entry, records);
  const bool synthetic = message.model == "<synthetic>";
  if (synthetic) message.model.clear();
  if (message.stop == model::Stop::none) message.stop = end_of(message);
  if (aborted) message.stop = model::Stop::aborted;
  if (failed) {
    message.stop = model::Stop::error;
    message.error = as_text(std::exchange(message.content, {}));
  }
  if (synthetic && !failed)
    entry.content = ForeignContext{"notice", as_text(message.content)};
  else
    entry.content = std::move(message);
  const std::string id = entry.id;
  add(place, std::move(entry));
  if (unit.unfinished) return;
  for (std::uint32_t line = tree_.next(unit.first); line != no_line; line = tree_.next(line))
    receiver_.alias(index_.names.text(index_.lines[line].id), id);
}

void ClaudeEntries::give_results(std::uint32_t place) {
  const ClaudeUnit& unit = tree_.units[place];
  ForeignEntry entry = entry_of(place);
  model::Message message{.role = model::Role::tool};
  std::vector<std::pair<std::string, std::vector<model::Block>>> others;
  std::vector<std::string> records;
  answered_.clear();
  for (std::uint32_t at_line = unit.first; at_line != no_line; at_line = tree_.next(at_line)) {
    const ClaudeLine& line = index_.lines[at_line];
    const Json said = body(line);
    std::vector<model::Block> rest;
    for (model::Block& block : blocks_.content(at(said, "content"), {}))
      if (auto* result = std::get_if<model::ToolResult>(&block))
        add_result(place, message, std::move(*result));
      else
        rest.push_back(std::move(block));
    if (!rest.empty()) others.emplace_back(index_.names.text(line.id) + "/text", std::move(rest));
    if (blocks_.take_left_out()) records.emplace_back(record(line));
  }
  if (!message.content.empty()) {
    entry.content = std::move(message);
    set_raw(entry, records);
    const std::string id = entry.id;
    add(place, std::move(entry));
    if (!unit.unfinished)
      for (std::uint32_t line = tree_.next(unit.first); line != no_line; line = tree_.next(line))
        receiver_.alias(index_.names.text(index_.lines[line].id), id);
  }
  for (auto& [id, blocks] : others) add_prompt(place, id, std::move(blocks));
}

void ClaudeEntries::add_result(std::uint32_t place, model::Message& message,
                               model::ToolResult result) {
  if (result.tool_use_id.empty()) {
    const auto open = nameless_calls_.find(tree_.units[place].partner);
    if (open == nameless_calls_.end() || open->second.empty())
      return receiver_.lose("tool results that answer no call");
    result.tool_use_id = open->second.front();
    open->second.pop_front();
  }
  if (!answered_.insert(result.tool_use_id).second) return receiver_.lose("repeated tool results");
  keep_spilled(result);
  message.content.emplace_back(std::move(result));
}

void ClaudeEntries::keep_spilled(model::ToolResult& result) {
  const auto* const text =
      result.content.size() == 1 ? std::get_if<model::Text>(&result.content.front()) : nullptr;
  const std::string name = text == nullptr ? std::string{} : claude_spilled(text->text);
  if (name.empty()) return;
  if (const auto output = read_plain_file(spilled_, name)) result.blob = receiver_.keep(*output);
  if (result.blob.empty()) receiver_.lose("long tool results that are no longer there");
}

void ClaudeEntries::give_compaction(std::uint32_t place) {
  const ClaudeUnit& unit = tree_.units[place];
  ForeignEntry entry = entry_of(place);
  model::payload::CompactionSummary compaction;
  for (std::uint32_t line = unit.first; line != no_line; line = tree_.next(line)) {
    if (index_.lines[line].kind == ClaudeKind::summary) {
      compaction.summary = text_of(line);
      continue;
    }
    const Json said = body(index_.lines[line]);
    compaction.tokens_before = count_at(at(said, "compactMetadata"), "preTokens");
    compaction.first_kept = first_kept(place, at(said, "compactMetadata"));
  }
  entry.content = model::Payload(std::move(compaction));
  const std::string id = entry.id;
  add(place, std::move(entry));
  for (std::uint32_t line = tree_.next(unit.first); line != no_line; line = tree_.next(line))
    receiver_.alias(index_.names.text(index_.lines[line].id), id);
}

// What was kept stands before the boundary, which names it.
std::optional<Id> ClaudeEntries::first_kept(std::uint32_t place, const Json& metadata) {
  std::vector<std::string> candidates;
  const Json& kept = at(at(metadata, "preservedMessages"), "uuids");
  if (kept.is_array())
    for (const Json& each : kept)
      if (each.is_string() && candidates.size() < 1000)
        candidates.push_back(each.get<std::string>());
  candidates.push_back(string_at(at(metadata, "preservedSegment"), "headUuid"));
  for (const std::string& candidate : candidates) {
    const std::uint32_t line = index_.line(index_.names.known(candidate));
    if (line == no_line) continue;
    std::uint32_t unit = tree_.unit(line);
    // Results without their calls are refused.
    if (tree_.units[unit].kind == ClaudeKind::result && tree_.units[unit].partner != no_unit)
      unit = tree_.units[unit].partner;
    if (given_[unit].state == State::done && given_[unit].said && comes_before(unit, place))
      return entry_id("claude-code", session_, index_.names.text(given_[unit].entry));
  }
  return std::nullopt;
}

bool ClaudeEntries::comes_before(std::uint32_t earlier, std::uint32_t unit) {
  std::size_t steps = 0;
  for (; unit != no_unit && steps_left_ > 0 && steps < tree_.units.size(); ++steps) {
    unit = tree_.units[unit].parent;
    --steps_left_;
    if (unit == earlier) return true;
  }
  return false;
}

// The last of what was said, before what a sub-agent said on a branch.
std::string ClaudeEntries::leaf(const std::vector<std::uint32_t>& units) const {
  std::uint32_t last = no_unit;
  const auto rank = [&](std::uint32_t unit) {
    const bool side = index_.lines[tree_.units[unit].first].side;
    return std::pair(!side, tree_.units[unit].last);
  };
  for (const std::uint32_t unit : units)
    if (given_[unit].said && (last == no_unit || rank(unit) > rank(last))) last = unit;
  if (last == no_unit) return {};
  const std::uint32_t partner = tree_.units[last].partner;
  if (tree_.units[last].kind == ClaudeKind::answer && partner != no_unit && given_[partner].said)
    last = partner;
  return index_.names.text(given_[last].entry);
}

}  // namespace skein::exchange::importers
