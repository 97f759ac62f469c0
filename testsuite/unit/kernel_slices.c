/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread of runtime/kernel/slices.c: handlers of timers that are always due, and readers that always wait, use at
 * most half of a processor each. slices.c itself is compiled here, with a clock that only handlers and pauses
 * advance.
 */
#include "core_platform.h"
#include "kernel_standins.h"

#include <errno.h>
#include <limits.h>

#define TICK_NSEC 100000000ull
#define TASK_IDLE 0
#define TASK_RUNNING 0
#define MAX_SCHEDULE_TIMEOUT LONG_MAX
#define THIS_MODULE ((struct { const char *name; } *)"")
#define ERR_PTR(e) ((void *)(long)(e))
#define PTR_ERR(p) ((long)(p))
#define IS_ERR(p) ((unsigned long)(p) > -4096ul)
#define ENOMEM 12
#define BITS_TO_LONGS(n) (((n) + 63) / 64)
#define BIT_WORD(n) ((n) / 64)
#define BIT_MASK(n) (1ul << (n) % 64)
#define DEFINE_MUTEX(name) int name
#define DECLARE_WAIT_QUEUE_HEAD(name) int name
#define mutex_lock(m) ((void)(m))
#define mutex_unlock(m) ((void)(m))
#define mutex_lock_killable(m) ((void)(m), 0)
#define wake_up(queue) ((void)(queue))
#define wake_up_process(task) ((void)(task))
#define wait_event_idle(queue, condition) ((void)(queue), (void)(condition))
#define wait_event_killable(queue, condition) ((void)(queue), (void)(condition), 0)
#define smp_rmb() ((void)0)
#define smp_mb__before_atomic() ((void)0)
#define set_current_state(state) ((void)(state))
#define __set_current_state(state) ((void)(state))
#define set_bit(n, words) (*(words) |= 1ul << (n))
#define clear_bit_unlock(n, words) (*(words) &= ~(1ul << (n)))
#define for_each_set_bit(i, words, n) for ((i) = 0; (i) < (n); (i)++) if (*(words) >> (i) & 1)
#define bitmap_empty(words, n) (!*(words))
#define xchg(p, v) exchange(p, v)
#define cmpxchg(p, old, v) (*(p) == (old) ? (*(p) = (v), (old)) : *(p))
#define nsecs_to_jiffies(n) ((n) / TICK_NSEC)
#define kthread_run(function, ...) ((struct task_struct *)"")
#define kthread_stop(task) ((void)(task))
#define stp_session_running() true

struct task_struct;
struct request;
static struct request *exchange(struct request **p, struct request *v);
static bool kthread_should_stop(void);
static void schedule_timeout(long ticks);
static u64 ktime_get_ns(void);
static bool test_hit_begin(struct stp_ctx **c, unsigned long *flags) { return false; }
static void test_hit_end(struct stp_ctx *c, unsigned long flags) { }
static enum stp_outcome test_slices_run(const struct stp_probe *p, u64 argument);
static void (*test_slices_finish)(void);
#define stp_hit_begin test_hit_begin
#define stp_hit_end test_hit_end
#define stp_slices_run test_slices_run
#define stp_slices_finish test_slices_finish
#define stp_outcome_error(outcome) ((outcome) == STP_COMPLETE ? 0 : -EAGAIN)

#define finish finish_handlers /* core_platform.h has a function of this name */
int stp_slices_start(void);
void stp_slices_stop(void);
#include "../../runtime/kernel/slices.c"
#undef finish

static struct stp_probe timer = { .in_slices = true };
const struct stp_module stp_module = { .abi = STP_GENERATED_ABI, .limits = LIMITS, .probes = &timer, .nprobes = 1 };

static u64 now, handler, worked, passes, most_passes, longest;   /* times in nanoseconds */
static bool always_due;

static struct request *exchange(struct request **p, struct request *v)
{
	struct request *old = *p;

	*p = v;
	return old;
}

static u64 ktime_get_ns(void) { return now; }

static bool kthread_should_stop(void)
{
	if (always_due)
		set_bit(0, due);
	return ++passes > most_passes;
}

static void schedule_timeout(long ticks)
{
	now += (u64)ticks * TICK_NSEC;
}

static enum stp_outcome test_slices_run(const struct stp_probe *p, u64 argument)
{
	now += handler;
	worked += handler;
	longest = max(longest, handler);
	return STP_COMPLETE;
}

/* Runs the thread until it has checked for work `n` times. */
static void run_for(u64 n, u64 time_of_handler)
{
	now = worked = passes = longest = 0;
	timers = requests = (struct share){ 0 };
	most_passes = n;
	handler = time_of_handler;
	run_thread(NULL);
}

int main(void)
{
	static const u64 times[] = { 1000, TICK_NSEC / 3, TICK_NSEC - 1, TICK_NSEC, TICK_NSEC * 5 / 2, TICK_NSEC * 50 };
	bool half = true, begun = true;
	u32 i;

	session_renew();
	if (stp_slices_start())
		return 1;
	always_due = true;
	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		run_for(1000000, times[i]);
		begun &= worked > 0;
		/* The pause for the last handler, and for a sum below a tick, may not have occurred yet. */
		half &= worked <= now / 2 + longest + TICK_NSEC;
	}
	verdict(begun, "handlers of timers run");
	verdict(half, "and use at most half of a processor, whatever time each takes");
	stp_slices_stop();
	return finish();
}
