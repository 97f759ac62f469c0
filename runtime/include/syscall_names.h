/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of system calls by number, for syscall_name() and syscall_num(): X(number, name). The numbers are those of
 * translator/probes/syscalls.def; live/syscall-any compares. Included by tapsets/syscall_name.stp and runtime/bpf/.
 */
#ifndef SYSCALL_NAMES_H
#define SYSCALL_NAMES_H

#define SYSCALL_NAMES_X86_64(X) \
	X(0, "read") X(1, "write") X(2, "open") X(3, "close") X(4, "stat") X(5, "fstat") X(6, "lstat") \
	X(7, "poll") X(8, "lseek") X(9, "mmap") X(10, "mprotect") X(11, "munmap") X(12, "brk") \
	X(13, "rt_sigaction") X(14, "rt_sigprocmask") X(15, "rt_sigreturn") X(16, "ioctl") X(17, "pread64") \
	X(18, "pwrite64") X(19, "readv") X(20, "writev") X(21, "access") X(22, "pipe") X(23, "select") \
	X(24, "sched_yield") X(25, "mremap") X(26, "msync") X(27, "mincore") X(28, "madvise") \
	X(29, "shmget") X(30, "shmat") X(31, "shmctl") X(32, "dup") X(33, "dup2") X(34, "pause") \
	X(35, "nanosleep") X(36, "getitimer") X(37, "alarm") X(38, "setitimer") X(39, "getpid") \
	X(40, "sendfile") X(41, "socket") X(42, "connect") X(43, "accept") X(44, "sendto") \
	X(45, "recvfrom") X(46, "sendmsg") X(47, "recvmsg") X(48, "shutdown") X(49, "bind") X(50, "listen") \
	X(51, "getsockname") X(52, "getpeername") X(53, "socketpair") X(54, "setsockopt") \
	X(55, "getsockopt") X(56, "clone") X(57, "fork") X(58, "vfork") X(59, "execve") X(60, "exit") \
	X(61, "wait4") X(62, "kill") X(63, "uname") X(64, "semget") X(65, "semop") X(66, "semctl") \
	X(67, "shmdt") X(68, "msgget") X(69, "msgsnd") X(70, "msgrcv") X(71, "msgctl") X(72, "fcntl") \
	X(73, "flock") X(74, "fsync") X(75, "fdatasync") X(76, "truncate") X(77, "ftruncate") \
	X(78, "getdents") X(79, "getcwd") X(80, "chdir") X(81, "fchdir") X(82, "rename") X(83, "mkdir") \
	X(84, "rmdir") X(85, "creat") X(86, "link") X(87, "unlink") X(88, "symlink") X(89, "readlink") \
	X(90, "chmod") X(91, "fchmod") X(92, "chown") X(93, "fchown") X(94, "lchown") X(95, "umask") \
	X(96, "gettimeofday") X(97, "getrlimit") X(98, "getrusage") X(99, "sysinfo") X(100, "times") \
	X(101, "ptrace") X(102, "getuid") X(103, "syslog") X(104, "getgid") X(105, "setuid") \
	X(106, "setgid") X(107, "geteuid") X(108, "getegid") X(109, "setpgid") X(110, "getppid") \
	X(111, "getpgrp") X(112, "setsid") X(113, "setreuid") X(114, "setregid") X(115, "getgroups") \
	X(116, "setgroups") X(117, "setresuid") X(118, "getresuid") X(119, "setresgid") X(120, "getresgid") \
	X(121, "getpgid") X(122, "setfsuid") X(123, "setfsgid") X(124, "getsid") X(125, "capget") \
	X(126, "capset") X(127, "rt_sigpending") X(128, "rt_sigtimedwait") X(129, "rt_sigqueueinfo") \
	X(130, "rt_sigsuspend") X(131, "sigaltstack") X(132, "utime") X(133, "mknod") X(134, "uselib") \
	X(135, "personality") X(136, "ustat") X(137, "statfs") X(138, "fstatfs") X(139, "sysfs") \
	X(140, "getpriority") X(141, "setpriority") X(142, "sched_setparam") X(143, "sched_getparam") \
	X(144, "sched_setscheduler") X(145, "sched_getscheduler") X(146, "sched_get_priority_max") \
	X(147, "sched_get_priority_min") X(148, "sched_rr_get_interval") X(149, "mlock") X(150, "munlock") \
	X(151, "mlockall") X(152, "munlockall") X(153, "vhangup") X(154, "modify_ldt") X(155, "pivot_root") \
	X(156, "_sysctl") X(157, "prctl") X(158, "arch_prctl") X(159, "adjtimex") X(160, "setrlimit") \
	X(161, "chroot") X(162, "sync") X(163, "acct") X(164, "settimeofday") X(165, "mount") \
	X(166, "umount2") X(167, "swapon") X(168, "swapoff") X(169, "reboot") X(170, "sethostname") \
	X(171, "setdomainname") X(172, "iopl") X(173, "ioperm") X(174, "create_module") \
	X(175, "init_module") X(176, "delete_module") X(177, "get_kernel_syms") X(178, "query_module") \
	X(179, "quotactl") X(180, "nfsservctl") X(181, "getpmsg") X(182, "putpmsg") X(183, "afs_syscall") \
	X(184, "tuxcall") X(185, "security") X(186, "gettid") X(187, "readahead") X(188, "setxattr") \
	X(189, "lsetxattr") X(190, "fsetxattr") X(191, "getxattr") X(192, "lgetxattr") X(193, "fgetxattr") \
	X(194, "listxattr") X(195, "llistxattr") X(196, "flistxattr") X(197, "removexattr") \
	X(198, "lremovexattr") X(199, "fremovexattr") X(200, "tkill") X(201, "time") X(202, "futex") \
	X(203, "sched_setaffinity") X(204, "sched_getaffinity") X(205, "set_thread_area") \
	X(206, "io_setup") X(207, "io_destroy") X(208, "io_getevents") X(209, "io_submit") \
	X(210, "io_cancel") X(211, "get_thread_area") X(212, "lookup_dcookie") X(213, "epoll_create") \
	X(214, "epoll_ctl_old") X(215, "epoll_wait_old") X(216, "remap_file_pages") X(217, "getdents64") \
	X(218, "set_tid_address") X(219, "restart_syscall") X(220, "semtimedop") X(221, "fadvise64") \
	X(222, "timer_create") X(223, "timer_settime") X(224, "timer_gettime") X(225, "timer_getoverrun") \
	X(226, "timer_delete") X(227, "clock_settime") X(228, "clock_gettime") X(229, "clock_getres") \
	X(230, "clock_nanosleep") X(231, "exit_group") X(232, "epoll_wait") X(233, "epoll_ctl") \
	X(234, "tgkill") X(235, "utimes") X(236, "vserver") X(237, "mbind") X(238, "set_mempolicy") \
	X(239, "get_mempolicy") X(240, "mq_open") X(241, "mq_unlink") X(242, "mq_timedsend") \
	X(243, "mq_timedreceive") X(244, "mq_notify") X(245, "mq_getsetattr") X(246, "kexec_load") \
	X(247, "waitid") X(248, "add_key") X(249, "request_key") X(250, "keyctl") X(251, "ioprio_set") \
	X(252, "ioprio_get") X(253, "inotify_init") X(254, "inotify_add_watch") X(255, "inotify_rm_watch") \
	X(256, "migrate_pages") X(257, "openat") X(258, "mkdirat") X(259, "mknodat") X(260, "fchownat") \
	X(261, "futimesat") X(262, "newfstatat") X(263, "unlinkat") X(264, "renameat") X(265, "linkat") \
	X(266, "symlinkat") X(267, "readlinkat") X(268, "fchmodat") X(269, "faccessat") X(270, "pselect6") \
	X(271, "ppoll") X(272, "unshare") X(273, "set_robust_list") X(274, "get_robust_list") \
	X(275, "splice") X(276, "tee") X(277, "sync_file_range") X(278, "vmsplice") X(279, "move_pages") \
	X(280, "utimensat") X(281, "epoll_pwait") X(282, "signalfd") X(283, "timerfd_create") \
	X(284, "eventfd") X(285, "fallocate") X(286, "timerfd_settime") X(287, "timerfd_gettime") \
	X(288, "accept4") X(289, "signalfd4") X(290, "eventfd2") X(291, "epoll_create1") X(292, "dup3") \
	X(293, "pipe2") X(294, "inotify_init1") X(295, "preadv") X(296, "pwritev") \
	X(297, "rt_tgsigqueueinfo") X(298, "perf_event_open") X(299, "recvmmsg") X(300, "fanotify_init") \
	X(301, "fanotify_mark") X(302, "prlimit64") X(303, "name_to_handle_at") X(304, "open_by_handle_at") \
	X(305, "clock_adjtime") X(306, "syncfs") X(307, "sendmmsg") X(308, "setns") X(309, "getcpu") \
	X(310, "process_vm_readv") X(311, "process_vm_writev") X(312, "kcmp") X(313, "finit_module") \
	X(314, "sched_setattr") X(315, "sched_getattr") X(316, "renameat2") X(317, "seccomp") \
	X(318, "getrandom") X(319, "memfd_create") X(320, "kexec_file_load") X(321, "bpf") \
	X(322, "execveat") X(323, "userfaultfd") X(324, "membarrier") X(325, "mlock2") \
	X(326, "copy_file_range") X(327, "preadv2") X(328, "pwritev2") X(329, "pkey_mprotect") \
	X(330, "pkey_alloc") X(331, "pkey_free") X(332, "statx") X(333, "io_pgetevents") X(334, "rseq") \
	X(335, "uretprobe") X(336, "uprobe") X(424, "pidfd_send_signal") X(425, "io_uring_setup") \
	X(426, "io_uring_enter") X(427, "io_uring_register") X(428, "open_tree") X(429, "move_mount") \
	X(430, "fsopen") X(431, "fsconfig") X(432, "fsmount") X(433, "fspick") X(434, "pidfd_open") \
	X(435, "clone3") X(436, "close_range") X(437, "openat2") X(438, "pidfd_getfd") X(439, "faccessat2") \
	X(440, "process_madvise") X(441, "epoll_pwait2") X(442, "mount_setattr") X(443, "quotactl_fd") \
	X(444, "landlock_create_ruleset") X(445, "landlock_add_rule") X(446, "landlock_restrict_self") \
	X(447, "memfd_secret") X(448, "process_mrelease") X(449, "futex_waitv") \
	X(450, "set_mempolicy_home_node") X(451, "cachestat") X(452, "fchmodat2") \
	X(453, "map_shadow_stack") X(454, "futex_wake") X(455, "futex_wait") X(456, "futex_requeue") \
	X(457, "statmount") X(458, "listmount") X(459, "lsm_get_self_attr") X(460, "lsm_set_self_attr") \
	X(461, "lsm_list_modules") X(462, "mseal") X(463, "setxattrat") X(464, "getxattrat") \
	X(465, "listxattrat") X(466, "removexattrat") X(467, "open_tree_attr") X(468, "file_getattr") \
	X(469, "file_setattr")

