// SPDX-License-Identifier: GPL-2.0-or-later
// Determines which modules a user may load, and drops privileges. staprun is run by root, with CAP_SYS_MODULE, or
// is installed setuid root (or with file capabilities) for members of stapdev, stapsys and stapusr.
//
//   caps_lower  at the start: few capabilities stay permitted, none is effective, files are opened as the user
//   caps_raise  before loading
//   caps_keep_unloading, caps_drop  for good, once the relay is forked
#include "staprun.h"

#include "log.h"

#include <errno.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

static bool have_cap(cap_value_t cap)
{
	cap_flag_value_t value = CAP_CLEAR;
	cap_t caps = cap_get_proc();

	if (caps) {
		cap_get_flag(caps, cap, CAP_PERMITTED, &value);
		cap_free(caps);
	}
	return value == CAP_SET;
}

// Checks the real user's groups, which a setuid program retains.
static bool in_group(const char *name)
{
	struct group *group = getgrnam(name);
	gid_t gids[1024];
	int n = getgroups(1024, gids);

	if (!group)
		return false;
	for (int i = 0; i < n; i++)
		if (gids[i] == group->gr_gid)
			return true;
	return getgid() == group->gr_gid;
}

enum rights caps_rights(void)
{
	if (!have_cap(CAP_SYS_MODULE))
		return RIGHTS_NONE;
	// With set-user-ID or file capabilities, the groups determine the rights.
	if (getuid() == 0 || !getauxval(AT_SECURE) || in_group("stapdev"))
		return RIGHTS_ALL;
	if (in_group("stapsys"))
		return RIGHTS_SYSTEM;
	return in_group("stapusr") ? RIGHTS_USER : RIGHTS_NONE;
}

void caps_explain(void)
{
	if (have_cap(CAP_SYS_MODULE))
		log_error("loading a module requires membership of a group: stapdev for any module, stapsys for"
			  " signed modules, stapusr for modules in /lib/modules/RELEASE/systemtap and signed"
			  " modules built with stap --privilege=stapusr; stap --vm and --runtime=user need"
			  " no privileges");
	else
		log_error("loading a module requires root or CAP_SYS_MODULE: use sudo;"
			  " stap --vm and --runtime=user need no privileges");
}

// Reduces the permitted capabilities to these; if `effective`, they become effective, too. None becomes inheritable.
static int limit_caps(const cap_value_t *wanted, int n, bool effective)
{
	cap_t now = cap_get_proc(), caps = cap_init();
	int rc = -1;

	for (int i = 0; now && caps && i < n; i++) {
		cap_flag_value_t value;

		if (cap_get_flag(now, wanted[i], CAP_PERMITTED, &value) || value == CAP_CLEAR)
			continue;
		cap_set_flag(caps, CAP_PERMITTED, 1, &wanted[i], CAP_SET);
		if (effective)
			cap_set_flag(caps, CAP_EFFECTIVE, 1, &wanted[i], CAP_SET);
	}
	if (now && caps)
		rc = cap_set_proc(caps);
	if (rc) {
		rc = -errno;
		log_error("cannot drop capabilities: %m");
	}
	cap_free(now);
	cap_free(caps);
	return rc;
}

static const cap_value_t loading[] = {
	CAP_SYS_MODULE,                    // to load and unload modules
	CAP_SYSLOG,                        // to read addresses in /proc/kallsyms
	CAP_MKNOD,                         // to make a private node, if /dev lacks the module's
	CAP_CHOWN,                         // to give the node to the user
	CAP_DAC_OVERRIDE,                  // to open root's device as another user
	CAP_SETUID, CAP_SETGID,            // to become the real user again
	CAP_SETPCAP,
};

static int effective_ids(uid_t uid, gid_t gid)
{
	if (setresgid(-1, gid, -1) == 0 && setresuid(-1, uid, -1) == 0)
		return 0;
	log_error("cannot change to user ID %u: %m", (unsigned)uid);
	return -EPERM;
}

static uid_t raised_uid;                   // effective user ID at the start: root if installed set-user-ID

int caps_lower(void)
{
	int rc;

	raised_uid = geteuid();
	rc = effective_ids(getuid(), getgid());
	return rc ? rc : limit_caps(loading, sizeof(loading) / sizeof(loading[0]), getuid() == 0);
}

int caps_raise(void)
{
	int rc = effective_ids(raised_uid, getgid());

	return rc ? rc : limit_caps(loading, sizeof(loading) / sizeof(loading[0]), true);
}

static int become_real_user(void)
{
	gid_t gid = getgid();
	uid_t uid = getuid();

	if (setresgid(gid, gid, gid) || setresuid(uid, uid, uid)) {
		int rc = -errno;

		log_error("cannot change back to user ID %u: %m", (unsigned)uid);
		return rc;
	}
	return 0;
}

int caps_keep_unloading(void)
{
	static const cap_value_t wanted[] = { CAP_SYS_MODULE };
	int rc;

	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)) {
		rc = -errno;
		log_error("cannot keep capabilities: %m");
		return rc;
	}
	rc = become_real_user();
	return rc ? rc : limit_caps(wanted, 1, true);
}

int caps_drop(void)
{
	int rc;

	if (getuid() == 0)                 // otherwise execve() would restore root's capabilities
		return 0;
	rc = become_real_user();
	if (rc)
		return rc;
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	rc = limit_caps(NULL, 0, false);
	if (rc)
		return rc;
	if (setuid(0) == 0 || geteuid() == 0) {
		log_error("cannot drop privileges: the process can still become root");
		return -EPERM;
	}
	return 0;
}
