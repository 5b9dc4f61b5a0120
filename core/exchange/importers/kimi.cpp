#include "core/exchange/importers/kimi.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/exchange/importers/entry_chain.h"
#include "core/exchange/importers/foreign_values.h"
#include "core/exchange/importers/json_records.h"
#include "core/exchange/importers/openai_messages.h"
#include "core/legacy/blocks.h"

namespace skein::exchange::importers {

namespace {

model::Stop stop_of(const std::string& reason, bool calls) {
  if (reason == "max_tokens" || reason == "length") return model::Stop::length;
  if (reason == "refusal") return model::Stop::refusal;
  return calls ? model::Stop::tool_use : model::Stop::stop;
}

// A step is one answer of the model, with the results of its calls.
struct Step {
  std::string id{}, time{};
  model::Message answer{.role = model::Role::assistant};
  std::vector<std::pair<model::ToolResult, std::string>> results{};  // with their times
  std::unordered_set<std::string> calls{};
};

class KimiReader {
 public:
  explicit KimiReader(Receiver& receiver) : contents_({}, receiver), chain_(receiver) {}

  void read(const Json& line, std::string_view text) {
    const std::string type = string_at(line, "type");
    time_ = legacy::time_of(at(line, "time"));
    hash_ = short_hash({text}, 16);
    if (type == "llm.request" && string_at(line, "kind", "loop") == "loop") {
      model_ = string_at(line, "model");
      provider_ = string_at(line, "provider");
    } else if (type == "context.append_message") {
      end_step();
      message(at(line, "message"), text);
    } else if (type == "context.append_loop_event") {
      event(at(line, "event"));
    } else if (type == "context.apply_compaction") {
      end_step();
      add(hash_, time_,
          model::Payload{model::payload::CompactionSummary{
              .summary = string_at(line, "summary", string_at(line, "contextSummary")),
              .tokens_before = count_at(line, "tokensBefore")}});
    }
  }

  // A step that has no end may still get more: then it is not the same entry.
  std::string finish(const ReadOptions& options) {
    if (step_ && !options.growing) {
      step_->id += "+" + std::to_string(step_->answer.content.size());
      end_step();
    }
    return chain_.last();
  }

 private:
  std::string add(std::string id, std::string time,
                  std::variant<model::Message, model::Payload, ForeignContext> said,
                  JsonText raw = {}) {
    return chain_.append({.id = std::move(id),
                          .time = std::move(time),
                          .content = std::move(said),
                          .raw = std::move(raw)});
  }

  void message(const Json& json, std::string_view text) {
    const Json& origin = at(json, "origin");
    const std::string kind = string_at(origin, "kind", "user"), role = string_at(json, "role");
    OpenaiMessages::Content content = contents_.content(at(json, "content"));
    model::Message out{.role = role == "assistant" ? model::Role::assistant : model::Role::user,
                       .content = std::move(content.said)};
    if (out.content.empty()) return;
    if (role == "user" && kind != "user") {
      const std::string label = string_at(origin, "variant", string_at(origin, "name", kind));
      add(hash_, time_, ForeignContext{label, model::plain_text(out)});
    } else if (role != "user" && role != "assistant") {
      add(hash_, time_, ForeignContext{role, model::plain_text(out)});
    } else {
      if (role == "assistant") out.stop = model::Stop::stop;
      add(hash_, time_, std::move(out), content.unplaced ? std::string(text) : JsonText{});
    }
  }

  void event(const Json& json) {
    const std::string type = string_at(json, "type");
    if (type == "step.begin") {
      end_step();
      begin_step(string_at(json, "uuid"));
    } else if (type == "content.part") {
      part(at(json, "part"));
    } else if (type == "tool.call") {
      call(json);
    } else if (type == "tool.result") {
      result(json);
    } else if (type == "step.end" && step_) {
      const Json& usage = at(json, "usage");
      if (usage.is_object())
        step_->answer.usage = model::Usage{.input = count_at(usage, "inputOther"),
                                           .output = count_at(usage, "output"),
                                           .cache_read = count_at(usage, "inputCacheRead"),
                                           .cache_write = count_at(usage, "inputCacheCreation")};
      step_->answer.stop =
          stop_of(string_at(json, "finishReason"), !model::tool_uses(step_->answer).empty());
      end_step();
    }
  }

  void call(const Json& json) {
    model::ToolUse made{.id = string_at(json, "toolCallId", hash_),
                        .name = string_at(json, "name"),
                        .input = call_input(at(json, "args"))};
    step().calls.insert(made.id);
    step().answer.content.emplace_back(std::move(made));
  }

