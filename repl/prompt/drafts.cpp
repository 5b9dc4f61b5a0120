#include "repl/prompt/drafts.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/fd.h"
#include "core/text/io.h"
#include "core/text/json.h"
#include "core/text/small_file.h"

namespace skein::prompt {

void Drafts::keep(Id session, const edit::Draft& draft) const {
  if (folder_.empty()) return;
  const std::string file = folder_ + "/" + to_string(session);
  if (draft.text.empty()) {
    unlink(file.c_str());
    return;
  }
  Json pasted = Json::array();
  for (const std::string& text : draft.pasted) pasted.push_back(text);
  const JsonText bytes = dump({{"text", draft.text}, {"pasted", std::move(pasted)}}) + "\n";

  mkdir(folder_.c_str(), 0700);
  const std::string fresh = file + "." + std::to_string(getpid());
  const Fd fd(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return;
  if (!write_all(fd.get(), bytes) || rename(fresh.c_str(), file.c_str()) != 0)
    unlink(fresh.c_str());
}

edit::Draft Drafts::load(Id session) const {
  if (folder_.empty()) return {};
  const std::optional<std::string> bytes = file_text(folder_ + "/" + to_string(session));
  const std::optional<Json> json = bytes ? parse_json(*bytes) : std::nullopt;
  if (!json) return {};
  edit::Draft draft{.text = string_at(*json, "text")};
  for (const Json& each : at(*json, "pasted"))
    draft.pasted.push_back(each.is_string() ? each.get<std::string>() : std::string{});
  return draft;
}

}  // namespace skein::prompt
