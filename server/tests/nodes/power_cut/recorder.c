/* Records what a program does to the files below a folder, in the order in which it happens. The test loads it into the program with
 * LD_PRELOAD. RECORDER_FOLDER names the folder, RECORDER_LOG the file that the records are appended to.
 *
 * A record is: one byte for the kind, then five 64-bit numbers in the byte order of the machine (inode, offset or length, and the
 * lengths of path, second path and data), then path, second path and data. recording.rs reads them.
 *
 * Every recorded call holds a lock of the log, so that records of all threads and processes are in the order of the calls. What would
 * escape the recorder is recorded as unsupported, and the test fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define DESCRIPTORS 65536

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* What a descriptor was opened for: 1 is a file below the folder, 2 a folder. closedir closes descriptors without calling close, so the
 * number can by now stand for something else. */
static struct {
    unsigned char kind;
    dev_t device;
    ino_t inode;
} tracked[DESCRIPTORS];
static char root[PATH_MAX];
static size_t root_length;
static int journal = -1;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void fail(const char *what)
{
    fprintf(stderr, "recorder: %s: %s\n", what, strerror(errno));
    abort();
}

__attribute__((constructor)) static void begin(void)
{
    const char *folder = getenv("RECORDER_FOLDER"), *log = getenv("RECORDER_LOG");
    if (!folder || !log || !realpath(folder, root))
        fail("set RECORDER_FOLDER and RECORDER_LOG");
    root_length = strlen(root);
    journal = REAL(open)(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (journal < 0)
        fail(log);
}

static void lock(void)
{
    pthread_mutex_lock(&mutex);
    if (flock(journal, LOCK_EX))
        fail("lock");
}

static void unlock(void)
{
    int kept = errno;
    flock(journal, LOCK_UN);
    pthread_mutex_unlock(&mutex);
    errno = kept;
}

static void put(const void *bytes, size_t length)
{
    while (length) {
        ssize_t done = REAL(write)(journal, bytes, length);
        if (done < 0)
            fail("write");
        bytes = (const char *)bytes + done;
        length -= done;
    }
}

/* With the lock held. One write for all but large data, because a record must be complete before the next one. */
static void record(char kind, uint64_t inode, uint64_t number, const char *path, const char *second, const void *data, size_t length)
{
    static char head[1 + 5 * 8 + 2 * PATH_MAX];
    uint64_t numbers[5] = {inode, number, path ? strlen(path) : 0, second ? strlen(second) : 0, length};
    int kept = errno;
    head[0] = kind;
    memcpy(head + 1, numbers, sizeof numbers);
    size_t at = 1 + sizeof numbers;
    if (path)
        memcpy(head + at, path, numbers[2]), at += numbers[2];
    if (second)
        memcpy(head + at, second, numbers[3]), at += numbers[3];
    put(head, at);
    put(data, length);
    errno = kept;
}

/* The absolute path, if it is in the folder. */
static int inside(int folder, const char *path, char *absolute)
{
    if (journal < 0 || !path)
        return 0;
    if (path[0] == '/') {
        if (strlen(path) >= PATH_MAX)
            return 0;
        strcpy(absolute, path);
    } else {
        char base[PATH_MAX], link[64];
        if (folder == AT_FDCWD) {
            if (!getcwd(base, sizeof base))
                return 0;
        } else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
            ssize_t length = readlink(link, base, sizeof base - 1);
            if (length < 0)
                return 0;
            base[length] = 0;
        }
        if (snprintf(absolute, PATH_MAX, "%s/%s", base, path) >= PATH_MAX)
            return 0;
    }
    return !strncmp(absolute, root, root_length) && (absolute[root_length] == '/' || !absolute[root_length]);
}

static void track(int fd, const struct stat *found)
{
    tracked[fd].kind = S_ISDIR(found->st_mode) ? 2 : 1;
    tracked[fd].device = found->st_dev;
    tracked[fd].inode = found->st_ino;
}

static int is_tracked(int fd)
{
    struct stat found;
    if (fd < 0 || fd >= DESCRIPTORS || !tracked[fd].kind)
        return 0;
    return !fstat(fd, &found) && found.st_dev == tracked[fd].device && found.st_ino == tracked[fd].inode;
}

static uint64_t inode(int fd)
{
    struct stat found;
    if (fstat(fd, &found))
        fail("fstat");
    return found.st_ino;
}

