// /add-dir: opens further folders to the tools, lists them and closes them again.
#include <algorithm>

#include "core/text/text.h"
#include "repl/commands/handlers.h"
#include "repl/session/session.h"

namespace skein::commands {

namespace {

void list_folders(Session& session) {
  const std::vector<session::FolderLine> folders = session.services().folders();
  if (folders.empty())
    return session.screen().print(
        "No folder is open besides the workspace; /add-dir DIR opens one, /add-dir DIR ro for "
        "reading only.\n");
  for (const session::FolderLine& each : folders)
    session.screen().print_untrusted(each.path + (each.read_only ? "  (reading only)" : "") +
                                     (each.by_flag ? "  (--add-dir)" : "") + "\n");
}

std::string_view without_quotes(std::string_view text) {
  const bool quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// "DIR ro" and "DIR:ro".
bool take_read_only(std::string_view& argument) {
  for (const std::string_view end : {" ro", ":ro"})
    if (argument.ends_with(end)) {
      argument = trimmed(argument.substr(0, argument.size() - end.size()), " ");
      return true;
    }
  return false;
}

// At the end of the conversation; no prompt of the user's.
void tell_of_folder(Session& session, const std::string& text) {
  model::Message message = model::user_message(text);
  message.continuation = true;
  model::Entry entry = model::message_entry(message);
  entry.meta = R"({"origin":"folder"})";
  session.tell(entry);
}

void close_folder(Session& session, std::string_view name) {
  const std::vector<session::FolderLine> folders = session.services().folders();
  const std::string wanted(without_quotes(trimmed(name, " ")));
  const auto found = std::ranges::find_if(folders, [&](const session::FolderLine& each) {
    return each.path == wanted || each.path + "/" == wanted ||
           (!wanted.empty() && wanted.find('/') == std::string::npos &&
            each.path.ends_with("/" + wanted));
  });
  if (found == folders.end()) throw Error("no folder " + wanted + " is open; /add-dir lists them");
  tell_of_folder(session, session.services().close_folder(session.id(), found->path));
  session.screen().print_untrusted(found->path + " is closed to tools again.\n");
}

}  // namespace

void add_folder(Session& session, std::string_view argument) {
  if (argument.empty()) return list_folders(session);
  if (const auto [verb, rest] = first_word(argument); verb == "remove")
    return close_folder(session, rest);
  const bool read_only = take_read_only(argument);
  const session::FolderLine folder =
      session.services().find_folder(without_quotes(argument), read_only);
  if (folder.wide && !(session.keyboard() != nullptr &&
                       session.confirm(folder.path + " is or holds your home folder. Open all of "
                                                     "it to the model's tools?")))
    throw Error(folder.path + " is not opened");
  tell_of_folder(session, session.services().open_folder(session.id(), folder));
  session.screen().print_untrusted(
      folder.path + (read_only ? " is open to tools, for reading only.\n"
                               : " is open to tools. What they change there is not kept: /rewind "
                                 "and /undo do not bring it back.\n"));
}

std::vector<std::string> folder_words(Session& session, std::string_view) {
  std::vector<std::string> out;
  for (const session::FolderLine& each : session.services().folders())
    out.push_back("remove " + each.path);
  return out;
}

}  // namespace skein::commands
