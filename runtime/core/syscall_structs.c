/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structures that arguments of system calls point to, formatted as strace does: {tv_sec=1, tv_nsec=0}. Each is a
 * table of fields with their offsets in a 64-bit and in a 32-bit process, as in the kernel's headers uapi/. Context
 * and errors as in syscall.c.
 */
#include "syscall_fields.h"

NAMED(sem, { 04000, "IPC_NOWAIT" }, { 0x1000, "SEM_UNDO" });
NAMED(adj, { 0x8001, "ADJ_OFFSET_SINGLESHOT" }, { 1, "ADJ_OFFSET" }, { 2, "ADJ_FREQUENCY" }, { 4, "ADJ_MAXERROR" },
      { 8, "ADJ_ESTERROR" }, { 0x10, "ADJ_STATUS" }, { 0x20, "ADJ_TIMECONST" }, { 0x80, "ADJ_TAI" },
      { 0x100, "ADJ_SETOFFSET" }, { 0x1000, "ADJ_MICRO" }, { 0x2000, "ADJ_NANO" }, { 0x4000, "ADJ_TICK" });
NAMED(sta, { 1, "STA_PLL" }, { 2, "STA_PPSFREQ" }, { 4, "STA_PPSTIME" }, { 8, "STA_FLL" }, { 0x10, "STA_INS" },
      { 0x20, "STA_DEL" }, { 0x40, "STA_UNSYNC" }, { 0x80, "STA_FREQHOLD" }, { 0x100, "STA_PPSSIGNAL" },
      { 0x200, "STA_PPSJITTER" }, { 0x400, "STA_PPSWANDER" }, { 0x800, "STA_PPSERROR" }, { 0x1000, "STA_CLOCKERR" },
      { 0x2000, "STA_NANO" }, { 0x4000, "STA_MODE" }, { 0x8000, "STA_CLK" });
VALUES(notify, { 0, "SIGEV_SIGNAL" }, { 1, "SIGEV_NONE" }, { 2, "SIGEV_THREAD" }, { 4, "SIGEV_THREAD_ID" });
NAMED(mount_flag, { 0x20, "ST_VALID" }, { 1, "ST_RDONLY" }, { 2, "ST_NOSUID" }, { 4, "ST_NODEV" }, { 8, "ST_NOEXEC" },
      { 0x10, "ST_SYNCHRONOUS" }, { 0x40, "ST_MANDLOCK" }, { 0x80, "ST_WRITE" }, { 0x100, "ST_APPEND" },
      { 0x200, "ST_IMMUTABLE" }, { 0x400, "ST_NOATIME" }, { 0x800, "ST_NODIRATIME" }, { 0x1000, "ST_RELATIME" },
      { 0x2000, "ST_NOSYMFOLLOW" });
VALUES(fs, { 0xef53, "EXT2_SUPER_MAGIC" }, { 0x01021994, "TMPFS_MAGIC" }, { 0x9fa0, "PROC_SUPER_MAGIC" },
       { 0x62656572, "SYSFS_MAGIC" }, { 0x858458f6, "RAMFS_MAGIC" }, { 0x794c7630, "OVERLAYFS_SUPER_MAGIC" },
       { 0x9123683e, "BTRFS_SUPER_MAGIC" }, { 0x58465342, "XFS_SUPER_MAGIC" }, { 0x6969, "NFS_SUPER_MAGIC" },
       { 0x1cd1, "DEVPTS_SUPER_MAGIC" }, { 0x64626720, "DEBUGFS_MAGIC" }, { 0x74726163, "TRACEFS_MAGIC" },
       { 0x27e0eb, "CGROUP_SUPER_MAGIC" }, { 0x63677270, "CGROUP2_SUPER_MAGIC" }, { 0x19800202, "MQUEUE_MAGIC" },
       { 0x958458f6, "HUGETLBFS_MAGIC" }, { 0x50495045, "PIPEFS_MAGIC" }, { 0x534f434b, "SOCKFS_MAGIC" },
       { 0x9660, "ISOFS_SUPER_MAGIC" }, { 0x4d44, "MSDOS_SUPER_MAGIC" }, { 0x73717368, "SQUASHFS_MAGIC" },
       { 0x65735546, "FUSE_SUPER_MAGIC" }, { 0x01021997, "V9FS_MAGIC" }, { 0x42494e4d, "BINFMTFS_MAGIC" },
       { 0xf2f52010, "F2FS_SUPER_MAGIC" }, { 0xcafe4a11, "BPF_FS_MAGIC" });
