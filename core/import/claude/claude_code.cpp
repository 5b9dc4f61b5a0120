// Claude Code's sessions: ~/.claude/projects/<folder>/<session>.jsonl, with a folder of the
// session's name next to it for its sub-agents and long outputs.

#include "core/import/arrays/anthropic.h"
#include "core/import/claude/claude_lines.h"
#include "core/text/text.h"

namespace skein::importers {

namespace {

namespace fs = std::filesystem;

std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t begin = text.find(open);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = text.find(close, begin + open.size());
  if (end == std::string_view::npos) return {};
  return trimmed(text.substr(begin + open.size(), end - begin - open.size()));
}

// "/name arguments", of a command's line; empty: it names none.
std::string claude_command(std::string_view text) {
  std::string out(between(text, "<command-name>", "</command-name>"));
  const std::string_view arguments = between(text, "<command-args>", "</command-args>");
  if (out.empty()) return out;
  if (!out.starts_with('/')) out.insert(0, "/");
  if (!arguments.empty()) out += " " + std::string(arguments);
  return out;
}

// The name of the file an output was put into because it was too long for a line: "x.txt" of
// …/tool-results/x.txt. Empty: it was not.
std::string claude_spilled(std::string_view text) {
  constexpr std::string_view folder = "tool-results/";
  constexpr std::size_t near = 4096;  // the excerpt follows, and may name anything
  if (!trimmed(text.substr(0, 64)).starts_with("<persisted-output>")) return {};
  const std::size_t at = text.substr(0, near).find(folder);
  if (at == std::string_view::npos) return {};
  std::string_view name = text.substr(at + folder.size());
  std::size_t length = 0;
  while (length < name.size() && length < 200 &&
         (is_alphanumeric(name[length]) || name[length] == '_' || name[length] == '-'))
    ++length;
  for (const std::string_view ending : {".txt", ".json"})
    if (length > 0 && name.substr(length).starts_with(ending))
      return std::string(name.substr(0, length + ending.size()));
  return {};
}

// What an attachment says. Its images are kept by `receiver`.
std::string attachment_text(const Json& attachment, Receiver& receiver) {
  const Json& content = at(attachment, "content");
  if (const std::string encoded = string_at(at(content, "file"), "base64"); !encoded.empty()) {
    const auto image = kept_image(receiver, string_at(at(content, "file"), "type"), encoded);
    const std::string name = string_at(attachment, "filename");
    if (!image) receiver.lose("images and documents that cannot be read");
    return name + (image ? " " + as_text({*image}) : std::string{});
  }
  // Those that are only a text; of the others every member may matter.
  for (const char* key : {"text", "content", "banner"})
    if (const std::string text = string_at(attachment, key); !text.empty()) return text;
  return dump(attachment);
}

class ClaudeEntries {
 public:
  // All of them must outlive this. `spilled`: the folder of outputs that were too long for a line.
  ClaudeEntries(const SourceFile& source, const ClaudeTranscript& file, const ReadOptions& options,
                Receiver& receiver, std::string spilled)
      : source_(source),
        file_(file),
        options_(options),
        receiver_(receiver),
        spilled_(std::move(spilled)),
        blocks_(receiver) {}

  void give(const ForeignSession& session, std::vector<ClaudeUnit*> units) {
    session_ = session.id;
    previous_.clear();
    std::ranges::sort(units, {}, &ClaudeUnit::order);
    for (ClaudeUnit* unit : units) give_unit(*unit);
    receiver_.end(leaf(units));
    for (ClaudeUnit* unit : units) unit->given = {};
  }

 private:
  void give_unit(ClaudeUnit& unit) {
    // What its children follow if it gives nothing. What is its own ancestor has no parent.
    if (unit.parent != nullptr && unit.parent->order < unit.order)
      unit.given.entry = unit.parent->given.entry;
    else if (!unit.root || file_.unlinked)
      unit.given.entry = previous_;
    if (unit.unfinished && options_.growing) return;
    switch (unit.kind) {
      case ClaudeKind::link: break;
      case ClaudeKind::prompt:
      case ClaudeKind::command:
      case ClaudeKind::output: give_user(unit); break;
      case ClaudeKind::context: give_context(unit); break;
      case ClaudeKind::result: give_results(unit); break;
      case ClaudeKind::answer: give_answer(unit); break;
      case ClaudeKind::boundary:
      case ClaudeKind::summary: give_compaction(unit); break;
    }
  }

  std::vector<model::Block> blocks_of(const ClaudeLine& line, std::string_view calls_named = {}) {
    return blocks_.content(at(line.said, "content"), calls_named);
  }

