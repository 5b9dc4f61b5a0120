#include "core/text/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

namespace skein {

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

// The instruction takes three cycles and one can be begun in each: long texts are gone through in
// three stretches at once, and what each comes to is then moved over those behind it.
constexpr std::size_t stretch = 1024;

// What a state becomes behind a number of zero bytes, which is linear in its bits: by each of them.
using Matrix = std::array<std::uint32_t, 32>;

constexpr std::uint32_t product(const Matrix& matrix, std::uint32_t state) {
  std::uint32_t out = 0;
  for (std::size_t bit = 0; bit < matrix.size(); ++bit)
    if (state >> bit & 1) out ^= matrix[bit];
  return out;
}

constexpr Matrix over_a_stretch() {
  Matrix matrix{};  // over one byte, and then over twice as many each time
  for (std::size_t bit = 0; bit < matrix.size(); ++bit) {
    const std::uint32_t state = 1u << bit;
    matrix[bit] = state >> 8 ^ table[state & 255];
  }
  for (std::size_t bytes = 1; bytes < stretch; bytes *= 2) {
    Matrix twice{};
    for (std::size_t bit = 0; bit < matrix.size(); ++bit) twice[bit] = product(matrix, matrix[bit]);
    matrix = twice;
  }
  return matrix;
}

// The same by each byte of the state.
constexpr auto make_moves() {
  std::array<std::array<std::uint32_t, 256>, 4> out{};
  const Matrix matrix = over_a_stretch();
  for (std::size_t place = 0; place < out.size(); ++place)
    for (std::uint32_t byte = 0; byte < 256; ++byte)
      out[place][byte] = product(matrix, byte << (8 * place));
  return out;
}

constexpr auto moves = make_moves();

[[maybe_unused]] std::uint32_t moved(std::uint32_t state) {
  return moves[0][state & 255] ^ moves[1][state >> 8 & 255] ^ moves[2][state >> 16 & 255] ^
         moves[3][state >> 24];
}

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
  for (; left >= 3 * stretch; at += 3 * stretch, left -= 3 * stretch) {
    std::uint64_t second = 0, third = 0;
    for (std::size_t i = 0; i < stretch; i += 8) {
      state = _mm_crc32_u64(state, load(at + i));
      second = _mm_crc32_u64(second, load(at + stretch + i));
      third = _mm_crc32_u64(third, load(at + 2 * stretch + i));
    }
    const auto narrow = [](std::uint64_t wide) { return static_cast<std::uint32_t>(wide); };
    state = moved(moved(narrow(state)) ^ narrow(second)) ^ narrow(third);
  }
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
  for (; left >= 3 * stretch; at += 3 * stretch, left -= 3 * stretch) {
    std::uint32_t second = 0, third = 0;
    for (std::size_t i = 0; i < stretch; i += 8) {
      state = __crc32cd(state, load(at + i));
      second = __crc32cd(second, load(at + stretch + i));
      third = __crc32cd(third, load(at + 2 * stretch + i));
    }
    state = moved(moved(state) ^ second) ^ third;
  }
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

}  // namespace skein
