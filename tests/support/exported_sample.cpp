#include "tests/support/exported_sample.h"

#include "core/export/formats.h"
#include "core/model/payloads.h"

namespace skein::test {

using namespace exporters;

model::Entry& SampleSession::add(model::Entry entry) {
  entry.id = Id{(entries.size() + 1) << 32 | 0xabcd};
  entry.timestamp = utc_from_ms(1'800'000'000'000 + static_cast<std::int64_t>(entries.size()));
  for (auto before = entries.rbegin(); !entry.parent && before != entries.rend(); ++before)
    if (!model::is_marginal(before->type)) entry.parent = before->id;
  return entries.emplace_back(std::move(entry));
}

model::Entry& SampleSession::add(const model::Message& message) {
  return add(model::message_entry(message));
}

ExportedSession SampleSession::exported() const {
  ExportedSession out{.id = Id{7},
                      .key = "main:cli:user",
                      .title = "a <b> & c",
                      .cwd = "/w",
                      .created_at = "2026-01-02T03:04:05.678Z",
                      .updated_at = "2026-01-02T03:05:05.678Z",
                      .models = {"anthropic/claude"},
                      .usage = "1 message",
                      .seal = "intact"};
  for (const model::Entry& each : entries)
    if (!model::is_marginal(each.type)) out.leaf = each.id;
  if (out.leaf) out.leaves = {*out.leaf};
  out.each_entry = [this](const EntryVisitor& visit) {
    for (const model::Entry& each : entries) visit(each);
  };
  out.blob = [this](const std::string& name) {
    const auto found = blobs.find(name);
    return found == blobs.end() ? std::string{} : found->second;
  };
  return out;
}

SampleSession sample_talk() {
  SampleSession session;
  session.blobs["picture"] = tiny_png;
  session.blobs["long"] = "all of it\n";
  session.add(model::make_entry(
      model::payload::RuntimeInit{.system = "be brief",
                                  .tools = {"read"},
                                  .specs = {{{"read", "reads", R"({"type":"object"})"}}}}));
  model::Message question = model::user_message("what is in <a>?");
  question.content.push_back(model::Image{"image/png", "picture"});
  session.add(question);
  session.add({.role = model::Role::assistant,
               .content = {model::Thinking{"hm", "signed"}, model::Thinking{"unsigned"},
                           model::Text{"I look."}, model::ToolUse{"c1", "read", R"({"path":"a"})"},
                           model::ToolUse{"c2", "bash", R"({"command":"ls"})"}},
               .provider = "anthropic",
               .model = "claude",
               .stop = model::Stop::tool_use,
               .usage = model::Usage{10, 5, 3, 2, 1}});
  session.add(
      {.role = model::Role::tool,
       .content = {model::ToolResult{.tool_use_id = "c1", .content = {model::Text{"x ``` y"}}}}});
  session.add({.role = model::Role::tool,
               .content = {model::ToolResult{.tool_use_id = "c2",
                                             .content = {model::Text{"cut …"}},
                                             .is_error = true,
                                             .blob = "long"}}});
  session.add(model::make_entry(model::payload::ModelChange{"google", "gemini", ""}));
  session.add({.role = model::Role::assistant,
               .content = {model::Text{"Nothing."}},
               .provider = "google",
               .model = "gemini",
               .stop = model::Stop::stop});
  return session;
}

std::string written(std::string_view format, const ExportedSession& session) {
  std::string out;
  format_named(format)->write(session, [&](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace skein::test
