#include "tests/support/any_home.h"

#include "core/store/home/file_backend.h"
#include "core/store/postgres/database_backend.h"
#include "tests/support/homes.h"
#include "tests/support/postgres_server.h"

namespace skein::test {

AnyHome::AnyHome(Kind kind) : kind_(kind), name_(folder_.path().string()) {
  if (kind == Kind::folder) return;
  PostgresServer& server = PostgresServer::shared();
  name_ = server.address(server.make_database());
}

std::unique_ptr<store::StorageBackend> AnyHome::open() const {
  if (kind_ == Kind::folder) return std::make_unique<store::home::FileBackend>(home_at(name_));
  return std::make_unique<store::postgres::DatabaseBackend>(name_);
}

}  // namespace skein::test