#define SYSCALL_NAMES_I386(X) \
	X(0, "restart_syscall") X(1, "exit") X(2, "fork") X(3, "read") X(4, "write") X(5, "open") \
	X(6, "close") X(7, "waitpid") X(8, "creat") X(9, "link") X(10, "unlink") X(11, "execve") \
	X(12, "chdir") X(13, "time") X(14, "mknod") X(15, "chmod") X(16, "lchown") X(17, "break") \
	X(18, "stat") X(19, "lseek") X(20, "getpid") X(21, "mount") X(22, "umount") X(23, "setuid") \
	X(24, "getuid") X(25, "stime") X(26, "ptrace") X(27, "alarm") X(28, "fstat") X(29, "pause") \
	X(30, "utime") X(31, "stty") X(32, "gtty") X(33, "access") X(34, "nice") X(35, "ftime") \
	X(36, "sync") X(37, "kill") X(38, "rename") X(39, "mkdir") X(40, "rmdir") X(41, "dup") \
	X(42, "pipe") X(43, "times") X(44, "prof") X(45, "brk") X(46, "setgid") X(47, "getgid") \
	X(48, "signal") X(49, "geteuid") X(50, "getegid") X(51, "acct") X(52, "umount2") X(53, "lock") \
	X(54, "ioctl") X(55, "fcntl") X(56, "mpx") X(57, "setpgid") X(58, "ulimit") X(59, "uname") \
	X(60, "umask") X(61, "chroot") X(62, "ustat") X(63, "dup2") X(64, "getppid") X(65, "getpgrp") \
	X(66, "setsid") X(67, "sigaction") X(68, "sgetmask") X(69, "ssetmask") X(70, "setreuid") \
	X(71, "setregid") X(72, "sigsuspend") X(73, "sigpending") X(74, "sethostname") X(75, "setrlimit") \
	X(76, "getrlimit") X(77, "getrusage") X(78, "gettimeofday") X(79, "settimeofday") \
	X(80, "getgroups") X(81, "setgroups") X(82, "select") X(83, "symlink") X(84, "lstat") \
	X(85, "readlink") X(86, "uselib") X(87, "swapon") X(88, "reboot") X(89, "readdir") X(90, "mmap") \
	X(91, "munmap") X(92, "truncate") X(93, "ftruncate") X(94, "fchmod") X(95, "fchown") \
	X(96, "getpriority") X(97, "setpriority") X(98, "profil") X(99, "statfs") X(100, "fstatfs") \
	X(101, "ioperm") X(102, "socketcall") X(103, "syslog") X(104, "setitimer") X(105, "getitimer") \
	X(106, "stat") X(107, "lstat") X(108, "fstat") X(109, "uname") X(110, "iopl") X(111, "vhangup") \
	X(112, "idle") X(113, "vm86old") X(114, "wait4") X(115, "swapoff") X(116, "sysinfo") X(117, "ipc") \
	X(118, "fsync") X(119, "sigreturn") X(120, "clone") X(121, "setdomainname") X(122, "uname") \
	X(123, "modify_ldt") X(124, "adjtimex") X(125, "mprotect") X(126, "sigprocmask") \
	X(127, "create_module") X(128, "init_module") X(129, "delete_module") X(130, "get_kernel_syms") \
	X(131, "quotactl") X(132, "getpgid") X(133, "fchdir") X(134, "bdflush") X(135, "sysfs") \
	X(136, "personality") X(137, "afs_syscall") X(138, "setfsuid") X(139, "setfsgid") X(140, "llseek") \
	X(141, "getdents") X(142, "select") X(143, "flock") X(144, "msync") X(145, "readv") \
	X(146, "writev") X(147, "getsid") X(148, "fdatasync") X(149, "_sysctl") X(150, "mlock") \
	X(151, "munlock") X(152, "mlockall") X(153, "munlockall") X(154, "sched_setparam") \
	X(155, "sched_getparam") X(156, "sched_setscheduler") X(157, "sched_getscheduler") \
	X(158, "sched_yield") X(159, "sched_get_priority_max") X(160, "sched_get_priority_min") \
	X(161, "sched_rr_get_interval") X(162, "nanosleep") X(163, "mremap") X(164, "setresuid") \
	X(165, "getresuid") X(166, "vm86") X(167, "query_module") X(168, "poll") X(169, "nfsservctl") \
	X(170, "setresgid") X(171, "getresgid") X(172, "prctl") X(173, "rt_sigreturn") \
	X(174, "rt_sigaction") X(175, "rt_sigprocmask") X(176, "rt_sigpending") X(177, "rt_sigtimedwait") \
	X(178, "rt_sigqueueinfo") X(179, "rt_sigsuspend") X(180, "pread64") X(181, "pwrite64") \
	X(182, "chown") X(183, "getcwd") X(184, "capget") X(185, "capset") X(186, "sigaltstack") \
	X(187, "sendfile") X(188, "getpmsg") X(189, "putpmsg") X(190, "vfork") X(191, "getrlimit") \
	X(192, "mmap2") X(193, "truncate64") X(194, "ftruncate64") X(195, "stat") X(196, "lstat") \
	X(197, "fstat") X(198, "lchown") X(199, "getuid") X(200, "getgid") X(201, "geteuid") \
	X(202, "getegid") X(203, "setreuid") X(204, "setregid") X(205, "getgroups") X(206, "setgroups") \
	X(207, "fchown") X(208, "setresuid") X(209, "getresuid") X(210, "setresgid") X(211, "getresgid") \
	X(212, "chown") X(213, "setuid") X(214, "setgid") X(215, "setfsuid") X(216, "setfsgid") \
	X(217, "pivot_root") X(218, "mincore") X(219, "madvise") X(220, "getdents64") X(221, "fcntl") \
	X(224, "gettid") X(225, "readahead") X(226, "setxattr") X(227, "lsetxattr") X(228, "fsetxattr") \
	X(229, "getxattr") X(230, "lgetxattr") X(231, "fgetxattr") X(232, "listxattr") X(233, "llistxattr") \
	X(234, "flistxattr") X(235, "removexattr") X(236, "lremovexattr") X(237, "fremovexattr") \
	X(238, "tkill") X(239, "sendfile") X(240, "futex") X(241, "sched_setaffinity") \
	X(242, "sched_getaffinity") X(243, "set_thread_area") X(244, "get_thread_area") X(245, "io_setup") \
	X(246, "io_destroy") X(247, "io_getevents") X(248, "io_submit") X(249, "io_cancel") \
	X(250, "fadvise64") X(252, "exit_group") X(253, "lookup_dcookie") X(254, "epoll_create") \
	X(255, "epoll_ctl") X(256, "epoll_wait") X(257, "remap_file_pages") X(258, "set_tid_address") \
	X(259, "timer_create") X(260, "timer_settime") X(261, "timer_gettime") X(262, "timer_getoverrun") \
	X(263, "timer_delete") X(264, "clock_settime") X(265, "clock_gettime") X(266, "clock_getres") \
	X(267, "clock_nanosleep") X(268, "statfs64") X(269, "fstatfs64") X(270, "tgkill") X(271, "utimes") \
	X(272, "fadvise64_64") X(273, "vserver") X(274, "mbind") X(275, "get_mempolicy") \
	X(276, "set_mempolicy") X(277, "mq_open") X(278, "mq_unlink") X(279, "mq_timedsend") \
	X(280, "mq_timedreceive") X(281, "mq_notify") X(282, "mq_getsetattr") X(283, "kexec_load") \
	X(284, "waitid") X(286, "add_key") X(287, "request_key") X(288, "keyctl") X(289, "ioprio_set") \
	X(290, "ioprio_get") X(291, "inotify_init") X(292, "inotify_add_watch") X(293, "inotify_rm_watch") \
	X(294, "migrate_pages") X(295, "openat") X(296, "mkdirat") X(297, "mknodat") X(298, "fchownat") \
	X(299, "futimesat") X(300, "newfstatat") X(301, "unlinkat") X(302, "renameat") X(303, "linkat") \
	X(304, "symlinkat") X(305, "readlinkat") X(306, "fchmodat") X(307, "faccessat") X(308, "pselect6") \
	X(309, "ppoll") X(310, "unshare") X(311, "set_robust_list") X(312, "get_robust_list") \
	X(313, "splice") X(314, "sync_file_range") X(315, "tee") X(316, "vmsplice") X(317, "move_pages") \
	X(318, "getcpu") X(319, "epoll_pwait") X(320, "utimensat") X(321, "signalfd") \
	X(322, "timerfd_create") X(323, "eventfd") X(324, "fallocate") X(325, "timerfd_settime") \
	X(326, "timerfd_gettime") X(327, "signalfd4") X(328, "eventfd2") X(329, "epoll_create1") \
	X(330, "dup3") X(331, "pipe2") X(332, "inotify_init1") X(333, "preadv") X(334, "pwritev") \
	X(335, "rt_tgsigqueueinfo") X(336, "perf_event_open") X(337, "recvmmsg") X(338, "fanotify_init") \
	X(339, "fanotify_mark") X(340, "prlimit64") X(341, "name_to_handle_at") X(342, "open_by_handle_at") \
	X(343, "clock_adjtime") X(344, "syncfs") X(345, "sendmmsg") X(346, "setns") \
	X(347, "process_vm_readv") X(348, "process_vm_writev") X(349, "kcmp") X(350, "finit_module") \
	X(351, "sched_setattr") X(352, "sched_getattr") X(353, "renameat2") X(354, "seccomp") \
	X(355, "getrandom") X(356, "memfd_create") X(357, "bpf") X(358, "execveat") X(359, "socket") \
	X(360, "socketpair") X(361, "bind") X(362, "connect") X(363, "listen") X(364, "accept4") \
	X(365, "getsockopt") X(366, "setsockopt") X(367, "getsockname") X(368, "getpeername") \
	X(369, "sendto") X(370, "sendmsg") X(371, "recvfrom") X(372, "recvmsg") X(373, "shutdown") \
	X(374, "userfaultfd") X(375, "membarrier") X(376, "mlock2") X(377, "copy_file_range") \
	X(378, "preadv2") X(379, "pwritev2") X(380, "pkey_mprotect") X(381, "pkey_alloc") \
	X(382, "pkey_free") X(383, "statx") X(384, "arch_prctl") X(385, "io_pgetevents") X(386, "rseq") \
	X(393, "semget") X(394, "semctl") X(395, "shmget") X(396, "shmctl") X(397, "shmat") X(398, "shmdt") \
	X(399, "msgget") X(400, "msgsnd") X(401, "msgrcv") X(402, "msgctl") X(403, "clock_gettime") \
	X(404, "clock_settime64") X(405, "clock_adjtime") X(406, "clock_getres") \
	X(407, "clock_nanosleep_time64") X(408, "timer_gettime") X(409, "timer_settime64") \
	X(410, "timerfd_gettime") X(411, "timerfd_settime64") X(412, "utimensat_time64") \
	X(413, "pselect6_time64") X(414, "ppoll_time64") X(416, "io_pgetevents") X(417, "recvmmsg_time64") \
	X(418, "mq_timedsend") X(419, "mq_timedreceive") X(420, "semtimedop_time64") \
	X(421, "rt_sigtimedwait_time64") X(422, "futex_time64") X(423, "sched_rr_get_interval") \
	X(424, "pidfd_send_signal") X(425, "io_uring_setup") X(426, "io_uring_enter") \
	X(427, "io_uring_register") X(428, "open_tree") X(429, "move_mount") X(430, "fsopen") \
	X(431, "fsconfig") X(432, "fsmount") X(433, "fspick") X(434, "pidfd_open") X(435, "clone3") \
	X(436, "close_range") X(437, "openat2") X(438, "pidfd_getfd") X(439, "faccessat2") \
	X(440, "process_madvise") X(441, "epoll_pwait2") X(442, "mount_setattr") X(443, "quotactl_fd") \
	X(444, "landlock_create_ruleset") X(445, "landlock_add_rule") X(446, "landlock_restrict_self") \
	X(447, "memfd_secret") X(448, "process_mrelease") X(449, "futex_waitv") \
	X(450, "set_mempolicy_home_node") X(451, "cachestat") X(452, "fchmodat2") \
	X(453, "map_shadow_stack") X(454, "futex_wake") X(455, "futex_wait") X(456, "futex_requeue") \
	X(457, "statmount") X(458, "listmount") X(459, "lsm_get_self_attr") X(460, "lsm_set_self_attr") \
	X(461, "lsm_list_modules") X(462, "mseal") X(463, "setxattrat") X(464, "getxattrat") \
	X(465, "listxattrat") X(466, "removexattrat") X(467, "open_tree_attr") X(468, "file_getattr") \
	X(469, "file_setattr")

