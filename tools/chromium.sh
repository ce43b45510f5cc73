#!/usr/bin/env bash
# The browser that the page is tested in: Debian's Chromium. Installed when it is absent and this user may install;
# otherwise the tests that need it say so and are skipped (with CI=true they fail).
set -euo pipefail

for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then exit 0; fi
done

as_root=()
if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || { echo "No Chromium here: 'apt install chromium' lets the page be tested too."; exit 0; }
    as_root=(sudo -n)
fi
command -v apt-get >/dev/null || { echo "No Chromium here, and no apt-get to install it with."; exit 0; }
echo "Installing Chromium for the page's tests (once) ..."
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
"${install[@]}" -qq update >/dev/null || true
"${install[@]}" -qq -y --no-install-recommends install chromium fonts-dejavu-core >/dev/null ||
    echo "Chromium could not be installed: 'apt install chromium' says why."
