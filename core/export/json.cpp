// Entries in the form in which they are stored, as one object or one a line.
#include "core/text/json.h"
#include "core/export/exported_session.h"
#include "core/store/entry_text.h"
#include "core/text/text.h"

namespace skein::exporters {

namespace {

JsonText array_of(const std::vector<std::string>& texts) {
  return "[" + listed(texts, ",", json_string) + "]";
}

// Of a path only what is on it: marginal entries speak of others, which may not be there.
void each_raw_entry(const ExportedSession& session, const EntryVisitor& visit) {
  session.each_entry([&](const model::Entry& entry) {
    if (session.whole_tree || !model::is_marginal(entry.type)) visit(entry);
  });
}

}  // namespace

// One object with the session, its entries and its leaves, for programs.
void write_json(const ExportedSession& session, const Sink& sink) {
  std::string head = "{\"session\":";
  JsonWriter writer(head);
  writer.text("key", session.key);
  writer.text("id", to_string(session.id));
  writer.text("title", session.title);
  writer.text("cwd", session.cwd);
  writer.text("created_at", session.created_at);
  writer.text("updated_at", session.updated_at);
  writer.raw("models", array_of(session.models));
  writer.text("usage", session.usage);
  writer.text("seal", session.seal);
  writer.id("head", session.leaf);
  writer.truth("all_branches", session.whole_tree);
  writer.end();
  sink(head + ",\n\"entries\":[");
  bool first = true;
  each_raw_entry(session, [&](const model::Entry& entry) {
    sink((first ? "\n" : ",\n") + store::to_json(entry));
    first = false;
  });
  std::vector<std::string> leaves;
  for (const Id leaf : session.leaves) leaves.push_back(to_string(leaf));
  sink("\n],\n\"leaves\":" + array_of(leaves) + "}\n");
}

// One entry a line, each with its parent: `skein append` takes them back.
void write_jsonl(const ExportedSession& session, const Sink& sink) {
  each_raw_entry(session, [&](const model::Entry& entry) { sink(store::to_json(entry) + "\n"); });
}

}  // namespace skein::exporters