  void part(const Json& json) {
    const std::string type = string_at(json, "type");
    std::vector<model::Block>& said = step().answer.content;
    if (type == "think") {
      said.emplace_back(model::Thinking{.thinking = string_at(json, "think")});
      return;
    }
    std::ranges::move(contents_.content(Json::array({json})).said, std::back_inserter(said));
  }

  void result(const Json& json) {
    const Json& given = at(json, "result");
    model::ToolResult out{.tool_use_id = string_at(json, "toolCallId"),
                          .is_error = bool_at(given, "isError")};
    for (model::Block& block : contents_.content(at(given, "output")).said) {
      if (auto* text = std::get_if<model::Text>(&block)) out.content.emplace_back(std::move(*text));
      if (auto* image = std::get_if<model::Image>(&block))
        out.content.emplace_back(std::move(*image));
    }
    if (out.content.empty()) out.content.emplace_back(model::Text{});
    if (step_ && step_->calls.contains(out.tool_use_id)) {
      step_->results.emplace_back(std::move(out), time_);
      return;
    }
    model::Message message{.role = model::Role::tool};
    message.content.emplace_back(std::move(out));
    add(hash_, time_, std::move(message));
  }

  void begin_step(std::string id) {
    step_.emplace();
    step_->id = id.empty() ? hash_ : std::move(id);
    step_->time = time_;
  }

  Step& step() {
    if (!step_) begin_step({});
    return *step_;
  }

  void end_step() {
    if (!step_) return;
    Step done = *std::exchange(step_, std::nullopt);
    if (done.answer.content.empty() && !done.answer.usage) return;
    done.answer.provider = provider_;
    done.answer.model = model_;
    if (done.answer.stop == model::Stop::none) done.answer.stop = model::Stop::aborted;
    add(done.id, done.time, std::move(done.answer));
    for (auto& [said, time] : done.results) {
      const std::string id = done.id + "/" + said.tool_use_id;
      model::Message message{.role = model::Role::tool};
      message.content.emplace_back(std::move(said));
      add(id, time, std::move(message));
    }
  }

  OpenaiMessages contents_;
  EntryChain chain_;
  std::optional<Step> step_{};
  std::string model_{}, provider_{};
  std::string time_{}, hash_{};  // of the line
};

bool is_kimi(const SourceFile& file) {
  return std::ranges::any_of(first_records(file, 8), [](const Json& line) {
    const std::string type = string_at(line, "type");
    return (type == "metadata" && at(line, "protocol_version").is_string()) ||
           type == "context.append_message" || type == "context.append_loop_event";
  });
}

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash);
}

// session_<id>/agents/<agent>/wire.jsonl, with session_<id>/state.json
ForeignSession kimi_session(const SourceFile& file) {
  ForeignSession out;
  const std::string agent = folder_of(absolute_path(file)), agents = folder_of(agent),
                    session = folder_of(agents);
  const bool usual = last_part(agents) == "agents" && !session.empty();
  const Json state = json_beside((usual ? session : file.folder()) + "/state.json");
  out.title = string_at(state, "title");
  out.cwd = folder_named(string_at(state, "workDir"));
  std::string created;
  for (const Json& line : first_records(file, 8)) {
    if (created.empty()) created = legacy::time_of(at(line, "created_at"));
    if (out.cwd.empty()) out.cwd = folder_named(string_at(line, "cwd"));
  }
  out.created_at = created;
  out.id = name_without_ending(file) + " " + created;
  if (!usual) return out;
  out.id = last_part(session);
  if (out.id.starts_with("session_")) out.id.erase(0, 8);
  if (last_part(agent) == "main") return out;
  out.parent = std::exchange(out.id, out.id + "/" + last_part(agent));
  out.title.clear();
  out.spawned = true;
  return out;
}

void read_kimi(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  if (!receiver.begin(kimi_session(file))) return;
  KimiReader reader(receiver);
  each_record(file, options, receiver, [&](const Json& line, std::string_view text) {
    reader.read(line, text);
    return true;
  });
  receiver.end(reader.finish(options));
}

std::vector<std::string> kimi_places(const Environment& environment) {
  const std::string home = environment("KIMI_CODE_HOME");
  return {(home.empty() ? environment("HOME") + "/.kimi-code" : home) + "/sessions"};
}

}  // namespace

Format kimi() {
  return {.name = "kimi",
          .agent = "Kimi Code",
          .channel = "kimi",
          .recognizes = is_kimi,
          .read = read_kimi,
          .places = kimi_places};
}

}  // namespace skein::exchange::importers
