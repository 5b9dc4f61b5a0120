// Told by the database when somebody appends to a session, on a connection of its own. Where there
// is no such connection any more, or none that can be told (a pooler in between), it is silent.
#pragma once

#include "core/store/backend.h"
#include "core/store/postgres/connection.h"

namespace skein::store::postgres {

class DatabaseWatch : public SessionWatch {
 public:
  // Throws Error if there is no connection.
  DatabaseWatch(const Connection& like, Id session);
  int descriptor() const override { return connection_.descriptor(); }
  bool take() override;

 private:
  Connection connection_;
  std::string session_;
};

}  // namespace skein::store::postgres
