# Debian packages that the project needs, and how to get them. Sourced by tools/quickstart and tools/test.

build_packages=(
    cmake
    gcc
    libc6-dev
    libcfitsio-dev
    libclblast-dev
    liblapacke-dev
    libopenblas-dev
    libyaml-dev
    ninja-build
    ocl-icd-opencl-dev
    pkg-config
)

test_packages=(
    clang
    clang-format
    clang-tidy
    g++
    jq
    libcriterion-dev
    oclgrind
    pocl-opencl-icd
    valgrind
)

# install_packages NAME...: installs those that are missing; does not touch apt when none is.
install_packages() {
    local missing=() package as_root=()
    for package in "$@"; do
        if ! dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null |
            grep -qx installed; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -eq 0 ]; then
        return
    fi

    echo "Installing ${missing[*]}"
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "Run this as root, or have root install: ${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    "${as_root[@]}" apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq --yes --no-install-recommends "${missing[@]}" >/dev/null
}
