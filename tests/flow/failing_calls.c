/* Definitions in the program itself come before those of every library, the C library included.  GNU's has its
 * allocator under second names. */
#undef _FORTIFY_SOURCE /* its inline functions have these names */
#include "failing_calls.h"

#include <stdio.h> /* for __GLIBC__ */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)

const char *failing_calls_missing(void)
{
	return "calls can be replaced with the GNU C library alone, and not under a sanitizer";
}

int failing_number(failing_kind kind)
{
	return (int)kind;
}

void failing_begin(failing_kind kind, long at, bool lasts)
{
	(void)kind, (void)at, (void)lasts;
}

long failing_end(void)
{
	return 0;
}

void failing_watch(void (*watch)(unsigned long number))
{
	(void)watch;
}

long failing_live_blocks(void)
{
	return 0;
}

#else

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *failing_calls_missing(void)
{
	return NULL;
}

static const int numbers[FAILING_KINDS] = {
	[FAILING_ALLOCATION] = ENOMEM, [FAILING_OWN_ALLOCATION] = ENOMEM,
	[FAILING_OPEN] = EMFILE,       [FAILING_READ] = EIO,
	[FAILING_WRITE] = ENOSPC,      [FAILING_SYNC] = EIO,
	[FAILING_RENAME] = ENOSPC,     [FAILING_CLOSE] = EIO,
	[FAILING_THREAD] = EAGAIN,
};

int failing_number(failing_kind kind)
{
	return numbers[kind];
}

static atomic_int failing;
static atomic_long n_calls;
static long failing_at;
static bool failing_lasts;
static void (*watching)(unsigned long number);

void failing_watch(void (*watch)(unsigned long number))
{
	watching = watch;
}

static bool fails(failing_kind kind)
{
	if (atomic_load_explicit(&failing, memory_order_relaxed) != (int)kind)
		return false;
	const long call = atomic_fetch_add(&n_calls, 1) + 1;
	if (watching)
		watching((unsigned long)call);
	if (call != failing_at && !(failing_lasts && call > failing_at))
		return false;
	errno = numbers[kind];
	return true;
}

/* --- The allocator ------------------------------------------------------------------------------ */

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *block);

struct range {
	uintptr_t first, end;
};
static struct range program, jansson, fontconfig, freetype, expat;

static int note_ranges(struct dl_phdr_info *info, size_t size, void *is_first)
{
	(void)size;
	struct range *found = *(bool *)is_first				 ? &program
			      : strstr(info->dlpi_name, "libjansson")	 ? &jansson
			      : strstr(info->dlpi_name, "libfontconfig") ? &fontconfig
			      : strstr(info->dlpi_name, "libfreetype")	 ? &freetype
			      : strstr(info->dlpi_name, "libexpat")	 ? &expat
									 : NULL;
	*(bool *)is_first = false;
	for (int i = 0; found && i < info->dlpi_phnum; i++) {
		const uintptr_t first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (!found->end || first < found->first)
			found->first = first;
		if (first + info->dlpi_phdr[i].p_memsz > found->end)
			found->end = first + info->dlpi_phdr[i].p_memsz;
	}
	return 0;
}

static bool is_in(const struct range *range, const void *address)
{
	return (uintptr_t)address >= range->first && (uintptr_t)address < range->end;
}

/* Fonts that cannot be read give way to others, and fontconfig ends the process where it is refused memory. */
static bool is_for_fonts(const void *caller)
{
	return is_in(&fontconfig, caller) || is_in(&freetype, caller) || is_in(&expat, caller);
}

/* A set of the live blocks: a table with open addressing, under a lock. */
enum { MOST_BLOCKS = 1 << 16 };
static void *blocks[MOST_BLOCKS];
static long n_blocks;
static atomic_flag blocks_lock = ATOMIC_FLAG_INIT;
static char removed; /* its address marks a place that was used */

static size_t place_of(const void *block)
{
	return (size_t)((uintptr_t)block / 16 * 2654435761u) % MOST_BLOCKS;
}

