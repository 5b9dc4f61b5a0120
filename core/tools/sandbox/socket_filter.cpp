#include "core/tools/sandbox/socket_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <iterator>

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
constexpr sock_filter jump_if(std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no);
}

// The numbers count the rows that are passed over.
constexpr sock_filter filter[] = {
    load(offsetof(seccomp_data, arch)),
    jump_if(native, 4, 0),
    load(offsetof(seccomp_data, nr)),  // 32-bit programs
    jump_if(foreign_socket, 9, 0),
    jump_if(foreign_socketcall, 8, 0),
    jump_if(io_uring_setup, 7, 6),
    load(offsetof(seccomp_data, nr)),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~x32_bit),
    jump_if(io_uring_setup, 4, 0),
    jump_if(SYS_socket, 0, 2),
    load(offsetof(seccomp_data, args)),
    jump_if(AF_UNIX, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
};

}  // namespace

bool socket_filter_works() {
  // With no filter given: "bad address" where filters are known.
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, nullptr, 0, 0) == -1 && errno == EFAULT;
}

bool refuse_sockets() {
  const sock_fprog program{std::size(filter), const_cast<sock_filter*>(filter)};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace skein::tools::sandbox
