// Sessions of Kimi Code: a log of what happened to the context, one file for each agent.

#include "core/import/arrays/openai.h"

namespace skein::importers {

namespace {

namespace fs = std::filesystem;

// A step is one answer of the model, with the results of its calls.
struct KimiStep {
  std::string id{}, time{};
  model::Message answer{.role = model::Role::assistant};
  std::vector<ForeignEntry> results{};  // with the ids of their calls
  std::unordered_set<std::string> calls{};
};

class KimiReader {
 public:
  explicit KimiReader(Receiver& receiver) : contents_({}, receiver), chain_(receiver) {}

  void read(const Json& line, std::string_view text) {
    const std::string type = string_at(line, "type");
    time_ = time_from(at(line, "time"));
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
      add(model::Payload{model::payload::CompactionSummary{
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
  void message(const Json& json, std::string_view text) {
    const Json& origin = at(json, "origin");
    const std::string kind = string_at(origin, "kind", "user"), role = string_at(json, "role");
    model::Message out{.role = role == "assistant" ? model::Role::assistant : model::Role::user,
                       .content = contents_.content(at(json, "content"))};
    if (out.content.empty()) return;
    if (role == "user" && kind != "user") {
      const std::string label = string_at(origin, "variant", string_at(origin, "name", kind));
      add(ForeignContext{label, model::plain_text(out)});
    } else if (role != "user" && role != "assistant") {
      add(ForeignContext{role, model::plain_text(out)});
    } else {
      if (role == "assistant") out.stop = model::Stop::stop;
      add(std::move(out), raw_if(contents_.unplaced(), text));
    }
  }

  // What the line itself says.
  void add(ForeignContent content, JsonText raw = {}) {
    chain_.append(hash_, time_, std::move(content), std::move(raw));
  }

  void event(const Json& json) {
    const std::string type = string_at(json, "type");
    if (type == "step.begin") {
      end_step();
      step();
      if (const std::string id = string_at(json, "uuid"); !id.empty()) step_->id = id;
    } else if (type == "content.part") {
      part(at(json, "part"));
    } else if (type == "tool.call") {
      call(json);
    } else if (type == "tool.result") {
      result(json);
    } else if (type == "step.end" && step_) {
      const Json& usage = at(json, "usage");
      if (usage.is_object())
        step_->answer.usage =
            usage_named(usage, {"inputOther", "output", "inputCacheRead", "inputCacheCreation"});
      step_->answer.stop = stop_named(string_at(json, "finishReason"),
                                      {{"max_tokens", model::Stop::length},
                                       {"length", model::Stop::length},
                                       {"refusal", model::Stop::refusal}},
                                      stop_by_calls(step_->answer.content));
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
    if (type == "think")
      said.emplace_back(model::Thinking{.thinking = string_at(json, "think")});
    else
      std::ranges::move(contents_.content(Json::array({json})), std::back_inserter(said));
  }

  void result(const Json& json) {
    const Json& given = at(json, "result");
    const std::string call = string_at(json, "toolCallId");
    model::Message out = contents_.result(given, at(given, "output"), call);
    if (step_ && step_->calls.contains(call))
      step_->results.push_back({.id = call, .time = time_, .content = std::move(out)});
    else
      add(std::move(out));
  }

  KimiStep& step() {
    if (!step_) step_ = {.id = hash_, .time = time_};
    return *step_;
  }

  void end_step() {
    if (!step_) return;
    KimiStep done = *std::exchange(step_, std::nullopt);
    if (done.answer.content.empty() && !done.answer.usage) return;
    done.answer.provider = provider_;
    done.answer.model = model_;
    if (done.answer.stop == model::Stop::none) done.answer.stop = model::Stop::aborted;
    chain_.append(done.id, done.time, std::move(done.answer));
    for (ForeignEntry& result : done.results)
      chain_.append(done.id + "/" + result.id, result.time, std::move(result.content));
  }

  OpenaiMessages contents_;
  EntryChain chain_;
  std::optional<KimiStep> step_{};
  std::string model_{}, provider_{};
  std::string time_{}, hash_{};  // of the line
};

// session_<id>/agents/<agent>/wire.jsonl, with session_<id>/state.json
ForeignSession kimi_session(const SourceFile& file) {
  ForeignSession out;
  const fs::path agent = fs::path(absolute_path(file)).parent_path(),
                 session = agent.parent_path().parent_path();
  const bool usual = agent.parent_path().filename() == "agents" && session.has_relative_path();
  const Json state = json_beside((usual ? session.string() : file.folder()) + "/state.json");
  out.title = string_at(state, "title");
  out.cwd = folder_named(string_at(state, "workDir"));
  for (const Json& line : first_records(file, 8)) {
    if (out.created_at.empty()) out.created_at = time_from(at(line, "created_at"));
    if (out.cwd.empty()) out.cwd = folder_named(string_at(line, "cwd"));
  }
  out.id = name_without_ending(file) + " " + out.created_at;
  if (!usual) return out;
  out.id = session.filename().string();
  if (out.id.starts_with("session_")) out.id.erase(0, 8);
  if (agent.filename() == "main") return out;
  out.parent = std::exchange(out.id, out.id + "/" + agent.filename().string());
  out.title.clear();
  out.spawned = true;
  return out;
}

}  // namespace

bool is_kimi(const SourceFile& file) {
  return std::ranges::any_of(first_records(file, 8), [](const Json& line) {
    const std::string type = string_at(line, "type");
    return (type == "metadata" && at(line, "protocol_version").is_string()) ||
           type == "context.append_message" || type == "context.append_loop_event";
  });
}

void read_kimi(const SourceFile& file, const ReadOptions& options, Receiver& receiver) {
  if (!receiver.begin(kimi_session(file))) return;
  KimiReader reader(receiver);
  each_record(file, options, receiver,
              [&](const ForeignRecord& record) { reader.read(record.json, record.text); });
  receiver.end(reader.finish(options));
}

}  // namespace skein::importers
