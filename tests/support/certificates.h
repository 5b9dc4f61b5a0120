// Certificates made on the spot: an authority of our own, and servers it vouches for (or not).
#pragma once

#include <filesystem>
#include <memory>
#include <string>

namespace skein::test {

// A server's TLS context (an SSL_CTX) with its certificate.
using TlsContext = std::shared_ptr<void>;  // shared by a server and the test that made it

struct CertificateWish {
  std::string host = "localhost";
  long valid_from = -3600;  // seconds from now
  long valid_to = 3600;
  bool self_signed = false;
  bool old_protocol = false;  // at most TLS 1.1
};

class Authority {
 public:
  Authority();
  void write_certificate(const std::filesystem::path& file) const;  // PEM
  TlsContext server(const CertificateWish& wish = {}) const;

 private:
  std::shared_ptr<void> key_, certificate_;  // EVP_PKEY and X509, which count references
};

}  // namespace skein::test
