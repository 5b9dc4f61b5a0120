// Parts of skein that bring libraries of their own are modules: shared objects that are loaded when
// something first needs them, so that a start which needs none of them does not pay for them.
#pragma once

#include <string>
#include <string_view>

namespace skein {

// What a module calls the function that tells which skein it was built with: a plain C string.
inline constexpr char module_version_symbol[] = "skein_module_version";

// The address of `symbol` in `module` ("skein_http"), which is loaded if it is not yet, and stays
// so. `purpose` is what a person calls it: "network". Throws Error, also if it was built with
// another version of skein: what they hand each other may look different there.
void* module_symbol(const std::string& module, std::string_view purpose, const char* symbol);

}  // namespace skein
