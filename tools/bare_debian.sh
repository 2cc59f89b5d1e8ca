#!/usr/bin/env bash
# Run commands on a bare Debian: debootstrap's smallest root, python3, python3-venv, and nothing else.
#
#   tools/bare_debian.sh CHECKOUT COMMAND...      as root; every COMMAND is one shell line, run in a fresh clone
#   tools/bare_debian.sh . 'python3 -m evidence demo' 'python3 -m tests'
#
# SUITE (bookworm), MIRROR (what apt uses here), BARE_ROOT (kept for the next run; the clone in it is not),
# SHARED (a folder laid beside the clone, as CI has it). pip's own variables, the proxies and the certificate
# bundle that is named here are passed on; no other variable is.
set -euo pipefail

checkout=${1:?checkout}
shift
suite=${SUITE:-bookworm}
root=${BARE_ROOT:-${TMPDIR:-/tmp}/bare-$suite}
mirror=${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $suite" | head -n 1)}

if [ ! -e "$root/.whole" ]; then
    rm -rf --one-file-system "$root"
    debootstrap --variant=minbase --include=python3,python3-venv "$suite" "$root" "$mirror" >&2
    touch "$root/.whole"
fi
for program in pip pip3 uv git make gcc cc curl wget node; do
    if chroot "$root" /bin/sh -c "command -v $program"; then
        echo "$root is not bare: it has $program" >&2
        exit 1
    fi
done

given=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root)
for name in PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST PIP_DEFAULT_TIMEOUT PIP_PROXY \
    http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    if [ -n "${!name:-}" ]; then given+=("$name=${!name}"); fi
done
certificates=${PIP_CERT:-${SSL_CERT_FILE:-}}
if [ -n "$certificates" ]; then
    cp "$certificates" "$root/root/certificates.pem"
    given+=(PIP_CERT=/root/certificates.pem)
fi
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"

rm -rf --one-file-system "$root/srv/work"
mkdir -p "$root/srv/work"
git clone --quiet --no-hardlinks "$checkout" "$root/srv/work/checkout"
if [ -n "${SHARED:-}" ]; then cp -r "$SHARED" "$root/srv/work/shared"; fi

mount -t proc proc "$root/proc"
mount --rbind --make-rslave /dev "$root/dev"
trap 'umount -l "$root/dev" "$root/proc"' EXIT

for command in "$@"; do
    echo "── $command" >&2
    start=$SECONDS
    env -i "${given[@]}" chroot "$root" /bin/sh -c "cd /srv/work/checkout && $command" </dev/null
    echo "── $((SECONDS - start)) s" >&2
done
