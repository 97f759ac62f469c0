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
expect hosts-missing 1 'cannot be read: No such file' "$STAP" --hosts="$hosts/missing" -e "$begin"
