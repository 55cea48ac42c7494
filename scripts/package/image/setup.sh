#!/bin/sh
# Installs mgr into the root of an image, from the archive of this architecture in a folder: setup.sh FOLDER
set -eu
here=$(dirname "$(readlink -f "$0")")
case $(uname -m) in
  x86_64) arch=x64 ;;
  aarch64) arch=arm64 ;;
  *) echo "setup.sh: there is no archive for $(uname -m)" >&2; exit 1 ;;
esac
set -- "$1"/mgr-*-linux-$arch.tar.gz
if [ $# -ne 1 ] || [ ! -e "$1" ]; then
  echo "setup.sh: expected one archive for $arch, found: $*" >&2
  exit 1
fi
mkdir -p /opt/mgr
tar -xzf "$1" -C /opt/mgr --strip-components=1 --no-same-owner
ln -s /opt/mgr/mgr /usr/local/bin/mgr
useradd --system --user-group --home-dir /var/lib/mgr --no-create-home --shell /usr/sbin/nologin mgr
install -d -o mgr -g mgr -m 0750 /var/lib/mgr
install -d -m 0755 /etc/mgr
install -m 0644 "$here/mgr.yaml" /etc/mgr/mgr.yaml