VALUES(caps_version, { 0x19980330, "_LINUX_CAPABILITY_VERSION_1" }, { 0x20071026, "_LINUX_CAPABILITY_VERSION_2" },
       { 0x20080522, "_LINUX_CAPABILITY_VERSION_3" });
VALUES(lock_type, { 0, "F_RDLCK" }, { 1, "F_WRLCK" }, { 2, "F_UNLCK" });
NAMED(peeksig, { 1, "PTRACE_PEEKSIGINFO_SHARED" });
VALUES(seek, { 0, "SEEK_SET" }, { 1, "SEEK_CUR" }, { 2, "SEEK_END" });

NAMED(xfs_quota, { 1, "FS_USER_QUOTA" }, { 2, "FS_PROJ_QUOTA" }, { 4, "FS_GROUP_QUOTA" });

NAMED(termios_input, { 1, "IGNBRK" }, { 2, "BRKINT" }, { 4, "IGNPAR" }, { 010, "PARMRK" }, { 020, "INPCK" },
      { 040, "ISTRIP" }, { 0100, "INLCR" }, { 0200, "IGNCR" }, { 0400, "ICRNL" }, { 01000, "IUCLC" },
      { 02000, "IXON" },
      { 04000, "IXANY" }, { 010000, "IXOFF" }, { 020000, "IMAXBEL" }, { 040000, "IUTF8" });
NAMED(termios_local, { 1, "ISIG" }, { 2, "ICANON" }, { 4, "XCASE" }, { 010, "ECHO" }, { 020, "ECHOE" },
      { 040, "ECHOK" },
      { 0100, "ECHONL" }, { 0200, "NOFLSH" }, { 0400, "TOSTOP" }, { 01000, "ECHOCTL" }, { 02000, "ECHOPRT" },
      { 04000, "ECHOKE" }, { 010000, "FLUSHO" }, { 040000, "PENDIN" }, { 0100000, "IEXTEN" }, { 0200000, "EXTPROC" });
SYMBOLS(new_lines, 0400, { 0, "NL0" }, { 0400, "NL1" });
SYMBOLS(returns, 03000, { 0, "CR0" }, { 01000, "CR1" }, { 02000, "CR2" }, { 03000, "CR3" });
SYMBOLS(tabs, 014000, { 0, "TAB0" }, { 04000, "TAB1" }, { 010000, "TAB2" }, { 014000, "TAB3" });
SYMBOLS(backspaces, 020000, { 0, "BS0" }, { 020000, "BS1" });
SYMBOLS(vertical_tabs, 040000, { 0, "VT0" }, { 040000, "VT1" });
SYMBOLS(form_feeds, 0100000, { 0, "FF0" }, { 0100000, "FF1" });
NAMED(termios_processing, { 1, "OPOST" }, { 2, "OLCUC" }, { 4, "ONLCR" }, { 010, "OCRNL" }, { 020, "ONOCR" },
      { 040, "ONLRET" }, { 0100, "OFILL" }, { 0200, "OFDEL" });
static const struct stp_symbols *const termios_output[] = { &new_lines_set, &returns_set, &tabs_set, &backspaces_set,
							     &vertical_tabs_set, &form_feeds_set,
							     &termios_processing_set };
SYMBOLS(speeds, 010017, { 0, "B0" }, { 1, "B50" }, { 2, "B75" }, { 3, "B110" }, { 4, "B134" }, { 5, "B150" },
	{ 6, "B200" },
	{ 7, "B300" }, { 8, "B600" }, { 9, "B1200" }, { 10, "B1800" }, { 11, "B2400" }, { 12, "B4800" },
	{ 13, "B9600" },
	{ 14, "B19200" }, { 15, "B38400" }, { 010000, "BOTHER" }, { 010001, "B57600" }, { 010002, "B115200" },
	{ 010003, "B230400" }, { 010004, "B460800" }, { 010005, "B500000" }, { 010006, "B576000" },
	{ 010007, "B921600" },
	{ 010010, "B1000000" }, { 010011, "B1152000" }, { 010012, "B1500000" }, { 010013, "B2000000" },
	{ 010014, "B2500000" }, { 010015, "B3000000" }, { 010016, "B3500000" }, { 010017, "B4000000" });
