// Disks that are full and directories that cannot be written: one sentence, exit code 1, nothing lost, and the run goes on once
// there is room.
#define _GNU_SOURCE
#include "run_support.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>

enum
{
	FRAMES = 12,
	EVERY = 3
};

typedef struct fixture
{
	scratch s;
	char whole[1100];   // directory of an undisturbed run
	char mounted[1100]; // a small disk; empty when there is none
} fixture;

static int set_up(void **state)
{
	fixture *f = calloc(1, sizeof *f);
	assert_non_null(f);
	f->s = scratch_make();
	snprintf(f->whole, sizeof f->whole, "%s/whole", f->s.path);
	spate_run_gives(&f->s, 0, f->whole, NULL, NULL, NULL);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	fixture *f = *state;
	if (f->mounted[0])
		umount2(f->mounted, MNT_DETACH);
	scratch_remove(&f->s);
	free(f);
	return 0;
}

static size_t size_of(const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0)
		fail_msg("%s is missing", path);
	return (size_t)status.st_size;
}

static int run_limited(fixture *f, const char *directory, size_t limit, char *said, size_t bytes)
{
	const char *arguments[] = {"run", basin_path(), "-o", directory, "-q", "-t", "1", "--resume", NULL};
	if (access(directory, F_OK) != 0)
		arguments[7] = NULL;
	child c = child_start(&f->s, arguments, limit);
	return child_wait(&c, said, bytes);
}

// A limit on the size of files, just below that of each file in turn: whatever fails first, it fails well.
static void files_too_large(void **state)
{
	fixture *f = *state;
	size_t largest = 0;
	for (int n = 1; n <= FRAMES; n++)
		largest = largest > size_of(run_frame_path(f->whole, n).text)
			      ? largest
			      : size_of(run_frame_path(f->whole, n).text);
	size_t limits[] = {100, size_of(run_file_path(f->whole, RUN_SCENE).text) - 1,
			   size_of(run_file_path(f->whole, RUN_STATS).text) / 2,
			   size_of(run_frame_path(f->whole, 1).text) - 1, largest}; // which only a checkpoint exceeds
	for (size_t n = 0; n < sizeof limits / sizeof *limits; n++)
	{
		char name[32], said[4096];
		snprintf(name, sizeof name, "limited_%zu", n);
		const char *directory = scratch_file(&f->s, name);
		int code = run_limited(f, directory, limits[n], said, sizeof said);
		if (code != 1)
			fail_msg("with files of at most %zu bytes the exit code is %d, expected 1: %s", limits[n], code,
				 said);
		check_sentence(said, "file too large");
		size_t frames = check_frames_whole(directory);
		assert_in_range(frames, n == 4 ? EVERY : 0, FRAMES);
		check_no_temporaries(directory);
		assert_int_equal(run_limited(f, directory, 0, said, sizeof said), 0);
		check_same_run(f->whole, directory, FRAMES);
	}
}

// Bytes of all files below a directory.
static size_t total_bytes;

static int add_bytes(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)path, (void)walk;
	total_bytes += type == FTW_F ? ((size_t)status->st_size + 4095) / 4096 * 4096 : 0;
	return 0;
}

// Takes all but `left` bytes of the disk.
static void fill_disk(const char *path, const char *mounted, size_t left)
{
	struct statvfs disk;
	assert_int_equal(statvfs(mounted, &disk), 0);
	size_t available = (size_t)disk.f_bavail * disk.f_bsize;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	assert_true(fd >= 0 && available > left);
	assert_int_equal(posix_fallocate(fd, 0, (off_t)(available - left)), 0);
	close(fd);
}

static void disk_full(void **state)
{
	fixture *f = *state;
	const char *place = scratch_file(&f->s, "disk");
	assert_int_equal(mkdir(place, 0777), 0);
	if (mount("spate_test", place, "tmpfs", 0, "size=16m") != 0)
		skip_because("no small disk can be mounted: %s", strerror(errno));
	snprintf(f->mounted, sizeof f->mounted, "%s", place);
	total_bytes = 0;
	nftw(f->whole, add_bytes, 16, FTW_PHYS);
	assert_in_range(total_bytes, 100000, 8000000);
	char directory[1200], filler[1200], said[4096];
	snprintf(filler, sizeof filler, "%s/filler", f->mounted);
	for (int eighths = 0; eighths < 8; eighths++)
	{
		snprintf(directory, sizeof directory, "%s/run_%d", f->mounted, eighths);
		fill_disk(filler, f->mounted, total_bytes * (size_t)eighths / 8);
		int code = run_limited(f, directory, 0, said, sizeof said);
		if (code != 1)
			fail_msg("on a full disk (%d/8 of the run fit) the exit code is %d, expected 1: %s", eighths,
				 code, said);
		check_sentence(said, "no space left on device");
		int begun = access(run_file_path(directory, RUN_SCENE).text, F_OK) == 0;
		assert_non_null(strstr(said, begun ? "the same command then continues" : "free some and run again"));
		if (eighths > 0)
		{
			check_frames_whole(directory);
			check_no_temporaries(directory);
		}
		assert_int_equal(unlink(filler), 0);
		assert_int_equal(run_limited(f, directory, 0, said, sizeof said), 0);
		check_same_run(f->whole, directory, FRAMES);
		scratch_remove_tree(directory);
	}
}

static void not_a_directory(void **state)
{
	fixture *f = *state;
	FILE *file = fopen(scratch_file(&f->s, "file"), "w");
	assert_non_null(file);
	fclose(file);
	char said[4096];
	const char *places[] = {"file", "file/run", "file/deep/run"};
	for (int n = 0; n < 3; n++)
	{
		const char *arguments[] = {"run", basin_path(), "-o", scratch_file(&f->s, places[n]), "-q", NULL};
		child c = child_start(&f->s, arguments, 0);
		assert_int_equal(child_wait(&c, said, sizeof said), 1);
		check_sentence(said, "is not a directory");
	}
}

static void not_writable(void **state)
{
	fixture *f = *state;
	// what root starts from here on asks for permissions like everybody else
	if (geteuid() == 0 && prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) != 0)
		skip_because("root writes everywhere, and cannot give that up: %s", strerror(errno));
	const char *place = scratch_file(&f->s, "locked");
	assert_int_equal(mkdir(place, 0555), 0);
	const char *arguments[] = {"run", basin_path(), "-o", scratch_file(&f->s, "locked/run"), "-q", NULL};
	child c = child_start(&f->s, arguments, 0);
	char said[4096];
	assert_int_equal(child_wait(&c, said, sizeof said), 1);
	check_sentence(said, "permission denied");
}

static int put_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	int good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return good;
}

// A name space of our own, under the same user, where everybody may mount disks; only a process of one thread may enter it.
static void enter_name_space(void)
{
	char users[64], groups[64];
	snprintf(users, sizeof users, "%u %u 1", geteuid(), geteuid());
	snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !put_text("/proc/self/uid_map", users) ||
	    !put_text("/proc/self/setgroups", "deny") || !put_text("/proc/self/gid_map", groups))
		printf("no name space of our own: %s\n", strerror(errno));
}

int main(void)
{
	if (geteuid() != 0)
		enter_name_space();
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(files_too_large),
	    cmocka_unit_test(disk_full),
	    cmocka_unit_test(not_a_directory),
	    cmocka_unit_test(not_writable),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
