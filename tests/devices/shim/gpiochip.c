/* A GPIO chip in a file: preloaded, it answers for /dev/gpiochip* what the kernel would (character device uAPI v2).
 *
 * Lines, owners and a history live in the file named by EMBERBOARD_GPIOCHIP, mapped by every process, so that a test
 * can press keys, two programs can fight for a line, and everything that was driven can be asked for afterwards.
 * Electrically: an output has its level; an input is pulled by its bias, unless a closed switch with a diode joins it to
 * an output that is low. Inputs without bias read what the test put on them.
 *
 * Source: linux/gpio.h and the kernel's documentation of the character device. Edge events are not offered: a request
 * that asks for them is refused with EINVAL, so nobody can believe in one that never comes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LINES 58 /* as on a Pi 4; gpiochip.py knows this layout */
#define RING 65536
#define FDS 1024

struct line {
    uint64_t flags;
    uint32_t owner;
    uint32_t level; /* what an output drives, or what stands on an input without bias */
    char consumer[GPIO_MAX_NAME_SIZE];
};
struct edge {
    uint64_t at_ns;
    uint32_t line;
    uint32_t level;
};
struct chip {
    uint32_t magic;
    uint32_t refuse; /* errno that open() fails with; 0 lets everybody in */
    uint64_t closed[64]; /* bit b of closed[a]: a switch is closed, its diode lets line a be pulled low by line b */
    struct line lines[64];
    uint64_t head;
    struct edge ring[RING];
};

static struct chip *chip;
static int backing = -1;
static pid_t self; /* whose tables these are: a vfork child closes its descriptors in its parent's memory */
static int chip_fds[FDS];
static struct {
    uint32_t count;
    uint32_t offsets[GPIO_V2_LINES_MAX];
} requests[FDS];

static int (*real_open)(const char *, int, ...);
static int (*real_open64)(const char *, int, ...);
static int (*real_close)(int);
static int (*real_ioctl)(int, unsigned long, ...);

static void forked(void) { self = getpid(); }

__attribute__((constructor)) static void begin(void)
{
    self = getpid();
    pthread_atfork(NULL, NULL, forked);
    real_open = dlsym(RTLD_NEXT, "open");
    real_open64 = dlsym(RTLD_NEXT, "open64");
    real_close = dlsym(RTLD_NEXT, "close");
    real_ioctl = dlsym(RTLD_NEXT, "ioctl");
    const char *path = getenv("EMBERBOARD_GPIOCHIP");
    if (path == NULL)
        return;
    backing = real_open(path, O_RDWR | O_CLOEXEC);
    if (backing < 0)
        return;
    void *at = mmap(NULL, sizeof(struct chip), PROT_READ | PROT_WRITE, MAP_SHARED, backing, 0);
    chip = at == MAP_FAILED ? NULL : at;
}

static void hold(void) { flock(backing, LOCK_EX); }
static void let_go(void) { flock(backing, LOCK_UN); }

static int fail(int why)
{
    errno = why;
    return -1;
}

/* A program that died gave its lines back, as the kernel would have seen to. */
static int taken(const struct line *line)
{
    return line->owner != 0 && (kill((pid_t)line->owner, 0) == 0 || errno == EPERM);
}

static void drive(uint32_t offset, uint32_t level)
{
    struct line *line = &chip->lines[offset];
    if (line->level == level && (line->flags & GPIO_V2_LINE_FLAG_OUTPUT))
        return;
    line->level = level;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct edge *edge = &chip->ring[chip->head % RING];
    edge->at_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    edge->line = offset;
    edge->level = level;
    __atomic_store_n(&chip->head, chip->head + 1, __ATOMIC_RELEASE);
}