SYMBOLS(character_sizes, 060, { 0, "CS5" }, { 020, "CS6" }, { 040, "CS7" }, { 060, "CS8" });
NAMED(termios_line, { 0100, "CSTOPB" }, { 0200, "CREAD" }, { 0400, "PARENB" }, { 01000, "PARODD" },
      { 02000, "HUPCL" },
      { 04000, "CLOCAL" }, { 010000000000, "CMSPAR" }, { 020000000000, "CRTSCTS" });
static const struct stp_symbols *const termios_control[] = { &speeds_set, &character_sizes_set, &termios_line_set };

FIELDS(timespec, { "{tv_sec=", 0, 8, 0, 4, DEC }, { ", tv_nsec=", 8, 8, 4, 4, DEC });
FIELDS(timespec64, { "{tv_sec=", 0, 8, 0, 8, DEC }, { ", tv_nsec=", 8, 8, 8, 4, DEC });
FIELDS(timeval, { "{tv_sec=", 0, 8, 0, 4, DEC }, { ", tv_usec=", 8, 8, 4, 4, DEC });
FIELDS(timezone, { "{tz_minuteswest=", 0, 4, 0, 4, DEC }, { ", tz_dsttime=", 4, 4, 4, 4, DEC });
FIELDS(itimerval, { "{it_interval=", 0, 16, 0, 8, INNER, &timeval_fields },
       { ", it_value=", 16, 16, 8, 8, INNER, &timeval_fields });
FIELDS(itimerspec, { "{it_interval=", 0, 16, 0, 8, INNER, &timespec_fields },
       { ", it_value=", 16, 16, 8, 8, INNER, &timespec_fields });
FIELDS(itimerspec64, { "{it_interval=", 0, 16, 0, 16, INNER, &timespec64_fields },
       { ", it_value=", 16, 16, 16, 16, INNER, &timespec64_fields });
FIELDS_UNTIL(timevals, "]", { "[", 0, 16, 0, 8, INNER, &timeval_fields },
	     { ", ", 16, 16, 8, 8, INNER, &timeval_fields });
FIELDS(utimbuf, { "{actime=", 0, 8, 0, 4, DEC }, { ", modtime=", 8, 8, 4, 4, DEC });
FIELDS(rlimit, { "{rlim_cur=", 0, 8, 0, 4, LIMIT }, { ", rlim_max=", 8, 8, 4, 4, LIMIT });
FIELDS(rlimit64, { "{rlim_cur=", 0, 8, 0, 8, LIMIT }, { ", rlim_max=", 8, 8, 8, 8, LIMIT });
FIELDS(timex, { "{modes=", 0, 4, 0, 4, NAMES, &adj_set }, { ", offset=", 8, 8, 4, 4, DEC },
       { ", freq=", 16, 8, 8, 4, DEC }, { ", maxerror=", 24, 8, 12, 4, UNS }, { ", esterror=", 32, 8, 16, 4, UNS },
       { ", status=", 40, 4, 20, 4, NAMES, &sta_set }, { ", constant=", 48, 8, 24, 4, DEC },
       { ", precision=", 56, 8, 28, 4, UNS }, { ", tolerance=", 64, 8, 32, 4, DEC },
       { ", time=", 72, 16, 36, 8, INNER, &timeval_fields }, { ", tick=", 88, 8, 44, 4, DEC },
       { ", ppsfreq=", 96, 8, 48, 4, DEC }, { ", jitter=", 104, 8, 52, 4, DEC }, { ", shift=", 112, 4, 56, 4, DEC },
       { ", stabil=", 120, 8, 60, 4, DEC }, { ", jitcnt=", 128, 8, 64, 4, DEC }, { ", calcnt=", 136, 8, 68, 4, DEC },
       { ", errcnt=", 144, 8, 72, 4, DEC }, { ", stbcnt=", 152, 8, 76, 4, DEC }, { ", tai=", 160, 4, 80, 4, DEC });
FIELDS(sembuf, { "{sem_num=", 0, 2, 0, 2, UNS }, { ", sem_op=", 2, 2, 2, 2, DEC },
       { ", sem_flg=", 4, 2, 4, 2, NAMES, &sem_set });