static void path_of(int fd, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

static void unsupported(const char *what, const char *path)
{
    record('?', 0, 0, what, path, NULL, 0);
}

/* ---- opening and closing ---- */

static int open_below(int folder, const char *path, int flags, mode_t mode)
{
    char absolute[PATH_MAX];
    __typeof__(&openat) real = REAL(openat);
    if (!inside(folder, path, absolute))
        return real(folder, path, flags, mode);
    lock();
    struct stat before;
    int existed = !lstat(absolute, &before);
    int fd = real(folder, path, flags, mode);
    if (fd >= 0) {
        struct stat found;
        if (fstat(fd, &found))
            fail("fstat");
        if (fd >= DESCRIPTORS || (flags & O_TMPFILE) == O_TMPFILE)
            unsupported("open", absolute);
        else
            track(fd, &found);
        if (!existed)
            record('c', found.st_ino, 0, absolute, NULL, NULL, 0);
        else if ((flags & O_TRUNC) && before.st_size)
            record('t', found.st_ino, 0, NULL, NULL, NULL, 0);
    }
    unlock();
    return fd;
}

#define MODE(flags, last)                                              \
    mode_t mode = 0;                                                   \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                           \
        va_list rest;                                                  \
        va_start(rest, last);                                          \
        mode = va_arg(rest, mode_t);                                   \
        va_end(rest);                                                  \
    }

