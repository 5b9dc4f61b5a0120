#include "core/agent/nearby_instructions.h"

#include <utility>
#include <vector>

#include "core/context/beginning.h"
#include "core/model/further_place.h"
#include "core/text/sha256.h"
#include "core/text/text.h"

namespace skein::agent {

namespace {

// Nothing in the text may look like the end of it.
std::string marked(const Surrounding& document) {
  std::string text = document.text;
  for (std::size_t at = 0; (at = text.find("</instructions", at)) != std::string::npos; at += 3)
    text.insert(at + 1, " ");
  std::string name = document.name;
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == '"' || c == '<' || c == '>') c = '?';
  return "<instructions from=\"" + name + "\">\n" + text + (text.ends_with('\n') ? "" : "\n") +
         "</instructions>";
}

}  // namespace

void NearbyInstructions::attach(const Turn& turn, const model::Tool& tool,
                                const std::optional<std::string>& place,
                                model::ToolOutcome& outcome) const {
  if (outcome.is_error || tool.argument.kind != model::Argument::Kind::file || !place ||
      place->empty() || model::inner_place(*place))  // in a further folder nothing instructs
    return;
  std::vector<Surrounding> found = parts_.nearby(*place);
  if (found.empty()) return;
  const context::Said known =
      context::instructions_on(turn.conversation.path(), turn.conversation.state().redacted);
  context::Said added;
  std::vector<std::string> names;
  for (Surrounding& document : found) {
    document.text = parts_.clean(std::move(document.text));
    const std::string hash = sha256_hex(document.text);
    if (const auto told = known.find(document.name); told != known.end() && told->second == hash)
      continue;
    outcome.content.push_back(model::Text{marked(document)});
    added[document.name] = hash;
    names.push_back(document.name);
  }
  if (added.empty()) return;
  outcome.meta = context::instructions_meta(added);
  turn.tell(model::Notice::Level::info, "the model reads " + skein::listed(names) + " with it");
}

}  // namespace skein::agent
