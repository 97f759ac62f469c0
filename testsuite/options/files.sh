# SPDX-License-Identifier: GPL-2.0-or-later
# Files of procfs probes in a process (runtime/user/files.c): the texts of readers and writers, also of many at the
# same time, and files that remain from or belong to other processes. (Read by run.sh.)
home=/var/tmp/systemtap-$(id -un)
module=files_$$
cat >"$SCRATCH/files.stp" <<'END'
global level = 5, runs
probe procfs("level").read { $value = sprintf("%d\n", level) }
probe procfs("set").umask(0).write { level = strtol($value, 10); runs++; if (level == 0) exit() }
probe procfs("deep/er/long").read.maxsize(200000) { for (i = 0; i < 400; i++) $value .= sprintf("%0400d\n", i) }
probe procfs("fails").read { $value = "lost"; error("refused") }
probe timer.s(100) { exit() }
probe end { println("runs ", runs) }
END
# Runs a command while the files are served in $served, ends the script, and prints its output.
serving_files() { # COMMAND...
	local status server
	served=$home/$module
	"$STAP" --runtime=user -m "$module" -DMAXACTION=10000 -DMAXERRORS=5 "$SCRATCH/files.stp" >"$SCRATCH/server" 2>&1 &
	server=$!
	for _ in {1..200}; do
		[ ! -e "$served/fails" ] || break
		sleep 0.1
	done
	"$@"
	status=$?
	echo 0 >"$served/set"
	wait $server
	cat "$SCRATCH/server"
	return $status
}
values() { cat "$served/level" && echo 77 >"$served/set" && until [ "$(cat "$served/level")" = 77 ]; do :; done && wc -c <"$served/deep/er/long"; }
expect files 0 '5
160400
runs 2' serving_files values
expect files-removed 0 absent bash -c "[ -e $home/$module ] || echo absent"
# Each of many readers gets a complete text, whenever it reads.
many() {
	local i
	for i in {1..100}; do cat "$served/level" >"$SCRATCH/level.$i" & done
	for i in {1..100}; do cat "$served/deep/er/long" >"$SCRATCH/long.$i" & done
	wait $(jobs -p | tail -n +2)
	sort "$SCRATCH"/level.* | uniq -c
	cat "$SCRATCH"/long.* | md5sum
	seq -f '%0400.0f' 0 399 >"$SCRATCH/one"
	for i in {1..100}; do cat "$SCRATCH/one"; done | md5sum
}
equal_many() { serving_files many >"$SCRATCH/many"; [ "$(sed -n 2p "$SCRATCH/many")" = "$(sed -n 3p "$SCRATCH/many")" ] && sed -n 1p "$SCRATCH/many"; }
expect files-many-readers 0 '    100 5' equal_many
modes() { stat -c '%a %F' "$served/level" "$served/set" "$served/deep"; }
expect files-modes 0 '400 regular empty file
222 fifo
755 directory' serving_files modes
expect files-failed-handler 0 '0
ERROR: refused near' serving_files bash -c 'wc -c <"$0/fails"' "$home/$module"
# A second process has another directory; files of a process that was killed are replaced by the next one.
second() {
	local server
	user -m "$module" -e 'probe procfs("x").read { $value = "second" } probe timer.s(3) { exit() }' &
	server=$!
	until cat "$home/${module}_"*/x 2>/dev/null; do sleep 0.1; done
	wait $server
}
expect files-second 0 second serving_files second
killed() {
	serving_files pkill -KILL -f "$module.*-n $module" >/dev/null 2>&1
	[ -e "$served/level" ] || echo "was removed"
	serving_files values
}
expect files-after-kill 0 '5
160400' killed
# Other tests may use $home at the same time, so these have a /var/tmp of their own.
in_own_directory() { # SHELL-COMMANDS, which run stap as "$0" --runtime=user "$@"
	unshare -m sh -c "mount -t tmpfs none /var/tmp; $1" "$STAP" --runtime=user -m "$module" "$SCRATCH/files.stp"
}
if unshare -m true 2>"$SCRATCH/err"; then
	# a directory that another user may change
	expect files-of-another 1 "ERROR: cannot make $home: it belongs to another user, or others can write to it" \
		in_own_directory "mkdir $home && chmod 777 $home && "'"$0" "$@" 2>&1'
	expect files-linked 0 "ERROR: cannot make $home: " \
		in_own_directory "mkdir /var/tmp/foreign && ln -s foreign $home && "'! "$0" "$@" 2>&1 && rmdir /var/tmp/foreign'
else
	skip options/files-of-another "unshare -m: $(<"$SCRATCH/err")"
fi
rm -f "${module:?}"
