# SPDX-License-Identifier: GPL-2.0-or-later
# --hosts: files of hosts and inventories, checked by the arguments of ssh; lines that are rejected. (Read by
# run.sh.)
hosts=$SCRATCH/hosts-files
mkdir -p "$hosts"
printf '# two hosts\none\nme@two:2222 # a port\n\n' >"$hosts/plain"
printf '; inventory\nlone\n[web]\nweb[08:10] ansible_user=me color=red\n[db]\ndb1 ansible_host=10.0.0.5 ansible_port=22 ansible_python_interpreter=/usr/bin/python3\n[all:vars]\ncolor=blue\n[both:children]\nweb\ndb\n' >"$hosts/inventory"
expect hosts-plain 0 '0:one 600
1:me@two:2222 600' bash -c "PATH='$SCRATCH/hosts':\$PATH FAKE_OLD='$kernel' FAKE_WAIT='$SCRATCH/wait' '$STAP' --hosts='$hosts/plain' -e '$begin' | grep -o '[0-9]*:[^ ]* 600' | sort"
expect hosts-inventory 0 '0:lone 600
1:me@web08 600
2:me@web09 600
3:me@web10 600
4:10.0.0.5:22 600' bash -c "PATH='$SCRATCH/hosts':\$PATH FAKE_OLD='$kernel' FAKE_WAIT='$SCRATCH/wait' '$STAP' --hosts='$hosts/inventory' -e '$begin' | grep -o '[0-9]*:[^ ]* 600' | sort"
# Prints the arguments of ssh for each host: port and destination.
reached() { # FILE OPTION...
	local file=$1
	shift
	mkdir -p "$hosts/bin"
	printf '#!/bin/sh\nwhile [ "$1" != -- ]; do words="$words$1 "; shift; done\necho "$words$2" >>"$REACHED"\necho "%s x86_64"\n' "$kernel" >"$hosts/bin/ssh"
	chmod +x "$hosts/bin/ssh"
	rm -f "$hosts/reached"
	REACHED=$hosts/reached PATH=$hosts/bin:$PATH "$STAP" --hosts="$file" "$@" -p1 -e "$begin" >"$hosts/out" 2>&1 || cat "$hosts/out"
	sort "$hosts/reached"
}
printf 'one\r\n\r\n  me@[2001:db8::1]:2222  # a port\r\n[fe80::2]\n2001:db8::3\nsix ansible_host=::1 ansible_port=24\none\n' >"$hosts/addresses"
expect hosts-addresses 0 '-p 2222 me@2001:db8::1
-p 24 ::1
2001:db8::3
fe80::2
one' reached "$hosts/addresses"
expect hosts-address-remote 1 '--remote="2001:db8::1" is not an IPv6 address in brackets, such as root@[2001:db8::1]:2222' "$STAP" --remote=2001:db8::1 -e "$begin"
expect hosts-address-bad 1 '--remote="[-oProxyCommand=x]" is not an IPv6 address' "$STAP" --remote='[-oProxyCommand=x]' -e "$begin"
# A host in several groups is one host, with the variables of all its lines.
printf '[web]\nweb[1:2]\n[backup]\nweb2 ansible_user=me\nweb1 ansible_host=10.0.0.9\nother ansible_host=10.0.0.9\n' >"$hosts/groups"
expect hosts-groups 0 '10.0.0.9
me@web2' reached "$hosts/groups"
cat >"$hosts/yaml" <<-'E2'
	# an inventory
	all:
	  vars:
	    servers: [a, b]
	    lists:
	    - hosts: none
	  children:
	    web:
	      hosts:
	        web[01:02]:
	        "web1.example":      # quoted
	          ansible_host: 192.0.2.50
	          ansible_port: "2222"
	          disks:
	            hosts:
	              - sda
	    db:
	      hosts:
	        web01:
	          ansible_user: admin
	        2001:db8::5:
E2
expect hosts-yaml 0 '2001:db8::5
admin@web01
ssh://192.0.2.50:2222
web02' reached "$hosts/yaml"
hostile_yaml() { # NAME MESSAGE LINE
	printf 'all:\n  hosts:\n    one:\n%b\n' "$3" >"$hosts/hostile"
	expect "hosts-yaml-$1" 1 "--hosts=$hosts/hostile, line ${4-4}: $2" "$STAP" --hosts="$hosts/hostile" -e "$begin"
}
hostile_yaml option 'invalid host name "-oProxyCommand=x"' '    -oProxyCommand=x:'
hostile_yaml option-in-variable 'invalid host name "-oProxyCommand=x"' '      ansible_host: -oProxyCommand=x'
hostile_yaml arguments 'the variable ansible_ssh_common_args is not supported' '      ansible_ssh_common_args: -oProxyCommand=x'
hostile_yaml flow '"two" has a value on its line' '    two: {ansible_port: 2}'
hostile_yaml group-user 'variables of groups are not supported' '  vars:\n    ansible_user: me' 5
hostile_yaml list '"- two" is not a key of an inventory in YAML' '  - two'
# Groups of ClusterShell.
if command -v nodeset >/dev/null; then
	mkdir -p "$hosts/cluster"
	printf '[Main]\ndefault: local\n[local]\nmap: [ "$GROUP" = web ] && echo "web[1-3]"\n' >"$hosts/cluster/groups.conf"
	expect hosts-cluster 0 'web1
