#include "core/model/tree.h"

#include "core/model/payloads.h"
#include "core/text/json.h"

namespace skein::model {

// The slot that holds the id, or the empty one where it belongs.
std::size_t Tree::slot_of(Id id) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = id.value & mask;
  while (table_[slot] >= 0 && at(table_[slot])->id != id) slot = (slot + 1) & mask;
  return slot;
}

std::int32_t Tree::index_of(Id id) const { return table_.empty() ? -1 : table_[slot_of(id)]; }

const Tree::Node* Tree::find(Id id) const { return at(index_of(id)); }

std::vector<const Tree::Node*> Tree::path(Id leaf) const {
  std::vector<const Node*> out;
  // Parents come before their children, so the walk ends whatever the file said.
  for (const Node* node = find(leaf); node != nullptr; node = at(node->parent)) out.push_back(node);
  std::ranges::reverse(out);
  return out;
}

std::vector<std::size_t> Tree::depths() const {
  std::vector<std::size_t> out;
  for (const Node& node : nodes_)
    out.push_back(node.parent < 0 ? 1 : out[static_cast<std::size_t>(node.parent)] + 1);
  return out;
}

std::vector<const Tree::Node*> Tree::children(Id id) const {
  std::vector<const Node*> out;
  const std::int32_t parent = index_of(id);
  if (parent < 0) return out;
  for (std::int32_t child = first_child_[static_cast<std::size_t>(parent)]; child >= 0;
       child = next_sibling_[static_cast<std::size_t>(child)])
    out.push_back(at(child));
  return out;
}

std::vector<const Tree::Node*> Tree::roots() const {
  std::vector<const Node*> out;
  for (const Node& node : nodes_)
    if (node.parent < 0 && !node.marginal) out.push_back(&node);
  return out;
}

std::vector<const Tree::Node*> Tree::leaves() const {
  std::vector<const Node*> out;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (first_child_[i] < 0 && !nodes_[i].marginal) out.push_back(&nodes_[i]);
  return out;
}

void Tree::Builder::attach(Node& node, std::int32_t parent, Id named) {
  // A marginal entry is no parent; what it was written after is.
  while (parent >= 0 && tree_.at(parent)->marginal) parent = tree_.at(parent)->parent;
  if (parent < 0) missing_.push_back({node.id, named});
  node.parent = parent < 0 ? known_last_ : parent;
}

// Puts the ids of the nodes that were only put down into the table. One that is there already is
// taken out again, and what followed it follows the first of that name.
void Tree::Builder::know_ids() {
  std::vector<Node>& nodes = tree_.nodes_;
  std::vector<std::int32_t>& table = tree_.table_;
  if (known_ == nodes.size()) return;
  if (nodes.size() * 2 > table.size()) {
    table.assign(std::bit_ceil(std::max<std::size_t>(64, nodes.size() * 3)), -1);
    for (std::size_t i = 0; i < known_; ++i)
      table[tree_.slot_of(nodes[i].id)] = static_cast<std::int32_t>(i);
  }
  const std::size_t begin = known_;
  std::vector<std::int32_t> now;  // where the nodes from `begin` on are
  now.reserve(nodes.size() - begin);
  for (std::size_t i = begin; i < nodes.size(); ++i) {
    Node node = nodes[i];
    std::int32_t& slot = table[tree_.slot_of(node.id)];
    if (slot >= 0) {
      tree_.oddities_.push_back({Oddity::Kind::duplicate, node.id});
    } else {
      if (node.parent >= static_cast<std::int32_t>(begin)) {
        const std::int32_t parent = now[static_cast<std::size_t>(node.parent) - begin];
        attach(node, parent, tree_.at(parent)->id);
      }
      slot = static_cast<std::int32_t>(known_);
      if (!node.marginal) known_last_ = slot;
      nodes[known_++] = node;
    }
    now.push_back(slot);
  }
  nodes.resize(known_);
  last_ = known_last_;
}

