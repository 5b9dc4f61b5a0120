#include "core/text/checksum.h"

#include "core/text/std.h"

#include "core/text/encoding.h"

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

namespace skein {

namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void take_block(State& state, const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = std::uint32_t{block[4 * i]} << 24 | std::uint32_t{block[4 * i + 1]} << 16 |
           std::uint32_t{block[4 * i + 2]} << 8 | std::uint32_t{block[4 * i + 3]};
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const State mixed{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += mixed[i];
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  State state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
              0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  std::size_t at = 0;
  for (; bytes.size() - at >= 64; at += 64) take_block(state, data + at);

  // What is left, a one bit, zeros, and the length in bits, in one block or in two.
  std::string end(bytes.substr(at));
  end += '\x80';
  end.resize(end.size() <= 56 ? 56 : 120, '\0');
  const std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8) end += static_cast<char>(bits >> shift & 0xff);
  for (std::size_t i = 0; i < end.size(); i += 64)
    take_block(state, reinterpret_cast<const unsigned char*>(end.data()) + i);

  std::string out;
  for (const std::uint32_t word : state) out += hex(word, 8);
  return out;
}

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
#define WITH_CRC32C __attribute__((target("sse4.2")))
WITH_CRC32C inline std::uint32_t step(std::uint32_t state, std::uint64_t word) {
  return static_cast<std::uint32_t>(_mm_crc32_u64(state, word));
}
WITH_CRC32C inline std::uint32_t step(std::uint32_t state, unsigned char byte) {
  return _mm_crc32_u8(state, byte);
}
bool has_hardware() { return __builtin_cpu_supports("sse4.2") != 0; }
#elif defined(__aarch64__)
#define WITH_CRC32C __attribute__((target("+crc")))
WITH_CRC32C inline std::uint32_t step(std::uint32_t state, std::uint64_t word) {
  return __crc32cd(state, word);
}
WITH_CRC32C inline std::uint32_t step(std::uint32_t state, unsigned char byte) {
  return __crc32cb(state, byte);
}
bool has_hardware() { return (getauxval(AT_HWCAP) & (1u << 7)) != 0; }  // HWCAP_CRC32
#else
bool has_hardware() { return false; }
#endif

#ifdef WITH_CRC32C
WITH_CRC32C std::uint32_t crc32c_hardware(std::uint32_t crc, std::string_view bytes) {
  std::uint32_t state = ~crc;
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * stretch; at += 3 * stretch, left -= 3 * stretch) {
    std::uint32_t second = 0, third = 0;
    for (std::size_t i = 0; i < stretch; i += 8) {
      state = step(state, load(at + i));
      second = step(second, load(at + stretch + i));
      third = step(third, load(at + 2 * stretch + i));
    }
    state = moved(moved(state) ^ second) ^ third;
  }
  for (; left >= 8; at += 8, left -= 8) state = step(state, load(at));
  for (; left > 0; ++at, --left) state = step(state, static_cast<unsigned char>(*at));
  return ~state;
}
#else
std::uint32_t crc32c_hardware(std::uint32_t crc, std::string_view bytes) {
  return crc32c_portable(crc, bytes);
}
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
