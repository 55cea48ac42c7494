#!/bin/sh
# A program with a window, or how to get one.
packages="tigervnc-standalone-server openbox x11-apps"
if ! command -v xclock >/dev/null || { [ -z "$DISPLAY" ] && ! command -v Xvnc >/dev/null; }; then
  echo "No X programs on this machine: install them with sudo apt-get install $packages"
  exit 1
fi
if [ -z "$DISPLAY" ]; then
  echo "No display: start this process on the page, and its window opens on your display."
  exit 1
fi
exec xclock -update 1 -geometry 240x240+20+60