void Tree::Builder::add(const EntryFacts& entry) {
  Node node{.id = entry.id, .at = entry.at, .marginal = is_marginal(entry.type)};
  if (entry.parent && last_ >= 0 && tree_.at(last_)->id == *entry.parent) {
    node.parent = last_;
  } else if (entry.parent) {
    know_ids();
    const std::int32_t parent = tree_.index_of(*entry.parent);
    // Checked here: a duplicate must not be reported as an orphan as well.
    if (tree_.index_of(entry.id) >= 0) {
      tree_.oddities_.push_back({Oddity::Kind::duplicate, entry.id});
      return;
    }
    attach(node, parent, *entry.parent);
  }
  if (!node.marginal) last_ = static_cast<std::int32_t>(tree_.nodes_.size());
  tree_.nodes_.push_back(node);
}

void Tree::Builder::link_children() {
  const std::vector<Node>& nodes = tree_.nodes_;
  tree_.first_child_.assign(nodes.size(), -1);
  tree_.next_sibling_.assign(nodes.size(), -1);
  // Backward, so that each list comes out in the order its entries were written.
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].marginal || nodes[i].parent < 0) continue;
    std::int32_t& first = tree_.first_child_[static_cast<std::size_t>(nodes[i].parent)];
    tree_.next_sibling_[i] = first;
    first = static_cast<std::int32_t>(i);
  }
}

Tree Tree::Builder::build() && {
  know_ids();
  link_children();
  for (const Missing& each : missing_) {
    // A parent that comes later in the file, or is the entry itself, closes a circle.
    const bool later = tree_.find(each.parent) != nullptr;
    tree_.oddities_.push_back({later ? Oddity::Kind::cycle : Oddity::Kind::orphan, each.entry});
  }
  return std::move(tree_);
}

namespace {

struct Strokes {
  std::string_view fork, last, pass, none;
};
constexpr Strokes boxes{"├── ", "└── ", "│   ", "    "};
constexpr Strokes ascii{"|-- ", "`-- ", "|   ", "    "};

std::size_t depth_of(const Tree& tree) {
  const std::vector<std::size_t> depths = tree.depths();
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < depths.size(); ++i)
    if (!tree.nodes()[i].marginal) deepest = std::max(deepest, depths[i]);
  return deepest;
}

template <class Visit>
void each_line(const Tree& tree, const TreeDrawing& drawing, Visit visit) {
  const Strokes& strokes = drawing.ascii ? ascii : boxes;
  const bool nested = depth_of(tree) <= drawing.nested_depth;

  // A stack of our own: a conversation may be deeper than the machine's.
  struct Step {
    const Tree::Node* node;
    std::string indent;
    bool last;
    bool in_line;  // an only child drawn below its parent, without a stroke
  };
  std::vector<Step> steps;
  const auto push = [&](const std::vector<const Tree::Node*>& nodes, const std::string& indent,
                        bool in_line) {
    for (std::size_t i = nodes.size(); i-- > 0;)
      steps.push_back({nodes[i], indent, i + 1 == nodes.size(), in_line});
  };
  push(tree.roots(), "", false);
  while (!steps.empty()) {
    const Step step = std::move(steps.back());
    steps.pop_back();
    const std::string_view stroke = step.in_line ? "" : step.last ? strokes.last : strokes.fork;
    visit(TreeLine{step.indent + std::string(stroke), step.node});
    const std::string inner =
        step.in_line ? step.indent
                     : step.indent + std::string(step.last ? strokes.none : strokes.pass);
    const std::vector<const Tree::Node*> children = tree.children(step.node->id);
    push(children, inner, !nested && children.size() == 1);
  }
}

}  // namespace

std::vector<TreeLine> tree_lines(const Tree& tree, const TreeDrawing& drawing) {
  std::vector<TreeLine> out;
  each_line(tree, drawing, [&](TreeLine line) { out.push_back(std::move(line)); });
  return out;
}