int open(const char *path, int flags, ...) { MODE(flags, flags) return open_below(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags, flags) return open_below(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags, flags) return open_below(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags, flags) return open_below(folder, path, flags | O_LARGEFILE, mode); }
int creat(const char *path, mode_t mode) { return open_below(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return creat(path, mode); }

int close(int fd)
{
    if (is_tracked(fd)) {
        lock();
        tracked[fd].kind = 0;
        unlock();
    }
    return REAL(close)(fd);
}

static int duplicated(int from, int to)
{
    if (to >= 0 && to < DESCRIPTORS && is_tracked(from))
        tracked[to] = tracked[from];
    else if (to >= 0 && to < DESCRIPTORS)
        tracked[to].kind = 0;
    return to;
}

int dup(int fd) { return duplicated(fd, REAL(dup)(fd)); }
int dup2(int fd, int to) { return duplicated(fd, REAL(dup2)(fd, to)); }
int dup3(int fd, int to, int flags) { return duplicated(fd, REAL(dup3)(fd, to, flags)); }

static int control(__typeof__(&fcntl) real, int fd, int command, void *argument)
{
    int done = real(fd, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? duplicated(fd, done) : done;
}

#define ARGUMENT                                                       \
    va_list rest;                                                      \
    va_start(rest, command);                                           \
    void *argument = va_arg(rest, void *);                             \
    va_end(rest);

int fcntl(int fd, int command, ...) { ARGUMENT return control(REAL(fcntl), fd, command, argument); }
int fcntl64(int fd, int command, ...) { ARGUMENT return control(REAL(fcntl64), fd, command, argument); }

/* ---- content ---- */

static off_t offset_of(int fd)
{
    int flags = REAL(fcntl)(fd, F_GETFL);
    return lseek(fd, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
}

ssize_t write(int fd, const void *data, size_t length)
{
    __typeof__(&write) real = REAL(write);
    if (!is_tracked(fd))
        return real(fd, data, length);
    lock();
    off_t at = offset_of(fd);
    ssize_t done = real(fd, data, length);
    if (done > 0)
        record('w', inode(fd), at, NULL, NULL, data, done);
    unlock();
    return done;
}

static ssize_t write_at(int fd, const void *data, size_t length, off64_t at)
{
    __typeof__(&pwrite64) real = REAL(pwrite64);
    if (!is_tracked(fd))
        return real(fd, data, length, at);
    lock();
    ssize_t done = real(fd, data, length, at);
    if (done > 0)
        record('w', inode(fd), at, NULL, NULL, data, done);
    unlock();
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t at) { return write_at(fd, data, length, at); }
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t at) { return write_at(fd, data, length, at); }

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    if (!is_tracked(fd))
        return REAL(writev)(fd, parts, count);
    /* A short write is what writev may do, too. */
    for (int part = 0; part < count; part++)
        if (parts[part].iov_len)
            return write(fd, parts[part].iov_base, parts[part].iov_len);
    return 0;
}

static int resize(int fd, off64_t length)
{
    if (!is_tracked(fd))
        return REAL(ftruncate64)(fd, length);
    lock();
    int done = REAL(ftruncate64)(fd, length);
    if (!done)
        record('t', inode(fd), length, NULL, NULL, NULL, 0);
    unlock();
    return done;
}

int ftruncate(int fd, off_t length) { return resize(fd, length); }
int ftruncate64(int fd, off64_t length) { return resize(fd, length); }

static int sync_one(int (*real)(int), int fd)
{
    if (!is_tracked(fd))
        return real(fd);
    lock();
    int done = real(fd);
    if (!done && tracked[fd].kind == 2) {
        char path[PATH_MAX];
        path_of(fd, path);
        record('S', 0, 0, path, NULL, NULL, 0);
    } else if (!done) {
        record('s', inode(fd), 0, NULL, NULL, NULL, 0);
    }
    unlock();
    return done;
}

int fsync(int fd) { return sync_one(REAL(fsync), fd); }
int fdatasync(int fd) { return sync_one(REAL(fdatasync), fd); }

/* ---- names ---- */

static int make_folder(int folder, const char *path, mode_t mode)
{
    char absolute[PATH_MAX];
    if (!inside(folder, path, absolute))
        return REAL(mkdirat)(folder, path, mode);
    lock();
    int done = REAL(mkdirat)(folder, path, mode);
    if (!done)
        record('m', 0, 0, absolute, NULL, NULL, 0);
    unlock();
    return done;
}

int mkdir(const char *path, mode_t mode) { return make_folder(AT_FDCWD, path, mode); }
int mkdirat(int folder, const char *path, mode_t mode) { return make_folder(folder, path, mode); }

static int remove_name(int folder, const char *path, int flags)
{
    char absolute[PATH_MAX];
    if (!inside(folder, path, absolute))
        return REAL(unlinkat)(folder, path, flags);
    lock();
    int done = REAL(unlinkat)(folder, path, flags);
    if (!done)
        record('u', 0, 0, absolute, NULL, NULL, 0);
    unlock();
    return done;
}

int unlink(const char *path) { return remove_name(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return remove_name(folder, path, flags); }
int rmdir(const char *path) { return remove_name(AT_FDCWD, path, AT_REMOVEDIR); }

static int rename_from(int folder, const char *path, int into, const char *name)
{
    char from[PATH_MAX], to[PATH_MAX];
    int is_from = inside(folder, path, from), is_to = inside(into, name, to);
    if (!is_from && !is_to)
        return REAL(renameat)(folder, path, into, name);
    lock();
    int done = REAL(renameat)(folder, path, into, name);
    if (!done && is_from && is_to)
        record('r', 0, 0, from, to, NULL, 0);
    else if (!done)
        unsupported("rename across the folder's border", is_from ? from : to);
    unlock();
    return done;
}

int rename(const char *path, const char *name) { return rename_from(AT_FDCWD, path, AT_FDCWD, name); }
int renameat(int folder, const char *path, int into, const char *name) { return rename_from(folder, path, into, name); }

static int link_to(int folder, const char *path, int into, const char *name, int flags)
{
    char from[PATH_MAX], to[PATH_MAX];
    int is_from = inside(folder, path, from), is_to = inside(into, name, to);
    if (!is_from && !is_to)
        return REAL(linkat)(folder, path, into, name, flags);
    lock();
    int done = REAL(linkat)(folder, path, into, name, flags);
    if (!done && is_from && is_to)
        record('l', 0, 0, from, to, NULL, 0);
    else if (!done)
        unsupported("link across the folder's border", is_from ? from : to);
    unlock();
    return done;
}

int link(const char *path, const char *name) { return link_to(AT_FDCWD, path, AT_FDCWD, name, 0); }
int linkat(int folder, const char *path, int into, const char *name, int flags) { return link_to(folder, path, into, name, flags); }

/* ---- what would escape: shared memory that is written to a file ---- */

static void *map(void *address, size_t length, int protection, int flags, int fd, off64_t at)
{
    if (is_tracked(fd) && (flags & MAP_SHARED) && (protection & PROT_WRITE)) {
        char path[PATH_MAX];
        path_of(fd, path);
        /* SQLite's index of its log is made anew after a crash. */
        size_t end = strlen(path);
        if (end < 4 || strcmp(path + end - 4, "-shm")) {
            lock();
            unsupported("mmap", path);
            unlock();
        }
    }
    return REAL(mmap64)(address, length, protection, flags, fd, at);
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t at) { return map(address, length, protection, flags, fd, at); }
void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t at) { return map(address, length, protection, flags, fd, at); }
