// Preloaded by trackers_test.py: the time of day of the process is off by as many seconds as the file named in
// WEIR_CLOCK_SKEW says, read anew at each question. The steady clock is left alone. (libfaketime cannot be used: it
// does not get on with tcmalloc.) No allocation: the allocator asks for the time, too.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long skew(void) {
  const char* path = getenv("WEIR_CLOCK_SKEW");
  char text[32] = {0};
  const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return 0;
  const long size = read(fd, text, sizeof text - 1);
  close(fd);
  return size > 0 ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += skew();
  return result;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  const int result = (int)syscall(SYS_gettimeofday, now, zone);
  if (result == 0) now->tv_sec += skew();
  return result;
}

time_t time(time_t* into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}
