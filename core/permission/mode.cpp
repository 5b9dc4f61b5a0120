// The modes: what each is called, what it allows, and which comes next.
#include <algorithm>
#include <iterator>

#include "core/permission/policy.h"

namespace skein::permission {

namespace {

struct ModeFacts {
  Mode mode, next;
  std::string_view name, sentence;
};
constexpr ModeFacts modes[] = {
    {Mode::normal, Mode::accept_edits, "default",
     "reads run unasked, edits and other commands are asked about"},
    {Mode::plan, Mode::normal, "plan", "only reads run, everything else is refused"},
    {Mode::accept_edits, Mode::plan, "acceptEdits",
     "reads and edits in the workspace run unasked, other commands are asked about"},
    {Mode::bypass, Mode::normal, "bypassPermissions", "everything runs unasked"},
};
static_assert(std::ranges::is_sorted(modes, {}, &ModeFacts::mode));

const ModeFacts& facts_about(Mode mode) { return modes[static_cast<std::size_t>(mode)]; }

}  // namespace

std::optional<Mode> parse_mode(std::string_view name) {
  const auto found = std::ranges::find(modes, name, &ModeFacts::name);
  return found == std::end(modes) ? std::nullopt : std::optional(found->mode);
}

std::string_view name(Mode mode) { return facts_about(mode).name; }
std::string describe(Mode mode) { return std::string(facts_about(mode).sentence); }
Mode next(Mode mode) { return facts_about(mode).next; }

}  // namespace skein::permission