static void lock_blocks(void)
{
	while (atomic_flag_test_and_set(&blocks_lock))
		;
}

static void *note(void *block, const void *caller)
{
	if (!block || atomic_load_explicit(&failing, memory_order_relaxed) == FAILING_NONE || !is_in(&program, caller))
		return block;
	lock_blocks();
	size_t at = place_of(block);
	for (size_t i = 0; i < MOST_BLOCKS && blocks[at] && blocks[at] != &removed; i++)
		at = (at + 1) % MOST_BLOCKS;
	blocks[at] = block;
	n_blocks++;
	atomic_flag_clear(&blocks_lock);
	return block;
}

static void forget(const void *block)
{
	if (!block || !n_blocks)
		return;
	lock_blocks();
	size_t at = place_of(block);
	for (size_t i = 0; i < MOST_BLOCKS && blocks[at] && blocks[at] != block; i++)
		at = (at + 1) % MOST_BLOCKS;
	if (blocks[at] == block) {
		blocks[at] = &removed;
		n_blocks--;
	}
	atomic_flag_clear(&blocks_lock);
}

static bool is_refused(const void *caller)
{
	if (is_in(&jansson, caller) || is_for_fonts(caller))
		return false;
	return fails(FAILING_ALLOCATION) || (is_in(&program, caller) && fails(FAILING_OWN_ALLOCATION));
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t bytes)
{
	return is_refused(CALLER) ? NULL : note(__libc_malloc(bytes), CALLER);
}

void *calloc(size_t n, size_t bytes)
{
	return is_refused(CALLER) ? NULL : note(__libc_calloc(n, bytes), CALLER);
}

void *realloc(void *old, size_t bytes)
{
	if (is_refused(CALLER))
		return NULL;
	void *block = __libc_realloc(old, bytes);
	if (!block)
		return NULL;
	forget(old);
	return note(block, CALLER);
}

void *memalign(size_t alignment, size_t bytes);
void *memalign(size_t alignment, size_t bytes)
{
	return is_refused(CALLER) ? NULL : note(__libc_memalign(alignment, bytes), CALLER);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return is_refused(CALLER) ? NULL : note(__libc_memalign(alignment, bytes), CALLER);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
	if (is_refused(CALLER) || !(*out = __libc_memalign(alignment, bytes)))
		return ENOMEM;
	note(*out, CALLER);
	return 0;
}

void free(void *block)
{
	forget(block);
	__libc_free(block);
}

/* --- Files and threads -------------------------------------------------------------------------- */

/* The function behind this one. */
#define BEHIND(result, name, ...)                                                                                      \
	static result (*behind)(__VA_ARGS__);                                                                          \
	if (!behind)                                                                                                   \
	*(void **)&behind = dlsym(RTLD_NEXT, name)

/* Makes ferror true. */
static void mark_error(FILE *file)
{
	file->_flags |= 0x20; /* _IO_ERR_SEEN, which the C library's headers keep to themselves */
}

static bool is_standard(int file)
{
	return file >= 0 && file <= STDERR_FILENO;
}

static int open_in(int folder, const char *name, int flags, mode_t mode, const void *caller)
{
	BEHIND(int, "openat", int, const char *, int, ...);
	if (!is_for_fonts(caller) && fails(FAILING_OPEN))
		return -1;
	return behind(folder, name, flags, mode);
}

/* The mode that follows the flags; any number where none does. */
#define MODE_AFTER(flags)                                                                                              \
	va_list rest;                                                                                                  \
	va_start(rest, flags);                                                                                         \
	const mode_t mode = (flags)&O_CREAT ? va_arg(rest, mode_t) : 0;                                                \
	va_end(rest)

int open(const char *name, int flags, ...)
{
	MODE_AFTER(flags);
	return open_in(AT_FDCWD, name, flags, mode, CALLER);
}

int openat(int folder, const char *name, int flags, ...)
{
	MODE_AFTER(flags);
	return open_in(folder, name, flags, mode, CALLER);
}

