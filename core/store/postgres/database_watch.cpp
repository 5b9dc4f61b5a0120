#include "core/store/postgres/database_watch.h"

namespace skein::store::postgres {

DatabaseWatch::DatabaseWatch(const Connection& like, Id session)
    : connection_(like.address(), Connection::Tell{}, like.interrupts()),
      session_(to_string(session)) {
  value_or_throw(connection_.listen());
}

// Anybody who can connect may notify: what they say is only compared.
bool DatabaseWatch::take() {
  bool ours = false;
  const bool there = connection_.take_news(
      [&](std::string_view news) { ours = ours || news.starts_with(session_); });
  return ours || !there;
}

}  // namespace skein::store::postgres
