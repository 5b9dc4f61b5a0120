// Where a database is, as a user writes it, and the way there. The module with libpq is loaded when
// any of this is first asked for, and not before.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/store/postgres/link.h"
#include "core/store/result.h"

namespace skein::store::postgres {

// postgresql:// or postgres://; asking this loads nothing.
bool is_address(std::string_view home);
// What it says; throws Error (usage) if it is none, or holds a password.
Target described_address(const std::string& address);
// Who it is for people: postgresql://user@host:port/database.
std::string shown_address(const std::string& address);

// `unreachable`: there is no server that will do, or the user would not wait for one.
Result<std::unique_ptr<Link>> open_link(const std::string& address, const Waiting& waiting = {});

}  // namespace skein::store::postgres