void draw(const Tree& tree, const TreeDrawing& drawing,
          const std::function<void(const std::string&)>& print) {
  print("root\n");
  each_line(tree, drawing,
            [&](const TreeLine& line) { print(line.stem + drawing.label(*line.node) + "\n"); });
}

namespace {

// What the user did not allow has not failed.
bool failed(const ToolResult& result) { return result.is_error && !was_refused(result); }

bool any_result(const Message& message, bool (*is)(const ToolResult&)) {
  return std::ranges::any_of(message.content, [&](const Block& block) {
    const auto* result = std::get_if<ToolResult>(&block);
    return result != nullptr && is(*result);
  });
}

void add(std::string& out, std::string_view line) {
  if (!out.empty()) out += '\n';
  out += line;
}

void add(std::string& out, const ToolResult& result) {
  if (was_refused(result)) return add(out, "○ " + refusal_words(result));
  if (result.is_error) add(out, "✗ failed:");
  for (const ResultBlock& part : result.content)
    if (const auto* text = std::get_if<Text>(&part)) add(out, text->text);
}

// An entry that is no message, as a reader knows it; `kind` is that of a custom entry.
struct Description {
  enum class For { readers, skein };
  std::string_view type, kind, name;
  For meant_for = For::readers;
  std::array<std::string_view, 2> members{};  // what it says
  std::string_view between{};
};
using For = Description::For;
constexpr Description descriptions[] = {
    {type::runtime_init, "", "the session begins", For::skein},
    {type::model_change, "", "model", For::readers, {"provider", "model"}, "/"},
    {type::thinking_level_change, "", "thinking level", For::readers, {"level"}},
    {type::system_prompt_override, "", "system prompt", For::readers, {"text"}},
    {type::compaction_summary, "", "summary", For::readers, {"summary"}},
    {type::branch_summary, "", "summary of another branch", For::readers, {"summary"}},
    {type::redaction, "", "redaction", For::readers, {"reason"}},
    {type::custom, "", "redacted", For::readers},
    {type::custom, "title", "title", For::readers, {"text"}},
    {type::custom, "label", "name of a branch", For::readers, {"text"}},
    {type::custom, "snapshot", "snapshot", For::readers, {"name"}},
    {type::custom, "aside", "side question", For::readers, {"question", "answer"}, "\n"},
    {type::custom, "note", "note", For::readers, {"text"}},
    {type::custom, "permissions", "permission rules", For::readers, {"rules"}},
    {type::custom, "folder", "additional directories", For::readers, {"folders"}},
    {type::custom, "hook", "hook", For::readers, {"event", "command"}, ": "},
    {type::custom, "agent", "sub-agent", For::readers, {"name"}},
    {type::custom, "import", "import", For::readers, {"from", "file"}, ", "},
    {type::custom, "import_context", "imported context", For::readers, {"label", "text"}, "\n"},
    {type::custom, "restore", "files restored", For::readers},
    {type::custom, "orphan_result", "tool result", For::readers, {"text"}},
    {type::custom, "head", "head", For::skein},
    {type::custom, "key", "key", For::skein},
    {type::custom, "ttl", "expiry", For::skein},
    {type::custom, "pin", "pin", For::skein},
    {type::custom, "restored", "restored", For::skein},
    {type::custom, "checkpoint", "checkpoint", For::skein},
    {type::custom, "thinking_off_before", "thinking off", For::skein},
};

const Description* description_of(std::string_view type, const Json& payload) {
  const std::string kind = type == type::custom ? string_at(payload, "kind") : "";
  const auto found = std::ranges::find_if(descriptions, [&](const Description& each) {
    return each.type == type && each.kind == kind;
  });
  return found == std::end(descriptions) ? nullptr : found;
}

// A value without the marks of JSON: "path: a.txt, limit: 3".
std::string plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return dump(value);
  std::string out;
  for (const auto& [name, member] : value.items())
    out += (out.empty() ? "" : ", ") + (value.is_object() ? name + ": " : "") + plain(member);
  return out;
}