FIELDS(mqattr, { "{mq_flags=", 0, 8, 0, 4, HEX }, { ", mq_maxmsg=", 8, 8, 4, 4, DEC },
       { ", mq_msgsize=", 16, 8, 8, 4, DEC }, { ", mq_curmsgs=", 24, 8, 12, 4, DEC });
FIELDS(value, { "{sival_int=", 0, 4, 0, 4, DEC }, { ", sival_ptr=", 0, 8, 0, 4, ADDR });
FIELDS(sigevent, { "{sigev_value=", 0, 8, 0, 4, INNER, &value_fields }, { ", sigev_signo=", 8, 4, 4, 4, SIG },
       { ", sigev_notify=", 12, 4, 8, 4, NAMES, &notify_set });
FIELDS(caphdr, { "{version=", 0, 4, 0, 4, NAMES, &caps_version_set }, { ", pid=", 4, 4, 4, 4, DEC });
FIELDS_UNTIL(rusage, ", ...}", { "{ru_utime=", 0, 16, 0, 8, INNER, &timeval_fields },
	     { ", ru_stime=", 16, 16, 8, 8, INNER, &timeval_fields });
FIELDS(tms, { "{tms_utime=", 0, 8, 0, 4, DEC }, { ", tms_stime=", 8, 8, 4, 4, DEC },
       { ", tms_cutime=", 16, 8, 8, 4, DEC }, { ", tms_cstime=", 24, 8, 12, 4, DEC });
FIELDS_UNTIL(utsname, ", ...}", { "{sysname=", 0, 65, 0, 65, TEXT }, { ", nodename=", 65, 65, 65, 65, TEXT });
FIELDS(sysinfo, { "{uptime=", 0, 8, 0, 4, DEC }, { ", loads=[", 8, 8, 4, 4, UNS }, { ", ", 16, 8, 8, 4, UNS },
       { ", ", 24, 8, 12, 4, UNS }, { "], totalram=", 32, 8, 16, 4, UNS }, { ", freeram=", 40, 8, 20, 4, UNS },
       { ", sharedram=", 48, 8, 24, 4, UNS }, { ", bufferram=", 56, 8, 28, 4, UNS },
       { ", totalswap=", 64, 8, 32, 4, UNS }, { ", freeswap=", 72, 8, 36, 4, UNS }, { ", procs=", 80, 2, 40, 2, UNS },
       { ", totalhigh=", 88, 8, 44, 4, UNS }, { ", freehigh=", 96, 8, 48, 4, UNS },
       { ", mem_unit=", 104, 4, 52, 4, UNS });
FIELDS(statfs, { "{f_type=", 0, 8, 0, 4, NAMES, &fs_set }, { ", f_bsize=", 8, 8, 4, 4, UNS },
       { ", f_blocks=", 16, 8, 8, 4, UNS }, { ", f_bfree=", 24, 8, 12, 4, UNS }, { ", f_bavail=", 32, 8, 16, 4, UNS },
       { ", f_files=", 40, 8, 20, 4, UNS }, { ", f_ffree=", 48, 8, 24, 4, UNS },
       { ", f_fsid={val=", 56, 8, 28, 8, PAIR }, { "}, f_namelen=", 64, 8, 36, 4, UNS },
       { ", f_frsize=", 72, 8, 40, 4, UNS }, { ", f_flags=", 80, 8, 44, 4, NAMES, &mount_flag_set });
/* exists only in 32-bit processes */
FIELDS(statfs64, { "{f_type=", 0, 4, 0, 4, NAMES, &fs_set }, { ", f_bsize=", 4, 4, 4, 4, UNS },
       { ", f_blocks=", 8, 8, 8, 8, UNS }, { ", f_bfree=", 16, 8, 16, 8, UNS }, { ", f_bavail=", 24, 8, 24, 8, UNS },
       { ", f_files=", 32, 8, 32, 8, UNS }, { ", f_ffree=", 40, 8, 40, 8, UNS },
       { ", f_fsid={val=", 48, 8, 48, 8, PAIR }, { "}, f_namelen=", 56, 4, 56, 4, UNS },
       { ", f_frsize=", 60, 4, 60, 4, UNS }, { ", f_flags=", 64, 4, 64, 4, NAMES, &mount_flag_set });
