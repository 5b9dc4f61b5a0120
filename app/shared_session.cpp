#include "app/shared_session.h"

#include <algorithm>
#include <utility>

#include "core/exchange/exporters/html.h"
#include "core/exchange/exporters/page_data.h"

namespace skein::app {

using exchange::exporters::ExportedSession;

SharedSession::SharedSession(Read read, std::function<std::string()> version)
    : read_(std::move(read)), version_(std::move(version)) {
  changed();
}

std::string SharedSession::page() {
  std::string out;
  write_live_html(read_(), [&](std::string_view piece) { out += piece; });
  return out;
}

bool SharedSession::changed() {
  std::string version = version_();
  if (version == seen_) return false;
  seen_ = std::move(version);
  const ExportedSession session = read_();
  std::vector<std::size_t> hashes;
  session.each_entry([&](const model::Entry& entry) {
    if (const auto json = page_entry(session, entry))
      hashes.push_back(std::hash<std::string>{}(*json));
  });
  // A redaction, or a head that went elsewhere.
  if (hashes.size() < hashes_.size() || !std::equal(hashes_.begin(), hashes_.end(), hashes.begin()))
    ++edition_;
  hashes_ = std::move(hashes);
  return true;
}

SharedSession::News SharedSession::since(std::size_t after) {
  News news{.count = hashes_.size()};
  if (after >= hashes_.size()) return news;
  const ExportedSession session = read_();
  std::size_t at = 0;
  session.each_entry([&](const model::Entry& entry) {
    const auto json = page_entry(session, entry);
    if (json && at++ >= after) news.entries += (news.entries.empty() ? "[" : ",") + *json;
  });
  if (!news.entries.empty()) news.entries += "]";
  news.count = at;
  return news;
}

}  // namespace skein::app
