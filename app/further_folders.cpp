#include "app/further_folders.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "core/model/entry.h"
#include "core/text/json.h"
#include "core/text/text.h"

namespace skein::app {

using tools::workspace::FurtherFolder, tools::workspace::FurtherRoots;

namespace {

// What is written down outside of the transcript, which may come from anywhere: that the user has
// opened folders in this session at all, and which.
constexpr std::string_view any_folder = "further folders";
std::string grant_of(const FurtherFolder& folder) {
  return (folder.read_only ? "folder ro " : "folder rw ") + folder.path;
}

model::Entry folder_entry(const std::vector<FurtherFolder>& folders) {
  Json list = Json::array();
  for (const FurtherFolder& each : folders)
    list.push_back({{"path", each.path}, {"read_only", each.read_only}});
  return model::make_entry(model::type::custom,
                           dump({{"kind", "folder"}, {"folders", std::move(list)}}));
}

bool has_folder(const std::vector<FurtherFolder>& folders, const std::string& path) {
  return std::ranges::find(folders, path, &FurtherFolder::path) != folders.end();
}

std::string with_its_use(const FurtherFolder& folder) {
  return folder.path + (folder.read_only ? " (for reading only)" : " (for reading and writing)");
}

}  // namespace

FurtherFolders::FurtherFolders(Parts parts, const std::vector<std::string>& flags,
                               const std::vector<std::string>& configured)
    : parts_(std::move(parts)), roots_(std::make_shared<FurtherRoots>(parts_.roots)) {
  for (const std::string& given : configured) try {
      open(given);
    } catch (const Error& error) {
      not_opened_.push_back("an additional directory is not opened: " + std::string(error.what()));
    }
  for (const std::string& given : flags) open(given);
}

void FurtherFolders::open(const std::string& flag) {
  const bool read_only = flag.ends_with(":ro");
  const FurtherFolder folder =
      roots_->checked(read_only ? flag.substr(0, flag.size() - 3) : flag, read_only);
  if (FurtherRoots::is_wide(folder))
    throw Error(folder.path + " holds your home folder; /add-dir asks before it opens that",
                ExitStatus::usage);
  std::erase_if(of_flags_, [&](const auto& each) { return each.path == folder.path; });
  of_flags_.push_back(folder);
  roots_->set(of_flags_);
}

// As the newest entry of that kind says, if the user has opened any here.
std::vector<FurtherFolder> FurtherFolders::recorded(Id session) const {
  std::vector<FurtherFolder> out;
  if (!parts_.grants.has(session, std::string(any_folder))) return out;
  const auto read = parts_.store.load_back(session, [&](const store::StoredEntry& stored) {
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

std::vector<std::string> FurtherFolders::take_up(Id session) const {
  std::vector<FurtherFolder> wanted = of_flags_;
  for (FurtherFolder& each : recorded(session))
    if (!has_folder(wanted, each.path) && parts_.grants.has(session, grant_of(each)))
      wanted.push_back(std::move(each));
  std::vector<std::string> notices;
  for (const std::string& why : roots_->set(wanted))
    notices.push_back("a folder this session used is not opened again: " + why);
  return notices;
}

void FurtherFolders::keep(Id session) {
  for (const FurtherFolder& each : roots_->folders()) {
    parts_.grants.give(session, grant_of(each));
    parts_.grants.take_back(session, grant_of({each.path, !each.read_only}));  // from before
  }
  parts_.grants.give(session, std::string(any_folder));
  store::NewEntry entry{folder_entry(roots_->folders())};
  store::value_or_throw(parts_.store.append_session_entries(session, std::span(&entry, 1)));
}

std::string FurtherFolders::told(Id session) {
  if (of_flags_.empty()) return {};
  const std::vector<FurtherFolder> known = recorded(session);
  std::vector<std::string> names;
  for (const FurtherFolder& each : of_flags_)
    if (std::ranges::find(known, each) == known.end()) names.push_back(with_its_use(each));
  if (names.empty()) return {};
  keep(session);
  return "Besides the workspace your tools may use " + listed(names) +
         ". Name what is there by its absolute path.";
}

std::vector<std::string> FurtherFolders::withheld() const {
  std::vector<std::string> out;
  for (const FurtherRoots::Found& each : roots_->all())
    std::ranges::copy(each.root->withheld()->find().places, std::back_inserter(out));
  return out;
}

void FurtherFolders::offer(session::Services& services) {
  const auto lines = [this] {
    std::vector<session::FolderLine> out;
    for (const FurtherFolder& each : roots_->folders())
      out.push_back({each.path, each.read_only, has_folder(of_flags_, each.path), false});
    return out;
  };
  services.folders = lines;
  services.find_folder = [this](std::string_view path, bool read_only) {
    const bool from_here = !path.starts_with('/') && !path.starts_with('~');
    const FurtherFolder found = roots_->checked(
        from_here && !path.empty() ? parts_.roots.workspace + "/" + std::string(path)
                                   : std::string(path),
        read_only);
    return session::FolderLine{found.path, found.read_only, has_folder(of_flags_, found.path),
                               FurtherRoots::is_wide(found)};
  };
  services.open_folder = [this](Id session, const session::FolderLine& folder) {
    std::vector<FurtherFolder> all = roots_->folders();
    std::erase_if(all, [&](const FurtherFolder& each) { return each.path == folder.path; });
    all.push_back({folder.path, folder.read_only});
    if (const std::vector<std::string> refused = roots_->set(all); !refused.empty())
      throw Error(refused.front());
    keep(session);
    return "Your tools may now use another folder as well: " + with_its_use(all.back()) +
           ". Name what is there by its absolute path.";
  };
  services.close_folder = [this](Id session, const std::string& path) {
    std::vector<FurtherFolder> all = roots_->folders();
    std::erase_if(all, [&](const FurtherFolder& each) { return each.path == path; });
    std::erase_if(of_flags_, [&](const FurtherFolder& each) { return each.path == path; });
    roots_->set(all);
    for (const bool read_only : {true, false})
      parts_.grants.take_back(session, grant_of({path, read_only}));
    keep(session);
    return "The folder " + path + " is closed to your tools again.";
  };
}

}  // namespace skein::app
