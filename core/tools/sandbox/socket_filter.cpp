#include "core/tools/sandbox/socket_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace skein::tools::sandbox {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t native = AUDIT_ARCH_X86_64, foreign_socket = 359;  // i386
#elif defined(__aarch64__)
constexpr std::uint32_t native = AUDIT_ARCH_AARCH64, foreign_socket = 281;  // arm
#else
#error "the numbers of system calls are not known for this architecture"
#endif
constexpr std::uint32_t foreign_socketcall = 102;  // unseen arguments in memory, so refused
constexpr std::uint32_t io_uring_setup = 425;      // makes sockets without a system call for it
constexpr std::uint32_t x32_bit = 0x4000'0000;     // the same calls under a second number

constexpr sock_filter load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
}

// Refuses every socket but those of these families.
template <std::size_t Count>
constexpr auto filter_for(const std::array<std::uint32_t, Count>& families) {
  constexpr std::size_t first_family = 11, allow = first_family + Count, refuse = allow + 1;
  std::array<sock_filter, refuse + 1> rows{};
  std::size_t row = 0;
  const auto add = [&](sock_filter filter) { rows[row++] = filter; };
  // From the row that is added next: where a call with this number goes, and any other.
  const auto branch = [&](std::uint32_t value, std::size_t yes, std::size_t no) {
    const auto from_here = [&](std::size_t to) { return static_cast<std::uint8_t>(to - row - 1); };
    add(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, from_here(yes), from_here(no)));
  };
  constexpr std::size_t native_call = 6, family = first_family - 1;
  add(load(offsetof(seccomp_data, arch)));
  branch(native, native_call, 2);
  add(load(offsetof(seccomp_data, nr)));  // 32-bit programs
  branch(foreign_socket, family, 4);
  branch(foreign_socketcall, refuse, 5);
  branch(io_uring_setup, refuse, allow);
  add(load(offsetof(seccomp_data, nr)));
  add(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~x32_bit));
  branch(io_uring_setup, refuse, 9);
  branch(SYS_socket, family, allow);
  add(load(offsetof(seccomp_data, args)));
  for (std::size_t i = 0; i < Count; ++i)
    branch(families[i], allow, i + 1 < Count ? first_family + i + 1 : refuse);
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  add(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  return rows;
}

// bubblewrap brings up loopback in the namespace through netlink.
constexpr auto in_namespace =
    filter_for(std::array<std::uint32_t, 4>{AF_UNIX, AF_INET, AF_INET6, AF_NETLINK});
constexpr auto local = filter_for(std::array<std::uint32_t, 1>{AF_UNIX});

}  // namespace

bool socket_filter_works() {
  // With no filter given: "bad address" where filters are known.
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr, 0, 0) == -1 && errno == EFAULT;
}

Sockets sockets_for(Sandbox sandbox, bool network) {
  if (network || !socket_filter_works()) return Sockets::all;
  return sandbox == Sandbox::bubblewrap ? Sockets::in_namespace : Sockets::local;
}

bool restrict_sockets(Sockets sockets) {
  const auto install = [](const auto& filter) {
    const sock_fprog program{static_cast<unsigned short>(filter.size()),
                             const_cast<sock_filter*>(filter.data())};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
  };
  switch (sockets) {
    case Sockets::all: return true;
    case Sockets::in_namespace: return install(in_namespace);
    case Sockets::local: return install(local);
  }
  return false;
}

}  // namespace skein::tools::sandbox
