#include "core/exchange/importers/opencode_parts.h"

#include <utility>

#include "core/exchange/importers/foreign_values.h"

namespace skein::exchange::importers {

namespace {

// What a provider wants back, in the words of several versions.
bool has_opencode_seal(const Json& part) {
  for (const char* name : {"metadata", "native", "providerState"})
    if (const Json& member = at(part, name); member.is_object() && !member.empty()) return true;
  return false;
}

void keep_sealed(OpencodeStep& step, const Json& part) {
  if (step.sealed.is_null()) step.sealed = Json::array();
  step.sealed.push_back(part);
}

// A command that failed is "completed" all the same.
bool opencode_failed(const Json& state) {
  const Json& exit = at(at(state, "metadata"), "exit");
  return string_at(state, "status") == "error" || (exit.is_number() && exit != 0);
}

// What a tool gave: a text in the first version, blocks in the second, a sentence if it failed.
std::vector<model::ResultBlock> opencode_output(const Json& state, Receiver& receiver) {
  std::vector<model::ResultBlock> out;
  const auto add_text = [&](std::string text) {
    if (!text.empty()) out.emplace_back(model::Text{std::move(text)});
  };
  add_text(string_at(state, "output"));
  for (const char* list : {"content", "attachments"})
    if (const Json& blocks = at(state, list); blocks.is_array())
      for (const Json& block : blocks) {
        if (string_at(block, "type") == "text")
          add_text(string_at(block, "text"));
        else if (auto image = opencode_image(block, receiver))
          out.emplace_back(*std::move(image));
      }
  const Json& error = at(state, "error");
  add_text(error.is_string() ? error.get<std::string>() : opencode_error(error));
  return out;
}

void add_opencode_part(OpencodeStep& step, const Json& part, Receiver& receiver) {
  const std::string type = string_at(part, "type");
  if (type == "text" || type == "reasoning") {
    if (has_opencode_seal(part)) keep_sealed(step, part);
    std::string text = string_at(part, "text");
    if (text.empty()) return;
    if (type == "text")
      step.said.emplace_back(model::Text{std::move(text)});
    else
      step.said.emplace_back(model::Thinking{.thinking = std::move(text)});
  } else if (type == "tool") {
    if (has_opencode_seal(part)) keep_sealed(step, part);
    add_opencode_call(step, string_at(part, "callID"), string_at(part, "tool"), at(part, "state"),
                      receiver);
  } else if (type == "file") {
    if (auto image = opencode_image(part, receiver)) step.said.emplace_back(*std::move(image));
  } else if (type == "patch" || type == "snapshot") {
    receiver.lose("file snapshots");
  } else if (type == "step-finish") {
    step.ended = true;
    step.usage = opencode_usage(at(part, "tokens"));
    step.reason = string_at(part, "reason");
  }
}

}  // namespace

std::vector<OpencodeStep> opencode_steps(const std::vector<OpencodePart>& parts,
                                         Receiver& receiver) {
  std::vector<OpencodeStep> steps;
  for (const OpencodePart& part : parts) {
    if (steps.empty() || steps.back().ended) steps.emplace_back().first = part.id;
    add_opencode_part(steps.back(), part.data, receiver);
  }
  // What follows the end of the last step and says nothing, as a patch, is no step.
  std::erase_if(steps, [](const OpencodeStep& step) { return step.empty(); });
  return steps;
}

void add_opencode_call(OpencodeStep& step, std::string id, std::string name, const Json& state,
                       Receiver& receiver) {
  const std::string status = string_at(state, "status");
  step.said.emplace_back(
      model::ToolUse{.id = id, .name = std::move(name), .input = call_input(at(state, "input"))});
  if (status == "pending" || status == "running" || status == "streaming") {
    step.waiting = true;
    return;
  }
  for (const char* spilled : {"outputPath", "outputPaths"})
    if (!at(at(state, "metadata"), spilled).is_null())
      receiver.lose("ends of long outputs, kept in files of their own");
  step.results.emplace_back(model::ToolResult{.tool_use_id = std::move(id),
                                              .content = opencode_output(state, receiver),
                                              .is_error = opencode_failed(state)});
}

std::optional<model::Usage> opencode_usage(const Json& tokens) {
  if (!tokens.is_object()) return std::nullopt;
  const Json& cache = at(tokens, "cache");
  model::Usage usage{.input = count_at(tokens, "input"),
                     .output = count_at(tokens, "output"),
                     .cache_read = count_at(cache, "read"),
                     .cache_write = count_at(cache, "write"),
                     .reasoning = count_at(tokens, "reasoning")};
  // Some versions count reasoning beside the output; the total tells.
  const std::int64_t total = count_at(tokens, "total");
  if (usage.reasoning > usage.output ||
      (usage.reasoning > 0 && total == whole_input(usage) + usage.output + usage.reasoning))
    usage.output += usage.reasoning;
  return usage;
}

model::Stop opencode_stop(const std::string& reason, const Json& error,
                          const std::vector<model::Block>& said) {
  if (error.is_object()) {
    const std::string name = string_at(error, "name", string_at(error, "type"));
    const bool stopped = name.find("Abort") != std::string::npos || name == "aborted";
    return stopped ? model::Stop::aborted : model::Stop::error;
  }
  constexpr std::pair<std::string_view, model::Stop> stops[] = {
      {"stop", model::Stop::stop},           {"length", model::Stop::length},
      {"tool-calls", model::Stop::tool_use}, {"content-filter", model::Stop::refusal},
      {"error", model::Stop::error},
  };
  for (const auto& [name, stop] : stops)
    if (name == reason) return stop;
  for (const model::Block& block : said)
    if (std::holds_alternative<model::ToolUse>(block)) return model::Stop::tool_use;
  return model::Stop::stop;
}

std::string opencode_error(const Json& error) {
  if (!error.is_object()) return {};
  std::string words = string_at(at(error, "data"), "message");
  if (words.empty()) words = string_at(error, "message");
  return words.empty() ? string_at(error, "name") : words;
}

std::optional<model::Image> opencode_image(const Json& file, Receiver& receiver) {
  std::string url = string_at(file, "url");
  if (url.empty()) url = string_at(file, "uri");
  std::optional<model::Image> image = kept_image_at(receiver, url);
  if (!image) receiver.lose("attached files");
  return image;
}

}  // namespace skein::exchange::importers
