#include "tests/support/collected_import.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "core/import/source/source_file.h"
#include "core/text/text.h"

namespace skein::test {

namespace {

template <class Count>
int sum_over_messages(const CollectedSession& session, Count count) {
  int sum = 0;
  for (const importers::ForeignEntry& entry : session.entries)
    if (const auto* message = std::get_if<model::Message>(&entry.content)) sum += count(*message);
  return sum;
}

template <class Block, class Matches>
int blocks(const CollectedSession& session, Matches matches) {
  return sum_over_messages(session, [&](const model::Message& message) {
    return static_cast<int>(std::ranges::count_if(message.content, [&](const model::Block& block) {
      const auto* found = std::get_if<Block>(&block);
      return found != nullptr && matches(*found);
    }));
  });
}

std::string line_of(const model::Message& message) {
  std::string line = std::string(name(message.role)) + ": " + plain_text(message);
  for (const model::Block& block : message.content) {
    if (const auto* call = std::get_if<model::ToolUse>(&block)) line += " [" + call->name + "]";
    if (const auto* result = std::get_if<model::ToolResult>(&block))
      for (const model::ResultBlock& part : result->content)
        if (const auto* text = std::get_if<model::Text>(&part)) line += text->text;
  }
  return line;
}

}  // namespace

int CollectedSession::prompts() const {
  return sum_over_messages(
      *this, [](const model::Message& message) { return is_prompt(message) ? 1 : 0; });
}
int CollectedSession::answers() const {
  return sum_over_messages(*this, [](const model::Message& message) {
    return message.role == model::Role::assistant ? 1 : 0;
  });
}
int CollectedSession::calls() const {
  return blocks<model::ToolUse>(*this, [](const auto&) { return true; });
}
int CollectedSession::results() const {
  return blocks<model::ToolResult>(*this, [](const auto&) { return true; });
}
int CollectedSession::failures() const {
  return blocks<model::ToolResult>(*this, [](const auto& result) { return result.is_error; });
}
int CollectedSession::contexts() const {
  return static_cast<int>(std::ranges::count_if(entries, [](const importers::ForeignEntry& entry) {
    return std::holds_alternative<importers::ForeignContext>(entry.content);
  }));
}
model::Usage CollectedSession::usage() const {
  model::Usage total;
  for (const importers::ForeignEntry& entry : entries)
    if (const auto* message = std::get_if<model::Message>(&entry.content))
      if (message->usage) total += *message->usage;
  return total;
}

std::string CollectedSession::path() const {
  const auto find = [&](const std::string& id) {
    return std::ranges::find(entries, id, &importers::ForeignEntry::id);
  };
  std::vector<std::string> lines;
  auto at = leaf.empty() && !entries.empty() ? std::prev(entries.end()) : find(leaf);
  for (; at != entries.end(); at = at->parent.empty() ? entries.end() : find(at->parent))
    if (const auto* message = std::get_if<model::Message>(&at->content))
      lines.push_back(line_of(*message));
  std::string out;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) out += *line + "\n";
  return out;
}

bool CollectedImport::begin(const importers::ForeignSession& session) {
  if (std::exchange(open_, true)) faults.push_back("a session begins inside of another");
  sessions.push_back({.session = session});
  return true;
}

void CollectedImport::add(importers::ForeignEntry entry) {
  if (!open_) return faults.push_back("an entry without a session: " + entry.id);
  CollectedSession& session = sessions.back();
  const auto known = [&](const std::string& id) {
    return std::ranges::find(session.entries, id, &importers::ForeignEntry::id) !=
           session.entries.end();
  };
  if (entry.id.empty()) faults.push_back("an entry without an id");
  if (known(entry.id)) faults.push_back("given twice: " + entry.id);
  if (!entry.parent.empty() && !known(entry.parent))
    faults.push_back("before its parent, or without one: " + entry.id);
  session.entries.push_back(std::move(entry));
}

std::string CollectedImport::keep(std::string_view bytes) {
  blobs.emplace_back(bytes);
  return "blob-" + std::to_string(blobs.size());
}

void CollectedImport::lose(std::string_view what) { ++losses[std::string(what)]; }

void CollectedImport::end(std::string_view leaf) {
  if (!std::exchange(open_, false)) return faults.push_back("an end without a beginning");
  sessions.back().leaf = leaf;
}

namespace {

CollectedImport collect(const importers::SourceFile& file, std::string_view name) {
  const importers::ImportFormat* format =
      name.empty() ? importers::format_of(file) : importers::format_named(name);
  CollectedImport collected;
  REQUIRE_MESSAGE(format != nullptr, "nobody recognizes " << file.path());
  format->read(file, {}, collected);
  return collected;
}

}  // namespace

std::set<std::string> ids_of(const CollectedImport& import) {
  std::set<std::string> out;
  for (const CollectedSession& session : import.sessions)
    for (const importers::ForeignEntry& entry : session.entries)
      out.insert(session.session.id + " " + entry.id);
  return out;
}

const importers::ForeignEntry& entry_in(const CollectedSession& session, const std::string& id) {
  const auto found = std::ranges::find(session.entries, id, &importers::ForeignEntry::id);
  REQUIRE_MESSAGE(found != session.entries.end(), "no entry " << id);
  return *found;
}

const model::Message& message_in(const CollectedSession& session, const std::string& id) {
  const auto* const found = std::get_if<model::Message>(&entry_in(session, id).content);
  REQUIRE(found != nullptr);
  return *found;
}

CollectedImport collect_file(const std::string& path, std::string_view format) {
  auto file = importers::SourceFile::open(path);
  REQUIRE_MESSAGE(std::holds_alternative<importers::SourceFile>(file), std::get<std::string>(file));
  return collect(std::get<importers::SourceFile>(file), format);
}

CollectedImport collect_bytes(const std::string& path, const std::string& bytes,
                              std::string_view format) {
  return collect(importers::SourceFile::of_bytes(path, bytes), format);
}

}  // namespace skein::test
