// SPDX-License-Identifier: GPL-2.0-or-later
// Executes queries as a PostgreSQL server does, with its markers, for an example that reads them.
#include <sys/sdt.h>
#include <string.h>
#include <time.h>

__attribute__((noinline)) static void execute(const char *query, long us)
{
	struct timespec t = { 0, us * 1000 * (strlen(query) > 0) };

	DTRACE_PROBE1(postgresql, query__start, query);
	nanosleep(&t, NULL);
	DTRACE_PROBE1(postgresql, query__done, query);
}

int main(void)
{
	execute("SELECT pg_sleep(0.02)", 20000);
	execute("SELECT 1", 1);
	execute("SELECT pg_sleep(0.02)", 20000);
	return 0;
}
