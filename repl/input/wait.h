// Waiting for input so that no signal is missed: one that comes between looking at its flag and a
// plain read would be heard only with the next key.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace skein {

enum class Wake { input, signal, pause };

// Until there is something to read from `fd` (its end counts), a signal came or `pause` is over. A
// signal that came before the call counts if `due` says so; none of the two can be missed in
// between.
Wake wait_for_input(int fd, std::optional<std::chrono::milliseconds> pause,
                    const std::function<bool()>& due);

}  // namespace skein
