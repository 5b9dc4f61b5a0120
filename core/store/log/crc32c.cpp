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

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// Slicing by eight: tables[k][b] is the effect of byte b followed by k zero bytes.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0u);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = tables[k - 1][byte] >> 8 ^ tables[0][tables[k - 1][byte] & 255];
  return tables;
}

constexpr Tables tables = make_tables();

template <class Word>
Word load(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_hardware(std::uint32_t crc,
                                                                std::string_view bytes) {
  std::uint64_t state = ~crc;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) state = _mm_crc32_u64(state, load<std::uint64_t>(at));
  auto narrow = static_cast<std::uint32_t>(state);
  if (left >= 4) {
    narrow = _mm_crc32_u32(narrow, load<std::uint32_t>(at));
    at += 4, left -= 4;
  }
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
  for (; left >= 8; at += 8, left -= 8) state = __crc32cd(state, load<std::uint64_t>(at));
  if (left >= 4) {
    state = __crc32cw(state, load<std::uint32_t>(at));
    at += 4, left -= 4;
  }
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
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t left = bytes.size();
  for (; left >= 8; at += 8, left -= 8) {
    std::uint32_t word;
    std::memcpy(&word, at, sizeof word);
    state ^= word;
    state = tables[7][state & 255] ^ tables[6][state >> 8 & 255] ^ tables[5][state >> 16 & 255] ^
            tables[4][state >> 24] ^ tables[3][at[4]] ^ tables[2][at[5]] ^ tables[1][at[6]] ^
            tables[0][at[7]];
  }
  for (; left > 0; ++at, --left) state = state >> 8 ^ tables[0][(state ^ *at) & 255];
  return ~state;
}

std::uint32_t crc32c(std::uint32_t crc, std::string_view bytes) {
  static const bool hardware = has_hardware();
  return hardware ? crc32c_hardware(crc, bytes) : crc32c_portable(crc, bytes);
}

}  // namespace skein::store::log