static uint32_t read_line(uint32_t offset)
{
    const struct line *line = &chip->lines[offset];
    if (line->flags & GPIO_V2_LINE_FLAG_OUTPUT)
        return line->level;
    if (line->flags & GPIO_V2_LINE_FLAG_BIAS_PULL_UP) {
        uint64_t closed = __atomic_load_n(&chip->closed[offset], __ATOMIC_ACQUIRE);
        for (uint32_t other = 0; other < LINES; other++)
            if ((closed >> other & 1) && (chip->lines[other].flags & GPIO_V2_LINE_FLAG_OUTPUT) &&
                chip->lines[other].level == 0)
                return 0;
        return 1;
    }
    if (line->flags & GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN)
        return 0;
    return line->level;
}

static uint64_t flags_of(const struct gpio_v2_line_config *config, uint32_t index)
{
    for (uint32_t at = 0; at < config->num_attrs; at++)
        if (config->attrs[at].attr.id == GPIO_V2_LINE_ATTR_ID_FLAGS && (config->attrs[at].mask >> index & 1))
            return config->attrs[at].attr.flags;
    return config->flags;
}

static uint32_t first_level(const struct gpio_v2_line_config *config, uint32_t index)
{
    for (uint32_t at = 0; at < config->num_attrs; at++)
        if (config->attrs[at].attr.id == GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES && (config->attrs[at].mask >> index & 1))
            return config->attrs[at].attr.values >> index & 1;
    return 0;
}

static int configure(const uint32_t *offsets, uint32_t count, const struct gpio_v2_line_config *config)
{
    for (uint32_t index = 0; index < count; index++) {
        uint64_t flags = flags_of(config, index);
        int both = (flags & GPIO_V2_LINE_FLAG_INPUT) && (flags & GPIO_V2_LINE_FLAG_OUTPUT);
        if (both || (flags & (GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING)))
            return fail(EINVAL);
    }
    for (uint32_t index = 0; index < count; index++) {
        struct line *line = &chip->lines[offsets[index]];
        uint64_t before = line->flags;
        line->flags = flags_of(config, index);
        if (line->flags & GPIO_V2_LINE_FLAG_OUTPUT) {
            if (!(before & GPIO_V2_LINE_FLAG_OUTPUT))
                line->level = 2; /* neither level: the first one is an edge */
            drive(offsets[index], first_level(config, index));
        }
    }
    return 0;
}

static int request(struct gpio_v2_line_request *wanted)
{
    if (wanted->num_lines == 0 || wanted->num_lines > GPIO_V2_LINES_MAX)
        return fail(EINVAL);
    for (uint32_t at = 0; at < wanted->num_lines; at++) {
        if (wanted->offsets[at] >= LINES)
            return fail(EINVAL);
        if (taken(&chip->lines[wanted->offsets[at]]))
            return fail(EBUSY);
    }
    int fd = real_open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0 || fd >= FDS)
        return fail(EMFILE);
    if (configure(wanted->offsets, wanted->num_lines, &wanted->config) != 0) {
        int why = errno;
        real_close(fd);
        return fail(why);
    }
    requests[fd].count = wanted->num_lines;
    memcpy(requests[fd].offsets, wanted->offsets, sizeof(uint32_t) * wanted->num_lines);
    for (uint32_t at = 0; at < wanted->num_lines; at++) {
        struct line *line = &chip->lines[wanted->offsets[at]];
        line->owner = (uint32_t)getpid();
        memcpy(line->consumer, wanted->consumer, sizeof line->consumer);
        line->consumer[sizeof line->consumer - 1] = 0;
    }
    wanted->fd = fd;
    return 0;
}