FIELDS(ipc_perm, { "{uid=", 4, 4, 4, 4, UNS }, { ", gid=", 8, 4, 8, 4, UNS }, { ", mode=", 20, 4, 20, 2, OCT },
       { ", key=", 0, 4, 0, 4, HEX }, { ", cuid=", 12, 4, 12, 4, UNS }, { ", cgid=", 16, 4, 16, 4, UNS });
FIELDS(ipc_set, { "{uid=", 4, 4, 4, 4, UNS }, { ", gid=", 8, 4, 8, 4, UNS }, { ", mode=", 20, 4, 20, 2, OCT });
FIELDS(msqid, { "{msg_perm=", 0, 48, 0, 36, INNER, &ipc_perm_fields }, { ", msg_stime=", 48, 8, 36, 4, UNS },
       { ", msg_rtime=", 56, 8, 44, 4, UNS }, { ", msg_ctime=", 64, 8, 52, 4, UNS },
       { ", msg_qnum=", 80, 8, 64, 4, UNS }, { ", msg_qbytes=", 88, 8, 68, 4, UNS },
       { ", msg_lspid=", 96, 4, 72, 4, DEC }, { ", msg_lrpid=", 100, 4, 76, 4, DEC });
FIELDS(msqset, { "{msg_perm=", 0, 48, 0, 36, INNER, &ipc_set_fields }, { ", msg_qbytes=", 88, 8, 68, 4, UNS });
FIELDS(shmid, { "{shm_perm=", 0, 48, 0, 36, INNER, &ipc_perm_fields }, { ", shm_segsz=", 48, 8, 36, 4, UNS },
       { ", shm_cpid=", 80, 4, 64, 4, DEC }, { ", shm_lpid=", 84, 4, 68, 4, DEC },
       { ", shm_nattch=", 88, 8, 72, 4, UNS }, { ", shm_atime=", 56, 8, 40, 4, UNS },
       { ", shm_dtime=", 64, 8, 48, 4, UNS }, { ", shm_ctime=", 72, 8, 56, 4, UNS });
FIELDS(shmset, { "{shm_perm=", 0, 48, 0, 36, INNER, &ipc_set_fields });
#if defined(__x86_64__)
FIELDS(semid, { "{sem_perm=", 0, 48, 0, 36, INNER, &ipc_perm_fields }, { ", sem_otime=", 48, 8, 36, 4, UNS },
       { ", sem_ctime=", 64, 8, 44, 4, UNS }, { ", sem_nsems=", 80, 8, 52, 4, UNS });
#else
FIELDS(semid, { "{sem_perm=", 0, 48, 0, 36, INNER, &ipc_perm_fields }, { ", sem_otime=", 48, 8, 36, 4, UNS },
       { ", sem_ctime=", 56, 8, 44, 4, UNS }, { ", sem_nsems=", 64, 8, 52, 4, UNS });
#endif
FIELDS(semset, { "{sem_perm=", 0, 48, 0, 36, INNER, &ipc_set_fields });
FIELDS(flock, { "{l_type=", 0, 2, 0, 2, NAMES, &lock_type_set }, { ", l_whence=", 2, 2, 2, 2, NAMES, &seek_set },
       { ", l_start=", 8, 8, 4, 4, DEC }, { ", l_len=", 16, 8, 8, 4, DEC });
FIELDS(flockg, { "{l_type=", 0, 2, 0, 2, NAMES, &lock_type_set }, { ", l_whence=", 2, 2, 2, 2, NAMES, &seek_set },
       { ", l_start=", 8, 8, 4, 4, DEC }, { ", l_len=", 16, 8, 8, 4, DEC }, { ", l_pid=", 24, 4, 12, 4, DEC });
FIELDS(flock64, { "{l_type=", 0, 2, 0, 2, NAMES, &lock_type_set }, { ", l_whence=", 2, 2, 2, 2, NAMES, &seek_set },
       { ", l_start=", 8, 8, 4, 8, DEC }, { ", l_len=", 16, 8, 12, 8, DEC });
FIELDS(flockg64, { "{l_type=", 0, 2, 0, 2, NAMES, &lock_type_set }, { ", l_whence=", 2, 2, 2, 2, NAMES, &seek_set },
       { ", l_start=", 8, 8, 4, 8, DEC }, { ", l_len=", 16, 8, 12, 8, DEC }, { ", l_pid=", 24, 4, 20, 4, DEC });
