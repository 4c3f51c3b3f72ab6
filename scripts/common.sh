# Shared by the scripts of this folder; sourced, not run. Needs bash.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Everything comes from Debian 12's own packages.
BUILD_PACKAGES=(
  g++ cmake ninja-build ccache binutils mold pkg-config
  thrift-compiler libthrift-dev libboost-dev libboost-graph-dev libyaml-cpp-dev libpugixml-dev libsqlite3-dev libcli11-dev
  libfmt-dev libspdlog-dev nlohmann-json3-dev libgoogle-perftools-dev zlib1g-dev prometheus-cpp-dev libncurses-dev
  liblz4-dev libzstd-dev libbz2-dev libdeflate-dev
)
RUN_PACKAGES=(python3)
TEST_PACKAGES=(libgtest-dev libgmock-dev python3-thrift python3-six python3-requests python3-jsonschema procps git
  chromium-driver python3-selenium)
FUZZ_PACKAGES=(libgtest-dev libgmock-dev clang-19 libclang-rt-19-dev)

say() { printf '\033[1m%s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }
die() { echo "$(basename "$0"): $*" >&2; exit 1; }

# Installs what of the named packages is missing.
install_packages() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "needs root or sudo to install: ${missing[*]}"
    as_root=(sudo)
  fi
  say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# promtool, which checks our metrics and alerts, is in a package that also starts a server: only the tool is taken out of it.
TOOLS=$ROOT/build/tools
fetch_promtool() {
  command -v promtool >/dev/null || [ -x "$TOOLS/promtool" ] && return 0
  local into
  into=$(mktemp -d)
  (cd "$into" && apt-get download -qq prometheus 2>/dev/null && dpkg -x prometheus_*.deb .) || die "cannot fetch package prometheus"
  mkdir -p "$TOOLS"
  mv "$into/usr/bin/promtool" "$TOOLS/"
  rm -rf "$into"
}

# Configures and builds a preset, with or without the tests, which need packages of their own: build_preset release ON weir
build_preset() {
  local preset=$1 tests=$2
  shift 2
  (cd "$ROOT" && cmake --preset "$preset" -DWEIR_TESTS="$tests" >"$ROOT/build/$preset.configure.log" 2>&1) ||
    { cat "$ROOT/build/$preset.configure.log" >&2; die "configuring preset $preset failed"; }
  one_at_a_time cmake --build "$ROOT/build/$preset" --target "$@"
}

# Runs a command that needs all processors when no other checkout of this user runs one: side by side they would only
# make each other slow, and what is tested there fail for want of time. The lock lies with the compiler cache, which
# scripts/bare-debian brings along. After half an hour it goes ahead: who holds it may be stuck.
one_at_a_time() {
  local cache=${CCACHE_DIR:-$HOME/.cache/ccache}
  mkdir -p "$cache"
  (
    if ! flock -n 9; then
      say "Waiting for a build of another checkout"
      flock -w 1800 9 || say "It takes longer than half an hour: going ahead"
    fi
    "$@" 9>&-
  ) 9>"$cache/weir.lock"
}
mkdir -p "$ROOT/build"
