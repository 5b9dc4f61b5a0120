#include "core/store/log/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

namespace skein::store::log {

namespace {

// table[b] is the effect of byte b.
constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0u);
    table[byte] = crc;
  }
  return table;
}

constexpr auto table = make_table();

[[maybe_unused]] std::uint64_t load(const char* at) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_hardware(std::uint32_t crc,
                                                                std::string_view bytes) {
  std::uint64_t state = ~crc;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) state = _mm_crc32_u64(state, load(at));
  auto narrow = static_cast<std::uint32_t>(state);
  for (; left > 0; ++at, --left) narrow = _mm_crc32_u8(narrow, static_cast<unsigned char>(*at));
  return ~narrow;
}

bool has_hardware() { return __builtin_cpu_supports("sse4.2") != 0; }
#elif defined(__aarch64__)
__attribute__((target("+crc"))) std::uint32_t crc32c_hardware(std::uint32_t crc,
                                                              std::string_view bytes) {
  std::uint32_t state = ~crc;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) state = __crc32cd(state, load(at));
  for (; left > 0; ++at, --left) state = __crc32cb(state, static_cast<unsigned char>(*at));
  return ~state;
}

bool has_hardware() { return (getauxval(AT_HWCAP) & (1u << 7)) != 0; }  // HWCAP_CRC32
#else
std::uint32_t crc32c_hardware(std::uint32_t crc, std::string_view bytes) {
  return crc32c_portable(crc, bytes);
}
bool has_hardware() { return false; }
#endif

}  // namespace

std::uint32_t crc32c_portable(std::uint32_t crc, std::string_view bytes) {
  std::uint32_t state = ~crc;
  for (const char c : bytes)
    state = state >> 8 ^ table[(state ^ static_cast<unsigned char>(c)) & 255];
  return ~state;
}

std::uint32_t crc32c(std::uint32_t crc, std::string_view bytes) {
  static const bool hardware = has_hardware();
  return hardware ? crc32c_hardware(crc, bytes) : crc32c_portable(crc, bytes);
}

}  // namespace skein::store::log
