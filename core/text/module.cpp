#include "core/text/module.h"

#include <dlfcn.h>

#include "core/text/base.h"

namespace skein {

namespace {

std::string module_file(const std::string& module, std::string_view purpose) {
  return "the " + std::string(purpose) + " module " + module + ".so";
}

// Next to the executable in a build tree, in one of the others once installed: where Debian keeps
// libraries of this machine's kind, or where other systems keep all of them.
constexpr const char* places[] = {".", "../lib/" SKEIN_LIBRARY_FOLDER "/skein", "../lib/skein",
                                  "../lib64/skein"};

void* load_module(const std::string& module, std::string_view purpose) {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::string tried;
  for (const char* place : places) {
    const std::filesystem::path file = here / place / (module + ".so");
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    if (void* loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return loaded;
    tried = dlerror();
  }
  throw Error(module_file(module, purpose) + " cannot be loaded" +
              (tried.empty() ? " (not found near " + here.string() + ")" : ": " + tried));
}

Error of_another_version(const std::string& what) {
  return Error(what + ", and this is skein " SKEIN_VERSION
                      "; install both from one package or build");
}

}  // namespace

const void* module_functions(const std::string& file, std::string_view purpose) {
  void* const loaded = load_module(file, purpose);
  const std::string name = module_file(file, purpose);
  const auto* const found = static_cast<const char* const*>(dlsym(loaded, "skein_module"));
  if (found == nullptr) throw of_another_version(name + " is of another version");
  if (*found != std::string_view(SKEIN_VERSION))
    throw of_another_version(name + " is of version " + *found);
  return found;
}

}  // namespace skein
