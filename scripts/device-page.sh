#!/usr/bin/env bash
# device-page.sh ROW... - puts the rows that check-device.sh wrote into the table of doc/devices.md.  A row replaces that of the
# same implementation, device and driver, or is added at the end.
set -eu
page=$(dirname "${BASH_SOURCE[0]}")/../doc/devices.md
(($#)) || { echo "usage: scripts/device-page.sh BUILD/devices/row..." >&2; exit 2; }
cat "$@" | awk -v page="$page" '
	function key(row, column) { split(row, column, / *\| */); return column[2] "|" column[3] "|" column[4] }
	/^\|/ { new[key($0)] = $0; order[++n] = key($0) }
	END {
		while ((getline line < page) > 0) {
			if (line == "<!-- rows end -->")
				for (i = 1; i <= n; i++)
					if (order[i] in new) { print new[order[i]]; delete new[order[i]] }
			if (line ~ /^\|/ && key(line) in new) { print new[key(line)]; delete new[key(line)]; continue }
			print line
		}
	}' >"$page.part"
mv "$page.part" "$page"