VALUES(owner, { 0, "F_OWNER_TID" }, { 1, "F_OWNER_PID" }, { 2, "F_OWNER_PGRP" });
FIELDS(owner, { "{type=", 0, 4, 0, 4, NAMES, &owner_set }, { ", pid=", 4, 4, 4, 4, DEC });
FIELDS(linger, { "{l_onoff=", 0, 4, 0, 4, DEC }, { ", l_linger=", 4, 4, 4, 4, DEC });
FIELDS(winsize, { "{ws_row=", 0, 2, 0, 2, UNS }, { ", ws_col=", 2, 2, 2, 2, UNS },
       { ", ws_xpixel=", 4, 2, 4, 2, UNS },
       { ", ws_ypixel=", 6, 2, 6, 2, UNS });
FIELDS(fprog, { "{len=", 0, 2, 0, 2, UNS }, { ", filter=", 8, 8, 4, 4, ADDR });
FIELDS(iovec1, { "{iov_base=", 0, 8, 0, 4, ADDR }, { ", iov_len=", 8, 8, 4, 4, UNS });
FIELDS_UNTIL(dqblk, ", ...}", { "{dqb_bhardlimit=", 0, 8, 0, 8, UNS }, { ", dqb_bsoftlimit=", 8, 8, 8, 8, UNS },
       { ", dqb_curspace=", 16, 8, 16, 8, UNS }, { ", dqb_ihardlimit=", 24, 8, 24, 8, UNS },
       { ", dqb_isoftlimit=", 32, 8, 32, 8, UNS }, { ", dqb_curinodes=", 40, 8, 40, 8, UNS });
FIELDS(peeksig, { "{off=", 0, 8, 0, 8, UNS }, { ", flags=", 8, 4, 8, 4, NAMES, &peeksig_set },
       { ", nr=", 12, 4, 12, 4, DEC });
FIELDS_UNTIL(xfsquota, ", ...}", { "{d_version=", 0, 1, 0, 1, DEC },
	     { ", d_flags=", 1, 1, 1, 1, NAMES, &xfs_quota_set }, { ", d_fieldmask=", 2, 2, 2, 2, HEX },
	     { ", d_id=", 4, 4, 4, 4, UNS }, { ", d_blk_hardlimit=", 8, 8, 8, 8, UNS },
	     { ", d_blk_softlimit=", 16, 8, 16, 8, UNS }, { ", d_ino_hardlimit=", 24, 8, 24, 8, UNS },
	     { ", d_ino_softlimit=", 32, 8, 32, 8, UNS }, { ", d_bcount=", 40, 8, 40, 8, UNS },
	     { ", d_icount=", 48, 8, 48, 8, UNS });
/* struct fs_quota_stat and struct fs_quota_statv of <linux/dqblk_xfs.h> */
NAMED(xfs_stat, { 1, "FS_QUOTA_UDQ_ACCT" }, { 2, "FS_QUOTA_UDQ_ENFD" }, { 4, "FS_QUOTA_GDQ_ACCT" },
      { 8, "FS_QUOTA_GDQ_ENFD" }, { 0x10, "FS_QUOTA_PDQ_ACCT" }, { 0x20, "FS_QUOTA_PDQ_ENFD" });
FIELDS(xfsfile, { "{qfs_ino=", 0, 8, 0, 8, UNS }, { ", qfs_nblks=", 8, 8, 8, 8, UNS },
       { ", qfs_nextents=", 16, 4, 16, 4, UNS });
FIELDS_UNTIL(xfsstat, ", ...}", { "{qs_version=", 0, 1, 0, 1, DEC },
	     { ", qs_flags=", 2, 2, 2, 2, NAMES, &xfs_stat_set },
	     { ", qs_uquota=", 8, 20, 8, 20, INNER, &xfsfile_fields },
	     { ", qs_gquota=", 32, 20, 28, 20, INNER, &xfsfile_fields },
	     { ", qs_incoredqs=", 56, 4, 48, 4, UNS }, { ", qs_btimelimit=", 60, 4, 52, 4, DEC },
	     { ", qs_itimelimit=", 64, 4, 56, 4, DEC });
