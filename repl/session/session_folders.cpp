#include "repl/session/session_folders.h"

#include "core/text/json.h"
#include "core/text/text.h"
#include "core/workspace/tree_walk.h"

namespace skein::session {

using workspace::AdditionalDirectory, workspace::AdditionalDirectories;

namespace {

// What is written down outside of the transcript, which may come from anywhere: that the user has
// opened folders in this session at all, and which.
constexpr std::string_view any_folder = "further folders";
std::string grant_of(const AdditionalDirectory& folder) {
  return (folder.read_only ? "folder ro " : "folder rw ") + folder.path;
}

model::Entry folder_entry(const std::vector<AdditionalDirectory>& folders) {
  Json list = Json::array();
  for (const AdditionalDirectory& each : folders)
    list.push_back({{"path", each.path}, {"read_only", each.read_only}});
  return model::make_entry(model::type::custom,
                           dump({{"kind", "folder"}, {"folders", std::move(list)}}));
}

bool has_folder(const std::vector<AdditionalDirectory>& folders, const std::string& path) {
  return std::ranges::find(folders, path, &AdditionalDirectory::path) != folders.end();
}

std::string with_its_use(const AdditionalDirectory& folder) {
  return folder.path + (folder.read_only ? " (for reading only)" : " (for reading and writing)");
}

}  // namespace

SessionFolders::SessionFolders(Parts parts, const std::vector<std::string>& flags,
                               const std::vector<std::string>& configured)
    : parts_(std::move(parts)), roots_(std::make_shared<AdditionalDirectories>(parts_.roots)) {
  for (const std::string& given : configured) try {
      open_flag(given);
    } catch (const Error& error) {
      not_opened_.push_back("an additional folder was not added: " + std::string(error.what()));
    }
  for (const std::string& given : flags) open_flag(given);
}

void SessionFolders::open_flag(const std::string& flag) {
  const bool read_only = flag.ends_with(":ro");
  const AdditionalDirectory folder =
      roots_->checked(read_only ? flag.substr(0, flag.size() - 3) : flag, read_only);
  if (AdditionalDirectories::is_wide(folder))
    throw Error(folder.path + " contains your home folder; add it with /add-dir, which asks first",
                ExitStatus::usage);
  std::erase_if(of_flags_, [&](const auto& each) { return each.path == folder.path; });
  of_flags_.push_back(folder);
  roots_->set(of_flags_);
}

// As the newest entry of that kind says, if the user has opened any here.
std::vector<AdditionalDirectory> SessionFolders::recorded(Id session) const {
  std::vector<AdditionalDirectory> out;
  if (!parts_.grants.has(session, std::string(any_folder))) return out;
  const auto read =
      parts_.store.transcripts().load_back(session, [&](const store::StoredEntry& stored) {
        if (stored.entry.type != model::type::custom) return true;
        const auto payload = parse_json(stored.entry.payload);
        if (!payload || string_at(*payload, "kind") != "folder") return true;
        if (!payload->contains("folders")) return false;
        for (const Json& each : (*payload)["folders"])
          if (each.is_object())
            out.push_back(
                {string_at(each, "path"), each.contains("read_only") && each["read_only"] == true});
        return false;
      });
  static_cast<void>(read);  // what cannot be read is not opened
  return out;
}

std::vector<std::string> SessionFolders::take_up(Id session) const {
  std::vector<AdditionalDirectory> wanted = of_flags_;
  for (AdditionalDirectory& each : recorded(session))
    if (!has_folder(wanted, each.path) && parts_.grants.has(session, grant_of(each)))
      wanted.push_back(std::move(each));
  std::vector<std::string> notices;
  for (const std::string& why : roots_->set(wanted))
    notices.push_back("a folder of this session was not added again: " + why);
  return notices;
}

void SessionFolders::keep(Id session) {
  for (const AdditionalDirectory& each : roots_->folders()) {
    parts_.grants.give(session, grant_of(each));
    parts_.grants.take_back(session, grant_of({each.path, !each.read_only}));  // from before
  }
  parts_.grants.give(session, std::string(any_folder));
  store::NewEntry entry{folder_entry(roots_->folders())};
  store::value_or_throw(parts_.store.append_session_entries(session, std::span(&entry, 1)));
}

std::string SessionFolders::news(Id session) {
  if (of_flags_.empty()) return {};
  const std::vector<AdditionalDirectory> known = recorded(session);
  std::vector<std::string> names;
  for (const AdditionalDirectory& each : of_flags_)
    if (std::ranges::find(known, each) == known.end()) names.push_back(with_its_use(each));
  if (names.empty()) return {};
  keep(session);
  return "Besides the workspace your tools may use " + listed(names) +
         ". Name what is there by its absolute path.";
}

std::vector<std::string> SessionFolders::files(
    std::shared_ptr<const workspace::IgnoredPaths> withheld) const {
  constexpr std::size_t most = 20'000;
  std::vector<std::string> out;
  const auto add = [&](const workspace::Root& root, const std::string& before) {
    walk_tree(root, ".", root.locate("."), {}, [&](const workspace::Walked& found) {
      if (found.kind != workspace::EntryKind::folder) out.push_back(before + found.path);
      return out.size() < most ? workspace::WalkControl::go_on : workspace::WalkControl::stop;
    });
  };
  add({parts_.roots.workspace, {}, workspace::best_resolver(), std::move(withheld)}, "");
  for (const AdditionalDirectories::Found& each : roots_->all())
    add(*each.root, each.root->path() + "/");
  return out;
}

std::vector<std::string> SessionFolders::withheld() const {
  std::vector<std::string> out;
  for (const AdditionalDirectories::Found& each : roots_->all())
    std::ranges::copy(each.root->withheld()->find().places, std::back_inserter(out));
  return out;
}

bool SessionFolders::is_by_flag(const std::string& path) const {
  return has_folder(of_flags_, path);
}

AdditionalDirectory SessionFolders::find(std::string_view path, bool read_only) const {
  const bool from_here = !path.empty() && !path.starts_with('/') && !path.starts_with('~');
  return roots_->checked((from_here ? parts_.roots.workspace + "/" : "") + std::string(path),
                         read_only);
}

std::string SessionFolders::open(Id session, const AdditionalDirectory& folder) {
  std::vector<AdditionalDirectory> all = roots_->folders();
  std::erase_if(all, [&](const AdditionalDirectory& each) { return each.path == folder.path; });
  all.push_back(folder);
  if (const std::vector<std::string> refused = roots_->set(all); !refused.empty())
    throw Error(refused.front());
  keep(session);
  return "Your tools may now use another folder as well: " + with_its_use(folder) +
         ". Name what is there by its absolute path.";
}

std::string SessionFolders::close(Id session, const std::string& path) {
  std::vector<AdditionalDirectory> all = roots_->folders();
  for (std::vector<AdditionalDirectory>* list : {&all, &of_flags_})
    std::erase_if(*list, [&](const AdditionalDirectory& each) { return each.path == path; });
  roots_->set(all);
  for (const bool read_only : {true, false})
    parts_.grants.take_back(session, grant_of({path, read_only}));
  keep(session);
  return "The folder " + path + " is closed to your tools again.";
}

}  // namespace skein::session
