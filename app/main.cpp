#include <cstdio>
#include <exception>

#include "app/cli.h"
#include "app/wiring.h"
#include "core/base.h"

int main(int argc, char** argv) {
  try {
    const skein::Parsed parsed = skein::parse_command_line(argc, argv);
    return parsed.invocation ? skein::run(*parsed.invocation) : parsed.status;
  } catch (const skein::Error& error) {
    std::fprintf(stderr, "skein: %s\n", error.what());
    return static_cast<int>(error.trouble());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "skein: %s\n", error.what());
    return static_cast<int>(skein::Trouble::turn);
  }
}
