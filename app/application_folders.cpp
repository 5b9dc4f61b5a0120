// The folders that an Application opens to its tools besides the workspace: those of --add-dir for
// as long as it runs, those of /add-dir for the session.
#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "app/application.h"
#include "app/home.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/tools/workspace/tree_walk.h"

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

// As the newest entry of that kind says.
std::vector<FurtherFolder> recorded_folders(store::SessionStore& store, Id session) {
  std::vector<FurtherFolder> out;
  const auto read = store.load_back(session, [&](const store::StoredEntry& stored) {
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

bool has_folder(const std::vector<FurtherFolder>& folders, const std::string& path) {
  return std::ranges::find(folders, path, &FurtherFolder::path) != folders.end();
}

std::string with_its_use(const FurtherFolder& folder) {
  return folder.path + (folder.read_only ? " (for reading only)" : " (for reading and writing)");
}

}  // namespace

tools::workspace::Withheld::Settings withheld_settings(const project::Places& places,
                                                       const config::Config& config) {
  return {.workspace = places.workspace,
          .project = places.root(),
          .own_file = places.config.empty() ? "" : places.config + "/ignore",
          .names = config.ignore_files};
}

// Those of the flags, which are checked before anything is begun.
void Application::open_folders() {
  further_ =
      std::make_shared<FurtherRoots>(FurtherRoots::Settings{.workspace = workspace_,
                                                            .forbidden = own_places(invocation_),
                                                            .withheld = withheld_->settings()});
  if (for_another_) return;
  for (const std::string& given : invocation_.add_dirs) {
    const bool read_only = given.ends_with(":ro");
    const FurtherFolder folder =
        further_->checked(read_only ? given.substr(0, given.size() - 3) : given, read_only);
    if (FurtherRoots::is_wide(folder))
      throw Error(folder.path + " holds your home folder; /add-dir asks before it opens that",
                  ExitStatus::usage);
    std::erase_if(flag_folders_, [&](const auto& each) { return each.path == folder.path; });
    flag_folders_.push_back(folder);
    further_->set(flag_folders_);
  }
}

std::vector<std::string> Application::take_up_folders(Id session) const {
  std::vector<FurtherFolder> wanted = flag_folders_;
  if (grants_.has(session, std::string(any_folder)))
    for (FurtherFolder& each : recorded_folders(store_, session))
      if (!has_folder(wanted, each.path) && grants_.has(session, grant_of(each)))
        wanted.push_back(std::move(each));
  std::vector<std::string> notices;
  for (const std::string& why : further_->set(wanted))
    notices.push_back("a folder this session used is not opened again: " + why);
  return notices;
}

void Application::keep_folders(Id session) {
  for (const FurtherFolder& each : further_->folders()) {
    grants_.give(session, grant_of(each));
    grants_.take_back(session, grant_of({each.path, !each.read_only}));  // from before
  }
  grants_.give(session, std::string(any_folder));
  store::NewEntry entry{folder_entry(further_->folders())};
  store::value_or_throw(store_.append_session_entries(session, std::span(&entry, 1)));
}

std::string Application::told_of_folders(Id session) {
  if (flag_folders_.empty()) return {};
  const std::vector<FurtherFolder> known = grants_.has(session, std::string(any_folder))
                                               ? recorded_folders(store_, session)
                                               : std::vector<FurtherFolder>{};
  std::vector<std::string> names;
  for (const FurtherFolder& each : flag_folders_)
    if (std::ranges::find(known, each) == known.end()) names.push_back(with_its_use(each));
  if (names.empty()) return {};
  keep_folders(session);
  return "Besides the workspace your tools may use " + listed(names) +
         ". Name what is there by its absolute path.";
}

// Landlock opens a folder with all that is in it.
std::string Application::commands_exposed() const {
  using tools::sandbox::Sandbox;
  if (sandbox() == Sandbox::none) return describe(Sandbox::none);
  if (sandbox() != Sandbox::landlock) return {};
  std::vector<std::string> places;
  if (withheld_->has_patterns()) places = withheld_->find().places;
  for (const FurtherRoots::Found& each : further_->all())
    std::ranges::copy(each.root->withheld()->find().places, std::back_inserter(places));
  if (places.empty()) return {};
  return "Landlock cannot close " + places.front() + " to commands, which the model is kept from" +
         (places.size() > 1 ? ", and others" : "") + "; bubblewrap can";
}

void Application::take_services_of_folders(session::Services& services) {
  const auto lines = [this] {
    std::vector<session::FolderLine> out;
    for (const FurtherFolder& each : further_->folders())
      out.push_back({each.path, each.read_only, has_folder(flag_folders_, each.path), false});
    return out;
  };
  services.folders = lines;
  services.find_folder = [this](std::string_view path, bool read_only) {
    const bool from_here = !path.starts_with('/') && !path.starts_with('~');
    const FurtherFolder found = further_->checked(
        from_here && !path.empty() ? workspace_ + "/" + std::string(path) : std::string(path),
        read_only);
    return session::FolderLine{found.path, found.read_only, has_folder(flag_folders_, found.path),
                               FurtherRoots::is_wide(found)};
  };
  services.open_folder = [this](Id session, const session::FolderLine& folder) {
    std::vector<FurtherFolder> all = further_->folders();
    std::erase_if(all, [&](const FurtherFolder& each) { return each.path == folder.path; });
    all.push_back({folder.path, folder.read_only});
    if (const std::vector<std::string> refused = further_->set(all); !refused.empty())
      throw Error(refused.front());
    keep_folders(session);
    return "Your tools may now use another folder as well: " + with_its_use(all.back()) +
           ". Name what is there by its absolute path.";
  };
  services.close_folder = [this](Id session, const std::string& path) {
    std::vector<FurtherFolder> all = further_->folders();
    std::erase_if(all, [&](const FurtherFolder& each) { return each.path == path; });
    std::erase_if(flag_folders_, [&](const FurtherFolder& each) { return each.path == path; });
    further_->set(all);
    for (const bool read_only : {true, false})
      grants_.take_back(session, grant_of({path, read_only}));
    keep_folders(session);
    return "The folder " + path + " is closed to your tools again.";
  };
}

void Application::add_further_files(std::vector<std::string>& files) const {
  using namespace tools::workspace;
  constexpr std::size_t most = 20'000;
  for (const FurtherRoots::Found& each : further_->all())
    walk_tree(*each.root, ".", each.root->locate("."), {}, [&](const Walked& found) {
      if (found.kind != EntryKind::folder) files.push_back(each.root->path() + "/" + found.path);
      return files.size() < most ? WalkControl::go_on : WalkControl::stop;
    });
}

}  // namespace skein::app