  void give_user(ClaudeUnit& unit) {
    std::vector<model::Block> blocks = blocks_of(unit.first());
    erase_blocks<model::ToolUse, model::Thinking>(blocks);
    if (unit.kind == ClaudeKind::command && !unit.local)
      if (const std::string command = claude_command(as_text(blocks)); !command.empty())
        blocks = {model::Text{command}};
    add_prompt(unit, entry_of(unit).id, std::move(blocks));
  }

  void give_context(ClaudeUnit& unit) {
    const ClaudeLine& line = unit.first();
    ForeignContext context;
    if (line.attachment) {
      context.label = string_at(line.said, "type");
      // What was typed or reported while the model was at work.
      if (context.label == "queued_command" &&
          (!bool_at(line.said, "isMeta") ||
           string_at(line.said, "commandMode") == "task-notification"))
        return add_prompt(unit, entry_of(unit).id, blocks_.content(at(line.said, "prompt"), {}));
      if (context.label.empty()) context.label = "attachment";
      context.text = attachment_text(line.said, receiver_);
    } else {
      context.text = as_text(blocks_of(line));
      if (context.text.empty()) return;
      context.label = claude_context(context.text);
      if (context.label.empty()) context.label = "reminder";
    }
    ForeignEntry entry = entry_of(unit);
    entry.content = std::move(context);
    add(unit, std::move(entry));
  }

  void give_answer(ClaudeUnit& unit) {
    ForeignEntry entry = entry_of(unit);
    model::Message message{.role = model::Role::assistant, .provider = "anthropic"};
    std::unordered_set<std::string> calls;
    bool failed = false, aborted = false;
    for (const ClaudeLine* line : unit.lines) {
      for (model::Block& block : blocks_of(*line, line->id)) {
        if (std::holds_alternative<model::ToolResult>(block)) continue;
        if (const auto* call = std::get_if<model::ToolUse>(&block)) {
          if (!calls.insert(call->id).second) continue;
          if (call->id.starts_with("call_" + line->id + "_"))
            unit.nameless_calls.push_back(call->id);
        }
        message.content.push_back(std::move(block));
      }
      keep_left_out(entry, *line);
      if (const Json& usage = at(line->said, "usage"); usage.is_object())
        message.usage = anthropic_usage(usage);
      message.model = string_at(line->said, "model", message.model);
      const model::Stop stop = anthropic_stop(string_at(line->said, "stop_reason"));
      if (stop != model::Stop::none) message.stop = stop;
      failed = failed || line->failed;
      aborted = aborted || line->aborted;
    }
    if (message.content.empty() && entry.raw.empty()) return;
    const bool synthetic = message.model == "<synthetic>";
    if (synthetic) message.model.clear();
    if (message.stop == model::Stop::none) message.stop = end_of(message.content);
    if (aborted) message.stop = model::Stop::aborted;
    if (failed) {
      message.stop = model::Stop::error;
      message.error = as_text(std::exchange(message.content, {}));
    }
    if (synthetic && !failed)
      entry.content = ForeignContext{"notice", as_text(message.content)};
    else
      entry.content = std::move(message);
    add(unit, std::move(entry));
  }

  void give_results(ClaudeUnit& unit) {
    ForeignEntry entry = entry_of(unit);
    model::Message message{.role = model::Role::tool};
    std::vector<std::pair<std::string, std::vector<model::Block>>> others;
    answered_.clear();
    for (const ClaudeLine* line : unit.lines) {
      std::vector<model::Block> blocks = blocks_of(*line);
      for (model::Block& block : blocks)
        if (auto* result = std::get_if<model::ToolResult>(&block))
          add_result(unit, message, std::move(*result));
      erase_blocks<model::ToolResult>(blocks);
      if (!blocks.empty()) others.emplace_back(line->id + "/text", std::move(blocks));
      keep_left_out(entry, *line);
    }
    if (!message.content.empty()) {
      entry.content = std::move(message);
      add(unit, std::move(entry));
    }
    for (auto& [id, blocks] : others) add_prompt(unit, id, std::move(blocks));
  }

  void give_compaction(ClaudeUnit& unit) {
    ForeignEntry entry = entry_of(unit);
    model::payload::CompactionSummary compaction;
    for (const ClaudeLine* line : unit.lines) {
      if (line->kind == ClaudeKind::summary) {
        compaction.summary = as_text(blocks_of(*line));
        continue;
      }
      const Json& facts = at(line->said, "compactMetadata");
      compaction.tokens_before = count_at(facts, "preTokens");
      compaction.first_kept = first_kept(unit, facts);
    }
    entry.content = model::Payload(std::move(compaction));
    add(unit, std::move(entry));
  }