FIELDS_UNTIL(xfsstatv, ", ...}", { "{qs_version=", 0, 1, 0, 1, DEC },
	     { ", qs_flags=", 2, 2, 2, 2, NAMES, &xfs_stat_set }, { ", qs_incoredqs=", 4, 4, 4, 4, UNS },
	     { ", qs_uquota=", 8, 20, 8, 20, INNER, &xfsfile_fields },
	     { ", qs_gquota=", 32, 20, 32, 20, INNER, &xfsfile_fields },
	     { ", qs_pquota=", 56, 20, 56, 20, INNER, &xfsfile_fields },
	     { ", qs_btimelimit=", 80, 4, 80, 4, DEC }, { ", qs_itimelimit=", 84, 4, 84, 4, DEC });
FIELDS(kexecsegment, { "{buf=", 0, 8, 0, 4, ADDR }, { ", bufsz=", 8, 8, 4, 4, UNS }, { ", mem=", 16, 8, 8, 4, ADDR },
       { ", memsz=", 24, 8, 12, 4, UNS });
FIELDS_UNTIL(termios, ", ...}", { "{c_iflag=", 0, 4, 0, 4, NAMES, &termios_input_set },
	     { ", c_oflag=", 4, 4, 4, 4, PARTS, termios_output },
	     { ", c_cflag=", 8, 4, 8, 4, PARTS, termios_control },
	     { ", c_lflag=", 12, 4, 12, 4, NAMES, &termios_local_set });
FIELDS_UNTIL(termio, ", ...}", { "{c_iflag=", 0, 2, 0, 2, NAMES, &termios_input_set },
	     { ", c_oflag=", 2, 2, 2, 2, PARTS, termios_output },
	     { ", c_cflag=", 4, 2, 4, 2, PARTS, termios_control },
	     { ", c_lflag=", 6, 2, 6, 2, NAMES, &termios_local_set });
NAMED(dqinfo, { 1, "DQF_ROOT_SQUASH" }, { 0x10000, "DQF_SYS_FILE" });
FIELDS(dqinfo, { "{dqi_bgrace=", 0, 8, 0, 8, UNS }, { ", dqi_igrace=", 8, 8, 8, 8, UNS },
       { ", dqi_flags=", 16, 4, 16, 4, NAMES, &dqinfo_set }, { ", dqi_valid=", 20, 4, 20, 4, HEX });

static const struct structure *const fields_of[] = {
	[STP_ARG_timespec] = &timespec_fields, [STP_ARG_timespec64] = &timespec64_fields,
	[STP_ARG_timeval] = &timeval_fields, [STP_ARG_timevals] = &timevals_fields,
	[STP_ARG_itimerval] = &itimerval_fields, [STP_ARG_itimerspec] = &itimerspec_fields,
	[STP_ARG_itimerspec64] = &itimerspec64_fields, [STP_ARG_timezone] = &timezone_fields,
	[STP_ARG_utimbuf] = &utimbuf_fields, [STP_ARG_rlimit] = &rlimit_fields, [STP_ARG_rlimit64] = &rlimit64_fields,
	[STP_ARG_timex] = &timex_fields, [STP_ARG_timex64] = &timex_fields,
	[STP_ARG_sembuf] = &sembuf_fields, [STP_ARG_mqattr] = &mqattr_fields,
	[STP_ARG_sigevent] = &sigevent_fields, [STP_ARG_caphdr] = &caphdr_fields, [STP_ARG_rusage] = &rusage_fields,
	[STP_ARG_tms] = &tms_fields, [STP_ARG_utsname] = &utsname_fields, [STP_ARG_sysinfo] = &sysinfo_fields,
	[STP_ARG_statfs] = &statfs_fields, [STP_ARG_statfs64] = &statfs64_fields, [STP_ARG_msqid] = &msqid_fields,
	[STP_ARG_msqset] = &msqset_fields, [STP_ARG_shmid] = &shmid_fields, [STP_ARG_shmset] = &shmset_fields,
	[STP_ARG_semid] = &semid_fields, [STP_ARG_semset] = &semset_fields, [STP_ARG_flock] = &flock_fields,
	[STP_ARG_flockg] = &flockg_fields, [STP_ARG_flock64] = &flock64_fields, [STP_ARG_flockg64] = &flockg64_fields,
	[STP_ARG_linger] = &linger_fields, [STP_ARG_winsize] = &winsize_fields, [STP_ARG_fprog] = &fprog_fields,
	[STP_ARG_iovec1] = &iovec1_fields, [STP_ARG_dqblk] = &dqblk_fields, [STP_ARG_dqinfo] = &dqinfo_fields,
	[STP_ARG_peeksig] = &peeksig_fields, [STP_ARG_xfsquota] = &xfsquota_fields,
	[STP_ARG_xfsstat] = &xfsstat_fields, [STP_ARG_xfsstatv] = &xfsstatv_fields,
	[STP_ARG_termios] = &termios_fields,
	[STP_ARG_termio] = &termio_fields, [STP_ARG_kexecsegment] = &kexecsegment_fields,
	[STP_ARG_owner] = &owner_fields,
};