int __open_2(const char *name, int flags);
int __open_2(const char *name, int flags)
{
	return open_in(AT_FDCWD, name, flags, 0, CALLER);
}

int __openat_2(int folder, const char *name, int flags);
int __openat_2(int folder, const char *name, int flags)
{
	return open_in(folder, name, flags, 0, CALLER);
}

FILE *fopen(const char *name, const char *mode)
{
	BEHIND(FILE *, "fopen", const char *, const char *);
	return !is_for_fonts(CALLER) && fails(FAILING_OPEN) ? NULL : behind(name, mode);
}

ssize_t read(int file, void *data, size_t bytes)
{
	BEHIND(ssize_t, "read", int, void *, size_t);
	return !is_standard(file) && !is_for_fonts(CALLER) && fails(FAILING_READ) ? -1 : behind(file, data, bytes);
}

ssize_t __read_chk(int file, void *data, size_t bytes, size_t most);
ssize_t __read_chk(int file, void *data, size_t bytes, size_t most)
{
	return bytes > most ? (abort(), -1) : read(file, data, bytes);
}

ssize_t pread(int file, void *data, size_t bytes, off_t at)
{
	BEHIND(ssize_t, "pread", int, void *, size_t, off_t);
	return fails(FAILING_READ) ? -1 : behind(file, data, bytes, at);
}

size_t fread(void *data, size_t each, size_t n, FILE *file)
{
	BEHIND(size_t, "fread", void *, size_t, size_t, FILE *);
	if (file == stdin || is_for_fonts(CALLER) || !fails(FAILING_READ))
		return behind(data, each, n, file);
	mark_error(file);
	return 0;
}

ssize_t write(int file, const void *data, size_t bytes)
{
	BEHIND(ssize_t, "write", int, const void *, size_t);
	return !is_standard(file) && fails(FAILING_WRITE) ? -1 : behind(file, data, bytes);
}

size_t fwrite(const void *data, size_t each, size_t n, FILE *file)
{
	BEHIND(size_t, "fwrite", const void *, size_t, size_t, FILE *);
	if (file == stdout || file == stderr || !fails(FAILING_WRITE))
		return behind(data, each, n, file);
	mark_error(file);
	return 0;
}

int fsync(int file)
{
	(void)file; /* nothing is lost in a test when no disk is waited for */
	return fails(FAILING_SYNC) ? -1 : 0;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	BEHIND(int, "renameat", int, const char *, int, const char *);
	return fails(FAILING_RENAME) ? -1 : behind(from_folder, from, to_folder, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
	BEHIND(int, "linkat", int, const char *, int, const char *, int);
	return fails(FAILING_RENAME) ? -1 : behind(from_folder, from, to_folder, to, flags);
}

int close(int file)
{
	BEHIND(int, "close", int);
	const int result = behind(file);
	return !is_standard(file) && fails(FAILING_CLOSE) ? -1 : result;
}

int fclose(FILE *file)
{
	BEHIND(int, "fclose", FILE *);
	const int result = behind(file);
	return fails(FAILING_CLOSE) ? EOF : result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument)
{
	BEHIND(int, "pthread_create", pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	return fails(FAILING_THREAD) ? EAGAIN : behind(thread, attributes, work, argument);
}

/* --- Begin and end ------------------------------------------------------------------------------ */

void failing_begin(failing_kind kind, long at, bool lasts)
{
	bool is_first = true;
	dl_iterate_phdr(note_ranges, &is_first);
	memset(blocks, 0, sizeof blocks);
	n_blocks = 0;
	failing_at = at;
	failing_lasts = lasts;
	atomic_store(&n_calls, 0);
	atomic_store(&failing, (int)kind);
}

long failing_end(void)
{
	atomic_store(&failing, FAILING_NONE);
	return atomic_load(&n_calls);
}

long failing_live_blocks(void)
{
	return n_blocks;
}

#endif
