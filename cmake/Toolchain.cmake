# Compiler flags and third-party libraries, all from Debian 12's own packages.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE)
  # One cache for all checkouts of a machine: paths count from the checkout, precompiled headers by what is in them.
  set(CMAKE_CXX_COMPILER_LAUNCHER /usr/bin/env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_COMPILERCHECK=content CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_ctime,include_file_mtime
      ${WEIR_CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wno-missing-field-initializers
                    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> -fno-omit-frame-pointer)
# Records of up to some hundred bytes are cleared and copied at each heartbeat: by plain stores, since `rep stos` takes longer
# to begin than these do.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options(-mmemset-strategy=unrolled_loop:512:noalign,libcall:-1:noalign
                      -mmemcpy-strategy=unrolled_loop:512:noalign,libcall:-1:noalign)
endif()
find_program(WEIR_MOLD mold)  # links the sanitizers' fifty executables in a quarter of the time
add_link_options(-fuse-ld=$<IF:$<BOOL:${WEIR_MOLD}>,mold,gold>)
if(WEIR_SANITIZE)
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
  if(WEIR_SANITIZE MATCHES "undefined")
    # Thrift's generated enums hold whatever was on the wire until our conversion has checked it.
    add_compile_options(-fno-sanitize=enum)
    # A null pointer that is used ends under the AddressSanitizer as well, and what reads bytes from outside is held against
    # misaligned pointers by the fuzz preset; with a check at each -> the build takes a quarter longer.
    if(NOT WEIR_LIBFUZZER)
      add_compile_options(-fno-sanitize=null,alignment)
    endif()
  endif()
  set(WEIR_TCMALLOC OFF)
endif()
if(WEIR_LIBFUZZER)
  # Coverage in everything; only the targets of tests/fuzz link libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS graph)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(pugixml REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(BZip2 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(DEFLATE REQUIRED IMPORTED_TARGET libdeflate)
pkg_check_modules(THRIFT REQUIRED IMPORTED_TARGET thrift>=0.17)
pkg_check_modules(PROMETHEUS REQUIRED IMPORTED_TARGET prometheus-cpp-core)
find_program(THRIFT_COMPILER thrift REQUIRED)

# Boost.Asio alone, header-only: rooms that may do I/O link this by name.
add_library(weir_asio INTERFACE)
target_compile_definitions(weir_asio INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_COROUTINE)
target_link_libraries(weir_asio INTERFACE Boost::headers Threads::Threads)

# tcmalloc and the profilers; see docs/profiling.md.
add_library(weir_allocator INTERFACE)
if(WEIR_TCMALLOC)
  pkg_check_modules(GPERFTOOLS REQUIRED IMPORTED_TARGET libtcmalloc libprofiler)
  # --no-as-needed: nothing refers to these by name, they work by being there.
  target_link_libraries(weir_allocator INTERFACE -Wl,--no-as-needed PkgConfig::GPERFTOOLS -Wl,--as-needed)
  target_compile_definitions(weir_allocator INTERFACE WEIR_HAVE_GPERFTOOLS=1)
endif()
