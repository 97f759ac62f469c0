# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of stap, staprun, stap-merge and stap-prep for bash. stap --complete answers with whole words; bash expects the part after the last of
# $COMP_WORDBREAKS, and quotes only names of files.
_stap() {
	local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]} stap=${COMP_WORDS[0]} before word
	[[ ${stap##*/} == stap ]] || stap=stap
	[[ $current != [=:] ]] || current=
	before=${line%"$current"}
	before=${before##*[[:space:]]}
	COMPREPLY=()
	while IFS= read -r word; do
		if [[ $current$before == [\'\"]* ]]; then
			COMPREPLY+=("$word")
		else
			word=${word#"$before"}
			printf -v word %q "$word"
			COMPREPLY+=("$word")
		fi
	done < <("$stap" --complete "$line" 2>/dev/null)
	# A second candidate keeps readline from closing the quote after text that continues.
	if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[\(\"=./] ]]; then
		compopt -o nospace
		[[ ${COMPREPLY[0]} != *[\(\"] ]] || COMPREPLY+=("${COMPREPLY[0]} ")
	fi
}
complete -o default -F _stap stap staprun stap-merge stap-prep
