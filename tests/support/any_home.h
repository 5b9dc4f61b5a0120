// A home of either kind that tests open as often as they like, as if each time were another
// process.
#pragma once

#include <memory>
#include <string>

#include "core/store/backend.h"
#include "tests/support/temp_dir.h"

namespace skein::test {

class AnyHome {
 public:
  enum class Kind { folder, database };
  explicit AnyHome(Kind kind);

  std::unique_ptr<store::StorageBackend> open() const;
  const std::string& name() const { return name_; }  // as --home takes it
  Kind kind() const { return kind_; }

 private:
  const Kind kind_;
  TempDir folder_{};
  std::string name_{};
};

}  // namespace skein::test
