# weir_precompiled(NAME HEADERS header... [LIBRARIES target...] [OPTIONS option...]), weir_use_precompiled(TARGET NAME)
#
# Headers of others that are parsed once for all targets that use them: half of what these rooms and the tests took to
# compile. Who uses them has their libraries' definitions and the same options, or the compiler would refuse them.
function(weir_precompiled NAME)
  cmake_parse_arguments(PRE "" "" "HEADERS;LIBRARIES;OPTIONS" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/precompiled_${NAME}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// The headers are what is compiled here.\n")
  add_library(weir_precompiled_${NAME} OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(weir_precompiled_${NAME} PRIVATE ${PRE_LIBRARIES})
  target_compile_options(weir_precompiled_${NAME} PRIVATE ${PRE_OPTIONS})
  target_precompile_headers(weir_precompiled_${NAME} PRIVATE ${PRE_HEADERS})
  set_target_properties(weir_precompiled_${NAME} PROPERTIES WEIR_LIBRARIES "${PRE_LIBRARIES}" WEIR_OPTIONS "${PRE_OPTIONS}")
endfunction()

function(weir_use_precompiled TARGET NAME)
  get_target_property(libraries weir_precompiled_${NAME} WEIR_LIBRARIES)
  get_target_property(options weir_precompiled_${NAME} WEIR_OPTIONS)
  foreach(library IN LISTS libraries)
    target_compile_definitions(${TARGET} PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_COMPILE_DEFINITIONS>)
    target_include_directories(${TARGET} SYSTEM PRIVATE $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
  endforeach()
  target_compile_options(${TARGET} PRIVATE ${options})
  target_precompile_headers(${TARGET} REUSE_FROM weir_precompiled_${NAME})
endfunction()

# What the daemons, their ports and the command line are made with. Under a sanitizer nothing is optimised.
set(WEIR_COLD "")
if(NOT WEIR_SANITIZE)
  set(WEIR_COLD -O1 $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
endif()
set(outer_headers <algorithm> <array> <atomic> <chrono> <cstdint> <deque> <filesystem> <fstream> <functional> <map> <memory>
    <mutex> <optional> <set> <sstream> <string> <string_view> <thread> <unordered_map> <utility> <variant> <vector>
    <boost/asio.hpp> <fmt/format.h> <nlohmann/json.hpp> <spdlog/spdlog.h>
    <thrift/TDispatchProcessor.h> <thrift/async/TAsyncDispatchProcessor.h> <thrift/protocol/TBinaryProtocol.h>
    <thrift/transport/TBufferTransports.h>)
set(outer_libraries weir_asio Boost::graph fmt::fmt nlohmann_json::nlohmann_json spdlog::spdlog PkgConfig::THRIFT)
weir_precompiled(outer HEADERS ${outer_headers} LIBRARIES ${outer_libraries})
weir_precompiled(cold HEADERS ${outer_headers} LIBRARIES ${outer_libraries} OPTIONS ${WEIR_COLD})