static int on_chip(unsigned long what, void *arg)
{
    if (what == GPIO_GET_CHIPINFO_IOCTL) {
        struct gpiochip_info *info = arg;
        memset(info, 0, sizeof *info);
        strcpy(info->name, "gpiochip0");
        strcpy(info->label, "emberboard-shim");
        info->lines = LINES;
        return 0;
    }
    if (what == GPIO_V2_GET_LINEINFO_IOCTL) {
        struct gpio_v2_line_info *info = arg;
        if (info->offset >= LINES)
            return fail(EINVAL);
        const struct line *line = &chip->lines[info->offset];
        uint32_t offset = info->offset;
        memset(info, 0, sizeof *info);
        info->offset = offset;
        snprintf(info->name, sizeof info->name, "GPIO%u", offset);
        memcpy(info->consumer, line->consumer, sizeof info->consumer);
        info->flags = line->flags ? line->flags : GPIO_V2_LINE_FLAG_INPUT;
        if (taken(line))
            info->flags |= GPIO_V2_LINE_FLAG_USED;
        return 0;
    }
    if (what == GPIO_V2_GET_LINE_IOCTL)
        return request(arg);
    return fail(ENOTTY);
}

static int on_request(int fd, unsigned long what, void *arg)
{
    const uint32_t *offsets = requests[fd].offsets;
    uint32_t count = requests[fd].count;
    if (what == GPIO_V2_LINE_GET_VALUES_IOCTL) {
        struct gpio_v2_line_values *values = arg;
        values->bits = 0;
        for (uint32_t at = 0; at < count; at++)
            if (values->mask >> at & 1)
                values->bits |= (uint64_t)read_line(offsets[at]) << at;
        return 0;
    }
    if (what == GPIO_V2_LINE_SET_VALUES_IOCTL) {
        const struct gpio_v2_line_values *values = arg;
        for (uint32_t at = 0; at < count; at++) {
            if (!(values->mask >> at & 1))
                continue;
            if (!(chip->lines[offsets[at]].flags & GPIO_V2_LINE_FLAG_OUTPUT))
                return fail(EPERM);
            drive(offsets[at], values->bits >> at & 1);
        }
        return 0;
    }
    if (what == GPIO_V2_LINE_SET_CONFIG_IOCTL)
        return configure(offsets, count, arg);
    return fail(ENOTTY);
}

static int open_chip(void)
{
    if (chip->refuse)
        return fail((int)chip->refuse);
    int fd = real_open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd >= FDS) {
        real_close(fd);
        return fail(EMFILE);
    }
    if (fd >= 0)
        chip_fds[fd] = 1;
    return fd;
}

static int ours(const char *path) { return chip != NULL && path != NULL && strcmp(path, "/dev/gpiochip0") == 0; }

#define PASS_OPEN(real)                                     \
    mode_t mode = 0;                                        \
    if (flags & (O_CREAT | __O_TMPFILE)) {                  \
        va_list rest;                                       \
        va_start(rest, flags);                              \
        mode = (mode_t)va_arg(rest, int);                   \
        va_end(rest);                                       \
    }                                                       \
    return ours(path) ? open_chip() : real(path, flags, mode);

int open(const char *path, int flags, ...) { PASS_OPEN(real_open) }
int open64(const char *path, int flags, ...) { PASS_OPEN(real_open64) }

int ioctl(int fd, unsigned long what, ...)
{
    va_list rest;
    va_start(rest, what);
    void *arg = va_arg(rest, void *);
    va_end(rest);
    if (chip == NULL || fd < 0 || fd >= FDS || (!chip_fds[fd] && !requests[fd].count))
        return real_ioctl(fd, what, arg);
    hold();
    int made = chip_fds[fd] ? on_chip(what, arg) : on_request(fd, what, arg);
    int why = errno;
    let_go();
    errno = why;
    return made;
}

int close(int fd)
{
    if (chip != NULL && getpid() == self && fd >= 0 && fd < FDS) {
        chip_fds[fd] = 0;
        if (requests[fd].count) {
            hold();
            for (uint32_t at = 0; at < requests[fd].count; at++) {
                struct line *line = &chip->lines[requests[fd].offsets[at]];
                line->owner = 0;
                line->flags = 0;
                memset(line->consumer, 0, sizeof line->consumer);
            }
            requests[fd].count = 0;
            let_go();
        }
    }
    return real_close(fd);
}
