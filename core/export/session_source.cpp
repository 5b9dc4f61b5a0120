#include "core/export/session_source.h"

#include "core/model/attachments.h"
#include "core/model/scrub.h"
#include "core/text/encoding.h"
#include "core/text/text.h"

namespace skein::exporters {

using store::value_or_throw;

namespace {

namespace payload = model::payload;

// Of what is noted along a path, what tells about the conversation on it. The rest tells where the
// head went, what is allowed, or what was masked.
bool belongs_to_path(const model::Entry& entry, const std::unordered_set<Id>& path) {
  if (entry.type == model::type::redaction) return false;
  if (entry.type != model::type::custom) return true;
  const auto known = model::read_payload(entry.type, entry.payload);
  if (!known) return model::may_be_aside(entry.type, entry.payload);
  if (std::holds_alternative<payload::Title>(*known)) return true;
  const auto* label = std::get_if<payload::Label>(&*known);
  return label != nullptr && path.contains(label->entry);
}

// What an export reads from. Shared by the two functions of an ExportedSession, which may be
// copied.
class StoredEntries {
 public:
  StoredEntries(store::SessionStore& store, Id session, std::set<Id> redacted, SecretMask* mask)
      : store_(store), session_(session), redacted_(std::move(redacted)), mask_(mask) {}

  // `leaf`: only the path to it.
  void choose(const model::Tree& tree, const std::optional<Id>& leaf) {
    if (leaf) {
      path_.emplace();
      for (const model::Tree::Node* node : tree.path(*leaf)) path_->insert(node->id);
    }
    if (tree.oddities().empty()) return;
    // A damaged file: the tree has made the best of it.
    for (const model::Tree::Node& node : tree.nodes())
      parents_[node.id] =
          node.parent < 0 ? std::nullopt
                          : std::optional(tree.nodes()[static_cast<std::size_t>(node.parent)].id);
  }

  void each(const EntryVisitor& visit) const {
    std::unordered_set<Id> seen;
    value_or_throw(store_.transcripts().load(session_, 0, [&](const store::StoredEntry& placed) {
      if (!wanted(placed.entry) || (!parents_.empty() && !seen.insert(placed.entry.id).second))
        return true;
      model::Entry entry = model::masked(placed.entry, redacted_);
      if (const auto known = parents_.find(entry.id); known != parents_.end())
        entry.parent = known->second;
      if (mask_ != nullptr) {
        mask_->enter(to_string(entry.id).substr(0, 8) + " " + kind_of(entry));
        entry.payload = mask_->json(entry.payload);
        if (!entry.meta.empty()) entry.meta = mask_->json(entry.meta);
      }
      visit(entry);
      return true;
    }));
  }

  std::string blob(const std::string& name) const {
    store::Result<std::string> bytes = store_.blobs().load_blob(name);
    if (!bytes) return {};
    return mask_ == nullptr || !image_type(*bytes).empty() ? std::move(*bytes)
                                                           : mask_->text(*bytes);
  }

 private:
  bool wanted(const model::Entry& entry) const {
    if (entry.type == model::type::session_header) return false;
    if (!path_) return true;
    if (!model::is_marginal(entry.type)) return path_->contains(entry.id);
    return (!entry.parent || path_->contains(*entry.parent)) && belongs_to_path(entry, *path_);
  }

  static std::string kind_of(const model::Entry& entry) {
    const auto message = model::message_of(entry);
    return message ? std::string(model::name(message->role)) : entry.type;
  }

  store::SessionStore& store_;
  Id session_;
  std::set<Id> redacted_;
  SecretMask* mask_;
  std::optional<std::unordered_set<Id>> path_{};
  std::unordered_map<Id, std::optional<Id>> parents_{};
};

// The first pass: what it finds is masked everywhere by the second.
void find_secrets(const ExportedSession& session) {
  session.each_entry([&](const model::Entry& entry) {
    if (entry.payload.find("\"blob\"") == std::string::npos) return;
    const auto message = model::message_of(entry);
    if (!message) return;
    for (const model::Block& block : message->content)
      if (const auto* result = std::get_if<model::ToolResult>(&block))
        whole_output(session, *result);
  });
}

// A title that was made of a prompt which is redacted now says what must not be said.
std::string title_of(store::SessionStore& store, const store::SessionRecord& record) {
  if (record.state.title_given) return record.state.title;
  for (const Id id : record.state.redacted) {
    const auto entry = store.load_entry(record.header.session, id);
    const auto message = entry ? model::message_of(*entry) : std::nullopt;
    if (message && message->role == model::Role::user &&
        model::title_from(*message, entry->meta) == record.state.title)
      return {};
  }
  return record.state.title;
}

}  // namespace

std::string seal_verdict(const store::Damage& damage) {
  std::string out;
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) out += (out.empty() ? "" : ", ") + counted(count, one, many);
  };
  add(damage.altered.size(), "section altered", "sections altered");
  add(damage.broken.size(), "section unreadable", "sections unreadable");
  add(damage.gaps.size(), "batch missing", "batches missing");
  if (damage.header_damaged) out += out.empty() ? "header damaged" : ", header damaged";
  return out.empty() ? "intact" : "changed since it was written: " + out;
}

std::optional<model::payload::Import> origin_of(store::Transcripts& transcripts, Id session) {
  std::optional<model::payload::Import> origin;
  (void)transcripts.load(session, 0, [&](const store::StoredEntry& each) {
    origin = model::read_as<model::payload::Import>(each.entry);
    return !origin;
  });
  return origin;
}

ExportedSession exported_session(store::SessionStore& store, const store::SessionRecord& record,
                                 const Selection& selection, SecretMask* mask) {
  const Id session = record.header.session;
  const model::Tree tree = value_or_throw(store.tree(session));
  ExportedSession out{.id = session,
                      .key = record.key,
                      .title = title_of(store, record),
                      .cwd = record.header.cwd,
                      .created_at = record.header.created_at,
                      .updated_at = record.used_at(),
                      .seal = seal_verdict(value_or_throw(store.transcripts().examine(session))),
                      .whole_tree = selection.all_branches,
                      .leaf = selection.branch ? selection.branch : record.state.head};
  if (!record.state.origin.empty())
    if (auto origin = origin_of(store.transcripts(), session)) {
      out.imported_from = std::move(origin->from);
      out.imported_as = std::move(origin->session);
    }
  for (const auto& [model, usage] : record.state.usage) out.models.push_back(model);
  if (selection.all_branches)
    for (const model::Tree::Node* leaf : tree.leaves()) out.leaves.push_back(leaf->id);
  else if (out.leaf)
    out.leaves.push_back(*out.leaf);
  const auto source = std::make_shared<StoredEntries>(store, session, record.state.redacted, mask);
  if (!selection.all_branches && !out.leaf) return out;  // nothing has been said
  source->choose(tree, selection.all_branches ? std::nullopt : out.leaf);
  out.each_entry = [source](const EntryVisitor& visit) { source->each(visit); };
  out.blob = [source](const std::string& name) { return source->blob(name); };
  if (mask != nullptr) {
    find_secrets(out);
    mask->enter("the title");
    out.title = mask->text(out.title);
  }
  return out;
}

}  // namespace skein::exporters
