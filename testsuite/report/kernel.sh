# SPDX-License-Identifier: GPL-2.0-or-later
# Frames of the kernel and of its modules: files are found by the build ID that the session has. Sourced by run.sh, in its
# directory of output. The kernel is a program that has only the functions of these frames.

kernel_id=0123456789abcdef0123456789abcdef01234567
module_id=fedcba9876543210fedcba9876543210fedcba98
cat >kernel.c <<'EOT'
static inline __attribute__((always_inline)) void inlined_read(volatile int *n) { *n += 5; }
volatile int reads;
void vfs_read(void) { inlined_read(&reads); reads++; }
void sys_read(void) { vfs_read(); reads++; }
EOT
kernel_file() { # FILE BUILD-ID
	mkdir -p "$(dirname "$1")"
	gcc -g -O0 -nostdlib -static -Wl,-e,vfs_read -Wl,--build-id="0x$2" -o "$1" kernel.c
}
module_file() { # FILE BUILD-ID
	mkdir -p "$(dirname "$1")"
	gcc -g -O0 -c -o kernel.o kernel.c && ld -r --build-id="0x$2" -o "$1" kernel.o
}
# Writes a session of this stream version with a stack of these frames. Arguments: VERSION [MODULE=BUILD-ID[@HOST]...]
kernel_session() {
	PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here python3 - "$@" <<'EOT'
import struct, sys
from write_session import frame, number, signed, text
out = sys.stdout.buffer
out.write(frame(1, struct.pack('<II', 0x72716174, int(sys.argv[1])) + text('6.1.0-fake') + text('here')))
head = bytes([1]) + number(10 ** 9) + number(0) + number(0)
out.write(frame(2, head + bytes([8]) + number(0) + text('n') + text('') + bytes([1]) + number(1) + bytes([2]), 1))
stack = 'vfs_read+0x15/0x0 [kernel]\nsys_read+0x9/0x0 [fake_mod]\n'
hosts = set()
for argument in sys.argv[2:]:
    name, _, rest = argument.partition('=')
    build, _, host = rest.partition('@')
    hosts.add(host)
    payload = text(name) + number(0) + text(bytes.fromhex(build)) + signed(0)
    out.write(frame(9, payload + (text(host) if host else b'')))
for host in sorted(hosts - {''}):
    printed = ''.join(' 0xffffffff81000%03x : %s\n' % (i, line) for i, line in enumerate(stack.splitlines())).encode()
    out.write(frame(2, head + bytes([15]) + text(host) + bytes([3]) + struct.pack('<I', len(printed)) + printed, 2))
out.write(frame(2, head + bytes([10]) + number(0) + text(stack) + signed(7), 3) + frame(6, struct.pack('<iI', 0, 0)))
EOT
}
functions() { jq -c 'select(.type == "map") | .stacks["0"] | map(.function)' "$1"; }

kernel_file kernel.tree/boot/vmlinux-6.1.0-fake $kernel_id
module_file kernel.tree/lib/modules/6.1.0-fake/kernel/fake-mod.ko $module_id
kernel_session 9 kernel=$kernel_id fake_mod=$module_id >kernel.rec
"$STAP" report --sysroot=kernel.tree -f json kernel.rec >kernel.json 2>kernel.err
report report/kernel-by-build-id "$(functions kernel.json | diff - <(echo '["sys_read","vfs_read","inlined_read"]'); cat kernel.err
	jq -r 'select(.type == "map") | .stacks["0"][] | .build_id' kernel.json | uniq | paste -sd' ' | diff - <(echo "$module_id $kernel_id")
	jq -r 'select(.type == "map") | .stacks["0"][] | .line' kernel.json | paste -sd' ' | diff - <(echo 4 3 1))"

# The files of another build are not used. Separate debuginfo is found by its build ID, whatever the release is.
kernel_session 9 kernel=${kernel_id/0/f} fake_mod=${module_id/f/0} >kernel-other.rec
"$STAP" report --sysroot=kernel.tree -f json kernel-other.rec >kernel-other.json 2>kernel-other.err
report report/kernel-of-another-build "$(functions kernel-other.json | diff - <(echo '["sys_read","vfs_read"]')
	grep -q "WARNING: kernel.tree/boot/vmlinux-6.1.0-fake is another build than the one that ran: its build ID is $kernel_id, not ${kernel_id/0/f};" kernel-other.err &&
	grep -q "WARNING: fake_mod is another build than the one that ran: its build ID is $module_id, not ${module_id/f/0};" kernel-other.err || cat kernel-other.err)"
