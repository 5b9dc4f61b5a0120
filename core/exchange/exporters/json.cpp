#include "core/exchange/exporters/json.h"

#include "core/exchange/exporters/raw_entries.h"
#include "core/store/entry_text.h"
#include "core/text/json_writer.h"

namespace skein::exchange::exporters {

namespace {

JsonText array_of(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& each : texts) {
    if (out.size() > 1) out += ',';
    append_quoted(out, each);
  }
  return out + "]";
}

}  // namespace

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

}  // namespace skein::exchange::exporters