  // What was kept is before the boundary, which names it.
  std::optional<Id> first_kept(const ClaudeUnit& boundary, const Json& metadata) {
    std::vector<std::string> candidates;
    for (const Json& each : list_at(at(metadata, "preservedMessages"), "uuids"))
      if (each.is_string() && candidates.size() < 1000)
        candidates.push_back(each.get<std::string>());
    candidates.push_back(string_at(at(metadata, "preservedSegment"), "headUuid"));
    for (const std::string& candidate : candidates) {
      const ClaudeLine* const line = file_.line(candidate);
      if (line == nullptr) continue;
      const ClaudeUnit* unit = line->unit;
      // Results without their calls are refused.
      if (unit->kind == ClaudeKind::result && unit->partner != nullptr) unit = unit->partner;
      if (unit->given.said && comes_before(*unit, boundary))
        return entry_id("claude-code", session_, unit->given.entry);
    }
    return std::nullopt;
  }

  bool comes_before(const ClaudeUnit& earlier, const ClaudeUnit& later) {
    const ClaudeUnit* unit = &later;
    std::size_t steps = 0;
    for (; unit != nullptr && steps_left_ > 0 && steps < file_.units.size(); ++steps) {
      unit = unit->parent;
      --steps_left_;
      if (unit == &earlier) return true;
    }
    return false;
  }

  void add_result(const ClaudeUnit& unit, model::Message& message, model::ToolResult result) {
    if (result.tool_use_id.empty()) {
      if (unit.partner == nullptr || unit.partner->nameless_calls.empty())
        return receiver_.lose("tool results without a call");
      result.tool_use_id = unit.partner->nameless_calls.front();
      unit.partner->nameless_calls.pop_front();
    }
    if (!answered_.insert(result.tool_use_id).second)
      return receiver_.lose("repeated tool results");
    keep_spilled(result);
    message.content.emplace_back(std::move(result));
  }

  void keep_spilled(model::ToolResult& result) {
    const auto* const text =
        result.content.size() == 1 ? std::get_if<model::Text>(&result.content.front()) : nullptr;
    const std::string name = text == nullptr ? std::string{} : claude_spilled(text->text);
    if (name.empty()) return;
    if (const auto output = read_plain_file(spilled_, name)) result.blob = receiver_.keep(*output);
    if (result.blob.empty()) receiver_.lose("long tool results that are no longer there");
  }

  void add(ClaudeUnit& unit, ForeignEntry entry) {
    // What follows a context follows the entry before it, so that a path has none of them.
    if (has_children(entry.content)) {
      unit.given.said = true;
      unit.given.entry = previous_ = entry.id;
    }
    receiver_.add(std::move(entry));
  }

  // The user's own words under the id, and the rest of the message as contexts.
  void add_prompt(ClaudeUnit& unit, std::string id, std::vector<model::Block> blocks) {
    ForeignEntry entry = entry_of(unit);
    entry.id = std::move(id);
    ClaudePrompt prompt = divided(std::move(blocks));
    if (prompt.content.empty() && prompt.contexts.empty()) return;
    if (prompt.content.empty()) {
      ForeignContext all = std::move(prompt.contexts.front());
      for (std::size_t i = 1; i < prompt.contexts.size(); ++i)
        all.text += "\n" + prompt.contexts[i].text;
      entry.content = std::move(all);
      return add(unit, std::move(entry));
    }
    for (std::size_t i = 0; i < prompt.contexts.size(); ++i)
      receiver_.add({.id = entry.id + "/context-" + std::to_string(i + 1),
                     .parent = entry.parent,
                     .time = entry.time,
                     .content = std::move(prompt.contexts[i])});
    entry.content = model::Message{.content = std::move(prompt.content)};
    add(unit, std::move(entry));
  }

  static ForeignEntry entry_of(const ClaudeUnit& unit) {
    ForeignEntry entry{
        .id = unit.first().id, .parent = unit.given.entry, .time = unit.first().time};
    if (unit.unfinished) entry.id += "+" + std::to_string(unit.lines.size());
    return entry;
  }

  void keep_left_out(ForeignEntry& entry, const ClaudeLine& line) {
    if (blocks_.take_left_out()) add_raw(entry.raw, source_.read(line.offset, line.size));
  }

  // The last of what was said, before what a sub-agent said on a branch.
  static std::string leaf(const std::vector<ClaudeUnit*>& units) {
    const ClaudeUnit* last = nullptr;
    const auto rank = [](const ClaudeUnit& unit) {
      return std::pair(!unit.first().side, unit.last().number);
    };
    for (const ClaudeUnit* unit : units)
      if (unit->given.said && (last == nullptr || rank(*unit) > rank(*last))) last = unit;
    if (last == nullptr) return {};
    if (last->kind == ClaudeKind::answer && last->partner != nullptr && last->partner->given.said)
      last = last->partner;
    return last->given.entry;
  }

