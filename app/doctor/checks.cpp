#include "app/doctor/checks.h"

namespace skein::doctor {

namespace {

constexpr Check table[] = {
    {"config", look_at_configuration},
    {"keys", look_at_keys},
    {"servers", look_at_servers},
    {"modules", look_at_modules},
    {"sandbox", look_at_sandbox},
    {"terminal", look_at_terminal},
    {"disk", look_at_disk},
    {"locks", look_at_locks},
    {"clock", look_at_clock},
    {"log", look_at_log},
};

}  // namespace

std::span<const Check> checks() { return table; }

}  // namespace skein::doctor
