// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads alternately hold one mutex, and each sleeps while it holds it.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *works(void *none)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		usleep(20000);
		pthread_mutex_unlock(&lock);
	}
	return none;
}

int main(void)
{
	pthread_t other;

	pthread_create(&other, NULL, works, NULL);
	works(NULL);
	return pthread_join(other, NULL);
}