static void put_limit(struct call_text *t, u64 v, u32 size)
{
	if (v == (size == 4 ? 0xffffffffull : ~0ull))
		call_put(t, size == 4 ? "RLIM_INFINITY" : "RLIM64_INFINITY");
	else if (v > 1024 && v % 1024 == 0)
		call_printf(t, "%llu*1024", v / 1024);
	else
		call_unsigned(t, v);
}

/* Writes the values in bit ranges of one number, and the flags in its other bits. */
static void put_parts(struct call_text *t, const struct stp_symbols *const *part, u64 v)
{
	for (; (*part)->field; part++) {
		call_symbols(t, *part, v & (*part)->field);
		v &= ~(u64)(*part)->field;
		call_put(t, v || part[1]->field ? "|" : "");
	}
	if (v)
		call_symbols(t, *part, v);
}

void call_listed(struct call_text *t, const struct call_names *names, u64 v)
{
	if (v < names->n)
		call_printf(t, "%s%s", names->prefix, names->at[v]);
	else
		call_hex(t, v);
}

void call_field_value(struct call_text *t, const struct field *m, u64 v, u32 size)
{
	switch (m->form) {
	case DEC: call_decimal(t, (s64)v); break;
	case SIG: call_signal(t, (s64)v); break;
	case LIMIT: put_limit(t, v, size); break;
	case HEX: call_hex(t, v); break;
	case ADDR: call_address(t, v); break;
	case OCT: call_printf(t, "0%03llo", v); break;
	case NAMES: call_symbols(t, m->more, v); break;
	case LIST: call_listed(t, m->more, v); break;
	case PARTS: put_parts(t, m->more, v); break;
	case STRING: call_string(t, v); break;
	case TEXT: call_put(t, "\"\""); break;
	case RELEASE:
		call_printf(t, "KERNEL_VERSION(%llu, %llu, %llu)", v >> 16, v >> 8 & 0xff, v & 0xff);
		break;
	default: call_unsigned(t, v);
	}
}

void call_field(struct call_text *t, const struct field *m, u64 from, u32 size)
{
	u64 v;

	if (m->form == TEXT) {
		call_string(t, from);
	} else if (m->form == PAIR) {
		v = call_load(t, from, 4);
		call_pair(t, "[", v, call_load(t, from + 4, 4));
		call_put(t, "]");
	} else {
		v = m->form == DEC ? (u64)call_load_signed(t, from, size) : call_load(t, from, size);
		call_field_value(t, m, v, size);
	}
}

/* Structures are nested at most twice: an inner structure has its own function, which does not call itself. */
static void put_inner(struct call_text *t, const struct structure *f, u64 address, bool is_32bit)
{
	u32 i;

	for (i = 0; i < f->n; i++) {
		const struct field *m = &f->at[i];

		call_put(t, m->name);
		call_field(t, m, address + (is_32bit ? m->at32 : m->at), is_32bit ? m->size32 : m->size);
	}
	call_put(t, f->end);
}

static void put_fields(struct call_text *t, const struct structure *f, u64 address, bool is_32bit)
{
	u32 i;

	for (i = 0; i < f->n; i++) {
		const struct field *m = &f->at[i];
		u64 from = address + (is_32bit ? m->at32 : m->at);

		call_put(t, m->name);
		if (m->form == INNER)
			put_inner(t, m->more, from, is_32bit);
		else
			call_field(t, m, from, is_32bit ? m->size32 : m->size);
	}
	call_put(t, f->end);
}

bool call_fields(struct call_text *t, u32 type, u64 address)
{
	if (type >= sizeof(fields_of) / sizeof(*fields_of) || !fields_of[type])
		return false;
	put_fields(t, fields_of[type], address, t->long_size == 4 && type != STP_ARG_timex64);
	return true;
}
