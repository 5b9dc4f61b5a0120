#include "core/text/module.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "core/text/base.h"

namespace skein {

namespace {

std::string module_file(const std::string& module, std::string_view purpose) {
  return "the " + std::string(purpose) + " module " + module + ".so";
}

// Beside the executable in a build tree, in ../lib*/skein once installed.
void* load_module(const std::string& module, std::string_view purpose) {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::string tried;
  for (const char* place : {".", "../lib/skein", "../lib64/skein"}) {
    const std::filesystem::path file = here / place / (module + ".so");
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    if (void* loaded = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return loaded;
    tried = dlerror();
  }
  throw Error(module_file(module, purpose) + " cannot be loaded" +
              (tried.empty() ? " (not found near " + here.string() + ")" : ": " + tried));
}

}  // namespace

void* module_symbol(const std::string& module, std::string_view purpose, const char* symbol) {
  void* const found = dlsym(load_module(module, purpose), symbol);
  if (found == nullptr) throw Error(module_file(module, purpose) + " is of another version");
  return found;
}

}  // namespace skein