  const SourceFile& source_;
  const ClaudeTranscript& file_;
  const ReadOptions& options_;
  Receiver& receiver_;
  const std::string spilled_;
  AnthropicBlocks blocks_;
  std::unordered_set<std::string> answered_{};  // calls, by the results that are given
  std::string session_{}, previous_{};          // the entry given last
  std::size_t steps_left_ = 50'000'000;  // for looking whether something comes before something
};

constexpr std::string_view of_agents = "agent-";

// The folder of the session that contains a sub-agent's file: <session>/subagents/…/agent-x.jsonl.
std::optional<fs::path> folder_of_main(const SourceFile& file) {
  fs::path folder = file.folder();
  for (int up = 0; up < 4 && folder.has_relative_path(); ++up, folder = folder.parent_path())
    if (folder.filename() == "subagents" && folder.has_parent_path()) return folder.parent_path();
  return std::nullopt;
}

// agent-0f1e2d3c: the name of a sub-agent's file next to the session's file.
bool is_agent(std::string_view name) {
  return name.starts_with(of_agents) && name.size() > of_agents.size() &&
         std::ranges::all_of(name.substr(of_agents.size()), is_hex_digit);
}

// The file's own session, and the folder of its other files.
struct ClaudePlace {
  ForeignSession session{};
  fs::path folder{};
  bool is_agent = false;
};

ClaudePlace claude_place(const SourceFile& source, const ClaudeTranscript& file) {
  ClaudePlace out;
  const std::string name = name_without_ending(source);
  const auto main = folder_of_main(source);
  out.is_agent = is_agent(name) || (main && name.starts_with(of_agents));
  out.session.cwd = file.cwd;
  out.session.title = file.title;
  if (!out.is_agent) {
    out.session.id = is_uuid(name) || file.session.empty() ? name : file.session;
    if (file.forked_from != out.session.id) out.session.parent = file.forked_from;
    out.folder = fs::path(source.folder()) / name;
    return out;
  }
  // Older versions put it next to the session's file, whose id its lines have.
  out.session.parent = main ? main->filename().string() : file.session;
  out.session.id = out.session.parent + "/" + name;
  out.session.spawned = true;
  out.folder = main ? *main : fs::path(source.folder()) / out.session.parent;
  out.session.title = string_at(plain_json(source.folder(), name + ".meta.json"), "description");
  return out;
}

// The file's session, and those of sub-agents between its lines.
ClaudePlace read_claude_file(const SourceFile& source, const ReadOptions& options,
                             Receiver& receiver) {
  const ClaudeTranscript file = read_claude_lines(source, options, receiver);
  ClaudePlace place = claude_place(source, file);
  ClaudeEntries entries(source, file, options, receiver, place.folder / "tool-results");
  const std::string& main = place.session.id;
  for (const std::vector<ClaudeUnit*>& units : file.sessions) {
    if (std::ranges::all_of(units,
                            [](const ClaudeUnit* unit) { return unit->kind == ClaudeKind::link; }))
      continue;
    ForeignSession session = place.session;
    if (&units != &file.sessions.front())
      session = {.id = main + "/" + units.front()->first().id,
                 .cwd = file.cwd,
                 .parent = main,
                 .spawned = true};
    if (receiver.begin(session)) entries.give(session, units);
  }
  return place;
}

// Sub-agents' files, also those of workflows in further folders.
std::vector<std::string> agents_in(const fs::path& folder) {
  constexpr std::size_t most = 10'000;
  std::vector<std::string> out = files_in(folder, ".jsonl", 4);
  std::erase_if(out, [](const std::string& path) {
    return !path.substr(path.rfind('/') + 1).starts_with(of_agents);
  });
  out.resize(std::min(out.size(), most));
  return out;
}

}  // namespace

bool is_claude_code(const SourceFile& file) {
  const std::string text = json_head(file);
  if (!text.starts_with('{')) return false;
  if (text.find("\"isSidechain\"") != std::string_view::npos &&
      text.find("\"sessionId\"") != std::string_view::npos)
    return true;
  // A session may begin with pages of bookkeeping.
  const std::vector<Json> first = first_records(file, 1);
  if (first.empty()) return false;
  const std::string type = string_at(first[0], "type");
  return (type == "file-history-snapshot" && first[0].contains("messageId")) ||
         ((first[0].contains("sessionId") || first[0].contains("leafUuid")) &&
          has_word("summary queue-operation permission-mode mode last-prompt ai-title custom-title "
                   "agent-name worktree-state",
                   type));
}

void read_claude_code(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  const ClaudePlace place = read_claude_file(file, options, receiver);
  if (place.is_agent) return;
  for (const std::string& path : agents_in(place.folder / "subagents")) {
    auto agent = SourceFile::open(path);
    if (const auto* source = std::get_if<SourceFile>(&agent))
      read_claude_file(*source, options, receiver);
    else
      receiver.lose("files of sub-agents that cannot be read");
  }
}

}  // namespace skein::importers