web2
web3' env CLUSTERSHELL_CFGDIR="$hosts/cluster" bash -c "$(declare -f reached); STAP='$STAP' hosts='$hosts' kernel='$kernel' begin='$begin'; reached @web"
	# The gateways of the topology, each of a level with as many hosts; without a route from here, a warning.
	printf '[routes]\n%s: gw[1-2]\ngw[1-2]: inner\ninner: web[1-2]\n' "$(hostname -s)" >"$hosts/cluster/topology.conf"
	expect hosts-cluster-gateways 0 '-J gw1,inner web1
-J gw2,inner web2
web3' env CLUSTERSHELL_CFGDIR="$hosts/cluster" bash -c "$(declare -f reached); STAP='$STAP' hosts='$hosts' kernel='$kernel' begin='$begin'; reached @web"
	printf '[routes]\nadmin: web[1-2]\n' >"$hosts/cluster/topology.conf"
	expect hosts-cluster-no-route 0 "WARNING: --hosts=@web: ssh uses no gateways, since ClusterShell's topology cannot be used: $hosts/cluster/topology.conf: " env CLUSTERSHELL_CFGDIR="$hosts/cluster" bash -c "$(declare -f reached); STAP='$STAP' hosts='$hosts' kernel='$kernel' begin='$begin'; reached @web; cat $hosts/out"
	rm "$hosts/cluster/topology.conf"
	expect hosts-cluster-unknown 1 '--hosts=@none: nodeset of ClusterShell failed: ' env CLUSTERSHELL_CFGDIR="$hosts/cluster" "$STAP" --hosts=@none -e "$begin"
else
	skip options/hosts-cluster "package clustershell"
fi
expect hosts-cluster-missing 1 '--hosts=@web requires the program nodeset of the package clustershell; a file is --hosts=./@web' env PATH="$hosts/none" "$STAP" --hosts=@web -e "$begin"
hostile() { # NAME MESSAGE LINE: the line is rejected, with its location, and no program is started
	printf 'one\n%b\n' "$3" >"$hosts/hostile"
	expect "hosts-$1" 1 "--hosts=$hosts/hostile, line 2: $2" env PATH="$SCRATCH/hosts:$PATH" FAKE_OLD="$kernel" "$STAP" --hosts="$hosts/hostile" -e "$begin"
}
hostile option 'invalid host name "-oProxyCommand=touch"' '-oProxyCommand=touch'
hostile option-after-user 'invalid host name "-oProxyCommand=x"' 'me@-oProxyCommand=x'
hostile option-as-user 'invalid user name "-l"' '-l@two'
hostile option-in-variable 'invalid host name "-oProxyCommand=x"' 'two ansible_host=-oProxyCommand=x'
hostile option-in-user-variable 'invalid user name "-oX"' 'two ansible_user=-oX'
hostile two-on-a-line '"three" is not a variable NAME=VALUE; a line has one host' 'two three'
hostile option-on-a-line '"-v" is not a variable' 'two -v'
hostile command 'invalid host name "$(id)"' '$(id)'
hostile quote 'invalid host name "two;id"' 'two;id'
hostile arguments 'the variable ansible_ssh_common_args is not supported' 'two ansible_ssh_common_args=-oProxyCommand=x'
hostile connection 'the variable ansible_connection is not supported' 'two ansible_connection=local'
printf 'one\n[a:vars]\nansible_ssh_extra_args=-oProxyCommand=x\n' >"$hosts/vars"
expect hosts-group-arguments 1 'line 3: the variable ansible_ssh_extra_args is not supported' "$STAP" --hosts="$hosts/vars" -e "$begin"
printf 'one\n[a:vars]\nansible_user=me\n' >"$hosts/vars"
expect hosts-group-user 1 'line 3: variables of groups are not supported' "$STAP" --hosts="$hosts/vars" -e "$begin"
hostile port '"99999" is not a port from 1 to 65535' 'two:99999'
hostile escape 'invalid host name "two\033x"' 'two\033x'
hostile url 'invalid user name' 'ssh://-x@two'
hostile range '"web[1:999999999]" is not a range of at most 10000 hosts' 'web[1:999999999]'
hostile range-backwards '"web[9:1]" is not a range of at most' 'web[9:1]'
hostile group '"[web" is not a group such as [web]' '[web'
printf 'one\0two\n' >"$hosts/zero"
expect hosts-zero-byte 1 'is not a list of hosts: it has a zero byte' "$STAP" --hosts="$hosts/zero" -e "$begin"
printf '# nothing\n' >"$hosts/empty"
expect hosts-empty 1 'has no host' "$STAP" --hosts="$hosts/empty" -e "$begin"
# More hosts than open files are allowed by the soft limit, and by the hard one.
printf 'host%d\n' {1..60} >"$hosts/many"
expect hosts-open-files 0 60 bash -c "ulimit -Sn 70; PATH='$SCRATCH/hosts':\$PATH FAKE_OLD='$kernel' FAKE_WAIT='$SCRATCH/wait' '$STAP' --hosts='$hosts/many' -e '$begin' | grep -c ' 600'"
expect hosts-open-files-hard 1 '60 hosts require 248 open files, and the limit is 200; raise it (ulimit -n)' bash -c "ulimit -n 200; '$STAP' --hosts='$hosts/many' -e '$begin'"
expect hosts-missing 1 'cannot be read: No such file' "$STAP" --hosts="$hosts/missing" -e "$begin"