kernel_file kernel.ids/usr/lib/debug/.build-id/${kernel_id:0:2}/${kernel_id:2}.debug $kernel_id
module_file kernel.ids/usr/lib/debug/.build-id/${module_id:0:2}/${module_id:2}.debug $module_id
"$STAP" report --sysroot=kernel.ids -f json kernel.rec >kernel.json 2>kernel.err
report report/kernel-debuginfo "$(functions kernel.json | diff - <(echo '["sys_read","vfs_read","inlined_read"]'); cat kernel.err)"

# Without a build ID, in a session of an older version, the release is used, which is reported.
kernel_session 8 >kernel-old.rec
"$STAP" report --sysroot=kernel.tree -f json kernel-old.rec >kernel.json 2>kernel.err
report report/kernel-by-release "$(functions kernel.json | diff - <(echo '["sys_read","vfs_read","inlined_read"]')
	sed "s# $out/# #" kernel.err | sort | diff - <(for file in "kernel was not recorded, so that kernel.tree/boot/vmlinux-6.1.0-fake" \
		"module fake_mod was not recorded, so that kernel.tree/lib/modules/6.1.0-fake/kernel/fake-mod.ko"; do
		echo "WARNING: the build ID of the $file, which was found by the release of the kernel, may be another build"; done))"

# Sessions have the build ID of this kernel, if it publishes one.
this=$(python3 -c '
import struct
notes = open("/sys/kernel/notes", "rb").read()
while len(notes) > 12:
    name, size, kind = struct.unpack("<III", notes[:12])
    at = 12 + (name + 3 & ~3)
    if kind == 3 and notes[12:16] == b"GNU\0":
        print(notes[at:at + size].hex())
    notes = notes[at + (size + 3 & ~3):]' 2>/dev/null)
if [ "$this" ]; then
	stap_user --record -o kernel-here.rec -e 'global n probe begin { n["vfs_read+0x15/0x0 [kernel]\n"] = 2; exit() }'
	report report/kernel-is-recorded "$("$STAP" report -f json kernel-here.rec | jq -r 'select(.type == "map") | .stacks["0"][].build_id' | diff - <(echo "$this"))"
else
	skip report/kernel-is-recorded "/sys/kernel/notes"
fi

# The build ID of a module that is unloaded before the session ends, when the call stacks of its arrays are written.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	objcopy -O binary --only-section=.note.gnu.build-id kernel.tree/lib/modules/6.1.0-fake/kernel/fake-mod.ko fake_mod.notes
	export -f stap_user
	export STAP
	unshare -m bash -c 'mount -t tmpfs none /sys/module && mkdir -p /sys/module/fake_mod/notes && cp fake_mod.notes /sys/module/fake_mod/notes/.note.gnu.build-id &&
		stap_user --record -o kernel-unloaded.rec -c "rm -r /sys/module/fake_mod" -e "global n probe begin { n[\"sys_read+0x9/0x0 [fake_mod]\n\"] = 2 }"' >unloaded.out 2>&1
	report report/module-unloaded "$("$STAP" report -f json kernel-unloaded.rec | jq -r 'select(.type == "map") | .stacks["0"][].build_id' | diff - <(echo "$module_id")
		cat unloaded.out)"
else
	skip report/module-unloaded "root and unshare -m"
fi

# Hosts of --merge have builds of their own: each printed stack is of its host, and values of all hosts are of none.
kernel_session 9 kernel=$kernel_id@a kernel=${kernel_id/0/f}@b fake_mod=$module_id@a fake_mod=$module_id@b >kernel-hosts.rec
"$STAP" report --sysroot=kernel.ids -f json kernel-hosts.rec >kernel-hosts.json 2>kernel-hosts.err
report report/builds-of-hosts "$(jq -c 'select(.type == "print") | [.host, (.stack | map(.function, .build_id))]' kernel-hosts.json | diff - <(cat <<EOT
["a",["sys_read","$module_id","vfs_read","$kernel_id","inlined_read","$kernel_id"]]
["b",["sys_read","$module_id","vfs_read","${kernel_id/0/f}"]]
EOT
)
	jq -c 'select(.type == "map") | .stacks["0"] | map(.function, .build_id)' kernel-hosts.json | diff - <(echo "[\"sys_read\",\"$module_id\",\"vfs_read\",null]")
	[ "$(cat kernel-hosts.err)" = "WARNING: the hosts have different builds of kernel; in values to which several hosts may have added, its functions are not looked up" ] || cat kernel-hosts.err)"