#define SYSCALL_NAMES_ARM64(X) \
	X(0, "io_setup") X(1, "io_destroy") X(2, "io_submit") X(3, "io_cancel") X(4, "io_getevents") \
	X(5, "setxattr") X(6, "lsetxattr") X(7, "fsetxattr") X(8, "getxattr") X(9, "lgetxattr") \
	X(10, "fgetxattr") X(11, "listxattr") X(12, "llistxattr") X(13, "flistxattr") X(14, "removexattr") \
	X(15, "lremovexattr") X(16, "fremovexattr") X(17, "getcwd") X(18, "lookup_dcookie") \
	X(19, "eventfd2") X(20, "epoll_create1") X(21, "epoll_ctl") X(22, "epoll_pwait") X(23, "dup") \
	X(24, "dup3") X(25, "fcntl") X(26, "inotify_init1") X(27, "inotify_add_watch") \
	X(28, "inotify_rm_watch") X(29, "ioctl") X(30, "ioprio_set") X(31, "ioprio_get") X(32, "flock") \
	X(33, "mknodat") X(34, "mkdirat") X(35, "unlinkat") X(36, "symlinkat") X(37, "linkat") \
	X(38, "renameat") X(39, "umount2") X(40, "mount") X(41, "pivot_root") X(42, "nfsservctl") \
	X(43, "statfs") X(44, "fstatfs") X(45, "truncate") X(46, "ftruncate") X(47, "fallocate") \
	X(48, "faccessat") X(49, "chdir") X(50, "fchdir") X(51, "chroot") X(52, "fchmod") X(53, "fchmodat") \
	X(54, "fchownat") X(55, "fchown") X(56, "openat") X(57, "close") X(58, "vhangup") X(59, "pipe2") \
	X(60, "quotactl") X(61, "getdents64") X(62, "lseek") X(63, "read") X(64, "write") X(65, "readv") \
	X(66, "writev") X(67, "pread64") X(68, "pwrite64") X(69, "preadv") X(70, "pwritev") \
	X(71, "sendfile") X(72, "pselect6") X(73, "ppoll") X(74, "signalfd4") X(75, "vmsplice") \
	X(76, "splice") X(77, "tee") X(78, "readlinkat") X(79, "newfstatat") X(80, "fstat") X(81, "sync") \
	X(82, "fsync") X(83, "fdatasync") X(84, "sync_file_range") X(85, "timerfd_create") \
	X(86, "timerfd_settime") X(87, "timerfd_gettime") X(88, "utimensat") X(89, "acct") X(90, "capget") \
	X(91, "capset") X(92, "personality") X(93, "exit") X(94, "exit_group") X(95, "waitid") \
	X(96, "set_tid_address") X(97, "unshare") X(98, "futex") X(99, "set_robust_list") \
	X(100, "get_robust_list") X(101, "nanosleep") X(102, "getitimer") X(103, "setitimer") \
	X(104, "kexec_load") X(105, "init_module") X(106, "delete_module") X(107, "timer_create") \
	X(108, "timer_gettime") X(109, "timer_getoverrun") X(110, "timer_settime") X(111, "timer_delete") \
	X(112, "clock_settime") X(113, "clock_gettime") X(114, "clock_getres") X(115, "clock_nanosleep") \
	X(116, "syslog") X(117, "ptrace") X(118, "sched_setparam") X(119, "sched_setscheduler") \
	X(120, "sched_getscheduler") X(121, "sched_getparam") X(122, "sched_setaffinity") \
	X(123, "sched_getaffinity") X(124, "sched_yield") X(125, "sched_get_priority_max") \
	X(126, "sched_get_priority_min") X(127, "sched_rr_get_interval") X(128, "restart_syscall") \
	X(129, "kill") X(130, "tkill") X(131, "tgkill") X(132, "sigaltstack") X(133, "rt_sigsuspend") \
	X(134, "rt_sigaction") X(135, "rt_sigprocmask") X(136, "rt_sigpending") X(137, "rt_sigtimedwait") \
	X(138, "rt_sigqueueinfo") X(139, "rt_sigreturn") X(140, "setpriority") X(141, "getpriority") \
	X(142, "reboot") X(143, "setregid") X(144, "setgid") X(145, "setreuid") X(146, "setuid") \
	X(147, "setresuid") X(148, "getresuid") X(149, "setresgid") X(150, "getresgid") X(151, "setfsuid") \
	X(152, "setfsgid") X(153, "times") X(154, "setpgid") X(155, "getpgid") X(156, "getsid") \
	X(157, "setsid") X(158, "getgroups") X(159, "setgroups") X(160, "uname") X(161, "sethostname") \
	X(162, "setdomainname") X(163, "getrlimit") X(164, "setrlimit") X(165, "getrusage") X(166, "umask") \
	X(167, "prctl") X(168, "getcpu") X(169, "gettimeofday") X(170, "settimeofday") X(171, "adjtimex") \
	X(172, "getpid") X(173, "getppid") X(174, "getuid") X(175, "geteuid") X(176, "getgid") \
	X(177, "getegid") X(178, "gettid") X(179, "sysinfo") X(180, "mq_open") X(181, "mq_unlink") \
	X(182, "mq_timedsend") X(183, "mq_timedreceive") X(184, "mq_notify") X(185, "mq_getsetattr") \
	X(186, "msgget") X(187, "msgctl") X(188, "msgrcv") X(189, "msgsnd") X(190, "semget") \
	X(191, "semctl") X(192, "semtimedop") X(193, "semop") X(194, "shmget") X(195, "shmctl") \
	X(196, "shmat") X(197, "shmdt") X(198, "socket") X(199, "socketpair") X(200, "bind") \
	X(201, "listen") X(202, "accept") X(203, "connect") X(204, "getsockname") X(205, "getpeername") \
	X(206, "sendto") X(207, "recvfrom") X(208, "setsockopt") X(209, "getsockopt") X(210, "shutdown") \
	X(211, "sendmsg") X(212, "recvmsg") X(213, "readahead") X(214, "brk") X(215, "munmap") \
	X(216, "mremap") X(217, "add_key") X(218, "request_key") X(219, "keyctl") X(220, "clone") \
	X(221, "execve") X(222, "mmap") X(223, "fadvise64") X(224, "swapon") X(225, "swapoff") \
	X(226, "mprotect") X(227, "msync") X(228, "mlock") X(229, "munlock") X(230, "mlockall") \
	X(231, "munlockall") X(232, "mincore") X(233, "madvise") X(234, "remap_file_pages") X(235, "mbind") \
	X(236, "get_mempolicy") X(237, "set_mempolicy") X(238, "migrate_pages") X(239, "move_pages") \
	X(240, "rt_tgsigqueueinfo") X(241, "perf_event_open") X(242, "accept4") X(243, "recvmmsg") \
	X(260, "wait4") X(261, "prlimit64") X(262, "fanotify_init") X(263, "fanotify_mark") \
	X(264, "name_to_handle_at") X(265, "open_by_handle_at") X(266, "clock_adjtime") X(267, "syncfs") \
	X(268, "setns") X(269, "sendmmsg") X(270, "process_vm_readv") X(271, "process_vm_writev") \
	X(272, "kcmp") X(273, "finit_module") X(274, "sched_setattr") X(275, "sched_getattr") \
	X(276, "renameat2") X(277, "seccomp") X(278, "getrandom") X(279, "memfd_create") X(280, "bpf") \
	X(281, "execveat") X(282, "userfaultfd") X(283, "membarrier") X(284, "mlock2") \
	X(285, "copy_file_range") X(286, "preadv2") X(287, "pwritev2") X(288, "pkey_mprotect") \
	X(289, "pkey_alloc") X(290, "pkey_free") X(291, "statx") X(292, "io_pgetevents") X(293, "rseq") \
	X(294, "kexec_file_load") X(424, "pidfd_send_signal") X(425, "io_uring_setup") \
	X(426, "io_uring_enter") X(427, "io_uring_register") X(428, "open_tree") X(429, "move_mount") \
	X(430, "fsopen") X(431, "fsconfig") X(432, "fsmount") X(433, "fspick") X(434, "pidfd_open") \
	X(435, "clone3") X(436, "close_range") X(437, "openat2") X(438, "pidfd_getfd") X(439, "faccessat2") \
	X(440, "process_madvise") X(441, "epoll_pwait2") X(442, "mount_setattr") X(443, "quotactl_fd") \
	X(444, "landlock_create_ruleset") X(445, "landlock_add_rule") X(446, "landlock_restrict_self") \
	X(447, "memfd_secret") X(448, "process_mrelease") X(449, "futex_waitv") \
	X(450, "set_mempolicy_home_node") X(451, "cachestat") X(452, "fchmodat2") \
	X(453, "map_shadow_stack") X(454, "futex_wake") X(455, "futex_wait") X(456, "futex_requeue") \
	X(457, "statmount") X(458, "listmount") X(459, "lsm_get_self_attr") X(460, "lsm_set_self_attr") \
	X(461, "lsm_list_modules") X(462, "mseal") X(463, "setxattrat") X(464, "getxattrat") \
	X(465, "listxattrat") X(466, "removexattrat") X(467, "open_tree_attr") X(468, "file_getattr") \
	X(469, "file_setattr")

#endif
