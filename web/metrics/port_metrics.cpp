// Ports: calls, connections, bytes, and what was dropped.
#include "tracker/metrics/daemon_figures.h"
#include "web/metrics/families.h"

namespace weir {

void add_ports(Families& families, const DaemonFigures& daemon) {
  families.counter("weir_rpc_calls_total", "Calls answered, by method and code.");
  for (const PortFigures& port : daemon.ports) {
    if (port.calls == nullptr) continue;
    for (const CallCounters::Method* method : port.calls->methods()) {
      for (std::size_t code = 0; code < CallCounters::kCodes; ++code) {
        if (method->codes[code].get() == 0) continue;
        families.add(
            method->codes[code],
            {{"port", port.name}, {"method", method->name}, {"code", port.code_name(code)}});
      }
    }
  }
  families.histogram("weir_rpc_duration_seconds",
                     "From the whole call to its whole answer, before it is sent.");
  for (const PortFigures& port : daemon.ports) {
    if (port.calls == nullptr) continue;
    for (const CallCounters::Method* method : port.calls->methods())
      families.add(method->seconds, {{"port", port.name}, {"method", method->name}});
  }
  families.histogram("weir_http_request_duration_seconds",
                     "From the whole request to its answer, before it is sent; of a stream, to its "
                     "beginning.");
  for (const PortFigures& port : daemon.ports) {
    if (port.http == nullptr) continue;
    port.http->each([&](const HttpTimes::Route& route, const char* code, const Histogram& times) {
      families.add(times, {{"method", route.method}, {"route", route.path}, {"code", code}});
    });
  }
  families.gauge("weir_connections", "Connections of the port.");
  for (const PortFigures& port : daemon.ports)
    families.add(port.connections, {{"port", port.name}});
  families.gauge("weir_buffered_bytes",
                 "Bytes of calls and answers that the port's connections hold.");
  for (const PortFigures& port : daemon.ports)
    families.add(port.buffered_bytes, {{"port", port.name}});
  families.gauge("weir_buffered_bytes_limit", "The most of them.");
  for (const PortFigures& port : daemon.ports)
    families.add(port.buffered_bytes_limit, {{"port", port.name}});
  families.counter("weir_dropped_connections_total",
                   "Connections that were dropped for what they sent, how slowly, or for want of "
                   "room, by cause.");
  for (const PortFigures& port : daemon.ports) {
    for (const auto& [cause, count] : port.refused)
      families.add(count, {{"port", port.name}, {"cause", cause}});
  }
}

}  // namespace weir
