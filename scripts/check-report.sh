#!/usr/bin/env bash
# check-report.sh BUILD [--pictures] - opens pages of `clpac report` in headless Chromium: no error of its console, nothing that axe-core
# finds against people who see badly or have no mouse, arrow keys move from cell to cell, a phone's width needs no scrolling, and
# print has all of it.  Screenshots lie in BUILD/report; --pictures makes those of doc/pictures of them.
#
# Prints TAP, with the seconds of each part; what cannot be had here within seconds is skipped with the reason.
# shellcheck disable=SC2317 # functions that check calls
set -u
# shellcheck source=common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
build=$(cd "${1:?usage: check-report.sh BUILD [--pictures]}" && pwd) || exit 1
folder=$build/report
# shellcheck source=tap.sh
. "$top/scripts/tap.sh"
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
export CLPAC_DEVICE=native

# have_chromium - fetches what is missing while that takes seconds; an installation that has begun is not cut off.
have_chromium() {
	command -v chromium >/dev/null && return
	[[ -z ${CLPAC_NO_INSTALL-} ]] && ((EUID == 0)) && command -v apt-get >/dev/null || return
	timeout 15 apt-get install -q -y --no-install-recommends --download-only chromium && need_packages chromium
}

# have_axe - axe-core as a package of the Python index has it, in axe.min.js.
have_axe() {
	timeout 15 python3 -m pip download -q --no-deps --disable-pip-version-check axe-core-python==0.1.0 &&
		python3 -c 'import zipfile; zipfile.ZipFile("axe_core_python-0.1.0-py3-none-any.whl").extract("axe_core_python/axe.min.js")' &&
		mv axe_core_python/axe.min.js .
}

made() { # made - recordings that are coupled and not, and the pages of a run, of a comparison of subjects, and of both
	local i
	for i in 1 2 3; do
		"$build/clpac" synth "$i.npy" --rate 500 --seconds 60 --channels 5 --phase 6 --amplitude 80 --strength 0.5 \
			--seed "$i" --quiet &&
			"$build/clpac" run "$i.npy" --rate 500 --phase 2:14:13 --amplitude 30:150:13 --surrogates 200 -o "$i.npz" \
				--keep-distributions --report --quiet || return
	done
	"$build/clpac" group 1.npz 2.npz 3.npz -o group.npz --report --quiet && "$build/clpac" report 1.npz group.npz -o both.html --quiet
}

# browser ARGUMENT... - Chromium without a window; what its console says is in `console`.
browser() {
	timeout 60 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$folder/profile" --no-first-run \
		--virtual-time-budget=20000 --enable-logging=stderr "$@" 2>browser.err
	local status=$?
	grep CONSOLE browser.err >console
	return "$status"
}
silent() { # silent PAGE - the console says nothing about it
	browser --dump-dom "file://$folder/$1" >dom && [[ -s dom ]] && ! grep . console
}

# drive PAGE SCRIPT NAME - the page with a script of ours behind its own, as NAME, whose findings become its title.
drive() {
	python3 - "$@" <<'PYTHON'
import sys
page, script, name = sys.argv[1:]
with open(page, encoding="utf-8") as source, open(script, encoding="utf-8") as added, open(name, "w", encoding="utf-8") as out:
    out.write(source.read().replace("</body>", "<script>" + added.read().replace("</script", "<\\/script") + "</script></body>"))
PYTHON
}
found() { # found PAGE WORD [ARGUMENT...] - what a driven page has found, behind a word
	browser --dump-dom "${@:3}" "file://$folder/$1" | sed -n "s/.*<title>$2 \\([^<]*\\)<\\/title>.*/\\1/p" | head -n 1
}

keys_move() {
	cat >keys.js <<'SCRIPT'
const box=document.querySelector('details[open]'),map=box.querySelector('svg.map'),said=box.querySelector('output');
const log=[];
map.focus();
for(const key of ['','ArrowUp','ArrowRight','ArrowLeft','ArrowDown']){
 if(key)map.dispatchEvent(new KeyboardEvent('keydown',{key,bubbles:true,cancelable:true}));
 log.push(said.textContent)}
const r=map.getBoundingClientRect();
map.dispatchEvent(new PointerEvent('pointermove',{clientX:r.left+r.width*.5,clientY:r.top+r.height*.3}));
log.push(said.textContent);
const different=new Set(log.slice(0,3)).size;
document.title='KEYS '+(document.activeElement===map)+' '+different+' '+(log[0]===log[4])+' '+(log[5]!==log[0]);
SCRIPT
	drive 1.html keys.js keys.html
	local said
	said=$(found keys.html KEYS)
	echo "$said"
	[[ $said == 'true 3 true true' ]]
}
accessible() { # accessible PAGE - with every part of it open
	{
		cat axe.min.js
		echo ';document.querySelectorAll("details").forEach(d=>{d.open=true});
axe.run().then(r=>{document.title="AXE "+r.violations.length+" of "+r.passes.length+": "+
JSON.stringify(r.violations.map(v=>[v.id,v.nodes.length,v.nodes[0].html.slice(0,200)]))},e=>{document.title="AXE "+e})'
	} >axe.js
	drive "$1" axe.js axe.html
	local said
	said=$(found axe.html AXE)
	echo "$said"
	[[ $said =~ ^0\ of\ ([0-9]+): ]] && ((BASH_REMATCH[1] > 10))
}
fits_a_phone() {
	echo "document.title='WIDTH '+document.documentElement.scrollWidth+' '+innerWidth" >width.js
	drive both.html width.js width.html
	local said
	said=$(found width.html WIDTH --window-size=500,900)
	echo "$said"
	((${said% *} <= ${said#* }))
}
prints() {
	browser --print-to-pdf="$folder/print.pdf" --no-pdf-header-footer "file://$folder/1.html" && [[ $(head -c 5 print.pdf) == %PDF- ]] &&
		(($(grep -ac '/Type */Page\b' print.pdf) >= 2))
}
shot() { # shot PAGE PICTURE WIDTH,HEIGHT - twice as large as it will be
	browser --force-device-scale-factor=2 --window-size="$3" --screenshot="$folder/$2" "file://$folder/$1" && [[ -s $2 ]]
}

if ! have_chromium >/dev/null 2>&1; then
	skipped 'pages in Chromium' 'Chromium is not here and could not be fetched within seconds'
	finish
fi
check 'pages are made of a run, of a comparison, and of both' made
for page in 1 group both; do
	check "the console says nothing about $page.html" silent "$page.html"
done
check 'arrow keys and the pointer move from cell to cell' keys_move
if have_axe >/dev/null 2>&1; then
	check 'axe-core finds nothing wrong in the page of a run' accessible 1.html
	check 'and of several results' accessible both.html
else
	skipped 'axe-core finds nothing wrong' 'axe-core cannot be had from the Python package index'
fi
check 'a narrow window needs no scrolling to the side' fits_a_phone
check 'print has all of it' prints
check 'a picture of the page' shot 1.html report.png 1100,1500
if [[ ${2-} == --pictures ]]; then
	check 'it becomes that of doc/pictures' python3 "$top/scripts/small_png.py" report.png "$top/doc/pictures/report.png"
fi
finish
