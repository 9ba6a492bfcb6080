# Completion of clpac for fish: the program itself says what may stand there; where it says nothing, files are offered.
function __clpac_complete
	set -l words (commandline -opc)
	set -l program $words[1]
	set -e words[1]
	set -l begun (commandline -ct)
	set -l found ($program --complete $words "$begun" 2>/dev/null)
	if test (count $found) -gt 0
		string replace -- ' ' \t $found
	else
		__fish_complete_path "$begun"
	end
end
complete -c clpac -f -a '(__clpac_complete)'