// A single argument needs no name.
std::string arguments_of(const ToolUse& call) {
  const std::optional<Json> input = parse_json(call.input);
  if (!input) return call.input;
  return plain(input->is_object() && input->size() == 1 ? *input->begin() : *input);
}

std::string said_by(const Description& description, const Json& payload) {
  std::string out;
  for (const std::string_view member : description.members)
    if (const Json& value = at(payload, member); !value.is_null())
      out += (out.empty() ? "" : std::string(description.between)) + plain(value);
  return out;
}

// Its input and what had been said are paid for; a provider tells how much only at the end.
bool is_cut(const Message& message) {
  return message.stop == Stop::aborted || message.stop == Stop::interrupted;
}

Json payload_of(const Entry& entry) { return parse_json(entry.payload).value_or(Json()); }

}  // namespace

bool is_for_readers(std::string_view type, std::string_view body) {
  const std::string_view payload =
      type == type::custom ? body.substr(0, bracketed_length(body)) : std::string_view{};
  const Description* known = description_of(type, parse_json(payload).value_or(Json()));
  return known == nullptr || known->meant_for == For::readers;
}

std::string kind_of(const Entry& entry) {
  const std::optional<Message> message = message_of(entry);
  if (!message) {
    const Json payload = payload_of(entry);
    if (const Description* known = description_of(entry.type, payload))
      return std::string(known->name);
    std::string name = string_at(payload, "kind", entry.type);
    std::ranges::replace(name, '_', ' ');
    return name;
  }
  return std::string(name(message->role)) + (any_result(*message, failed)        ? " failed"
                                             : any_result(*message, was_refused) ? " refused"
                                                                                 : "");
}

bool is_failed_result(const Entry& entry) {
  const std::optional<Message> message = message_of(entry);
  return message && any_result(*message, failed);
}

std::string words_of(const Entry& entry, Thoughts thoughts) {
  const std::optional<Message> message = message_of(entry);
  if (!message) {
    const Json payload = payload_of(entry);
    const Description* known = description_of(entry.type, payload);
    std::string words = known ? said_by(*known, payload) : "";
    if (words.empty() && (!known || entry.type != type::custom)) words = preview(entry, 2000);
    return words == "[" + entry.type + "]" || words == string_at(payload, "kind") ? "" : words;
  }
  std::string out;
  for (const Block& block : message->content) {
    if (const auto* text = std::get_if<Text>(&block)) add(out, text->text);
    if (const auto* thinking = std::get_if<Thinking>(&block);
        thinking && thoughts == Thoughts::shown && !thinking->thinking.empty())
      add(out, "(thinking) " + thinking->thinking);
    if (const auto* call = std::get_if<ToolUse>(&block))
      add(out, "→ " + call->name + " " + arguments_of(*call));
    if (const auto* result = std::get_if<ToolResult>(&block)) add(out, *result);
  }
  if (!message->error.empty()) add(out, "error: " + message->error);
  return out;
}

std::vector<TurnCost> turns_of(std::span<const Entry> path) {
  std::vector<TurnCost> turns;
  for (const Entry& entry : path) {
    if (is_prompt(entry)) turns.push_back({.prompt = entry.id, .preview = preview(entry, 40)});
    if (turns.empty()) continue;
    if (const auto summary = read_as<payload::CompactionSummary>(entry); summary && summary->usage)
      turns.back().usage[summary->provider + "/" + summary->model] += *summary->usage;
    const auto message = message_of(entry);
    if (!message || message->role != Role::assistant) continue;
    if (is_cut(*message)) turns.back().all_counted = false;
    if (message->usage)
      turns.back().usage[message->provider + "/" + message->model] += *message->usage;
    turns.back().calls += std::ssize(tool_uses(*message));
    turns.back().duration_ms += message->duration_ms;
  }
  return turns;
}

}  // namespace skein::model
