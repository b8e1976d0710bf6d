/* A disk that commits in 2 ms, as network disks do: loaded with LD_PRELOAD, each fsync and fdatasync takes that much longer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void wait_for_the_disk(void) {
    struct timespec delay = {0, 2000000};
    while (nanosleep(&delay, &delay) != 0) {
    }
}

int fsync(int descriptor) {
    wait_for_the_disk();
    return REAL(fsync)(descriptor);
}

int fdatasync(int descriptor) {
    wait_for_the_disk();
    return REAL(fdatasync)(descriptor);
}
