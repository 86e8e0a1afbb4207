// What is printed on a terminal fits its width: the line that tells how far a run is, and lists of words.
#define _GNU_SOURCE
#include "cli/cache.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>

static const char scene[] =
    "spate: 1\nframes: 1000000\nfps: 1000\nfluids:\n  water: { spacing: 0.1 }\n"
    "sources:\n  - { type: fill, fluid: water, shape: { box: { min: [0, 0, 0], max: [0.3, 0.3, 0.3] } } }\n"
    "colliders:\n  - { shape: { box: { min: [0, 0, 0], max: [1, 1, 1] } }, mode: inside }\n";

typedef struct terminal
{
	int master;
	pid_t child;
	char text[65536];
	size_t used;
} terminal;

static void resize(const terminal *t, unsigned short columns)
{
	assert_int_equal(ioctl(t->master, TIOCSWINSZ, &(struct winsize){.ws_row = 24, .ws_col = columns}), 0);
}

// `spate` on a terminal of so many columns.
static terminal start(const scratch *s, unsigned short columns, const char *const *arguments)
{
	static terminal t;
	t = (terminal){.master = posix_openpt(O_RDWR | O_NOCTTY)};
	assert_true(t.master >= 0 && grantpt(t.master) == 0 && unlockpt(t.master) == 0);
	resize(&t, columns);
	int slave = open(ptsname(t.master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	t.child = fork();
	assert_true(t.child >= 0);
	if (t.child == 0)
	{
		dup2(slave, STDOUT_FILENO);
		dup2(slave, STDERR_FILENO);
		close(slave);
		close(t.master);
		if (chdir(s->path) == 0)
			execv(getenv("SPATE_BINARY"), (char *const *)(size_t)arguments);
		_exit(127);
	}
	close(slave);
	return t;
}

static const char *const *run_of(const char *frames)
{
	static const char *arguments[] = {"spate", "run",      "still.yaml", "--overwrite", "--threads",
					  "1",     "--frames", NULL,         NULL};
	arguments[7] = frames;
	return arguments;
}

// More of what was written; 0 when there is nothing more.
static int more(terminal *t)
{
	ssize_t got =
	    t->used + 1 < sizeof t->text ? read(t->master, t->text + t->used, sizeof t->text - 1 - t->used) : 0;
	t->used += got > 0 ? (size_t)got : 0;
	t->text[t->used] = '\0';
	return got > 0;
}

static void finish(terminal *t, int kill_it)
{
	int status;
	if (kill_it)
		kill(t->child, SIGKILL);
	assert_int_equal(waitpid(t->child, &status, 0), t->child);
	assert_true(kill_it || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
	close(t->master);
}

// The n-th progress line, whole, without what clears the line before; 0 when there are fewer.
static int line_of(const terminal *t, size_t n, char *out, size_t size)
{
	static const char begin[] = "\r\033[K";
	const char *at = t->text;
	for (size_t i = 0; i <= n; i++)
	{
		at = strstr(at, begin);
		if (!at)
			return 0;
		at += strlen(begin);
	}
	size_t length = strcspn(at, "\r\n");
	snprintf(out, size, "%.*s", (int)length, at);
	return at[length] != '\0';
}

static void test_widths(void **state)
{
	static const struct
	{
		unsigned short columns;
		const char *there[3], *left_out;
	} cases[] = {
	    {200, {"particles", "steps/s", "elapsed"}, "unknown"},
	    {80, {"particles", "density error", "left"}, "steps/s"},
	    {40, {"frame 3/3", "particles", "left"}, "density error"},
	    {24, {"frame 3/3", "left", ""}, "particles"},
	    {6, {"frame", "", ""}, "3/3"},
	};
	scratch s = scratch_make();
	char line[512], path[512];
	(void)state;
	snprintf(path, sizeof path, "%s", scratch_file(&s, "still.yaml"));
	cache_write_text(path, scene);
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
	{
		terminal t = start(&s, cases[c].columns, run_of("3"));
		while (more(&t))
			;
		finish(&t, 0);
		size_t lines = 0;
		for (; line_of(&t, lines, line, sizeof line); lines++)
			if (strlen(line) >= cases[c].columns)
				fail_msg("%zu letters on %u columns: %s", strlen(line), cases[c].columns, line);
		assert_true(lines >= 2);
		assert_true(line_of(&t, lines - 1, line, sizeof line));
		for (int i = 0; i < 3; i++)
			if (!strstr(line, cases[c].there[i]))
				fail_msg("no %s on %u columns: %s", cases[c].there[i], cases[c].columns, line);
		if (strstr(line, cases[c].left_out))
			fail_msg("%s on %u columns: %s", cases[c].left_out, cases[c].columns, line);
	}
	scratch_remove(&s);
}

// Lines get shorter when the window does.
static void test_resize(void **state)
{
	scratch s = scratch_make();
	char line[512];
	(void)state;
	cache_write_text(scratch_file(&s, "still.yaml"), scene);
	terminal t = start(&s, 120, run_of("1000000"));
	while (!line_of(&t, 1, line, sizeof line))
		assert_true(more(&t));
	assert_true(strlen(line) > 40);
	resize(&t, 30);
	for (size_t n = 2; strlen(line) >= 30;)
		if (line_of(&t, n, line, sizeof line))
			n++;
		else
			assert_true(more(&t));
	assert_non_null(strstr(line, "frame "));
	finish(&t, 1);
	scratch_remove(&s);
}

// Every word of the list that a pipe gets is whole in that of a narrow terminal.
static void test_wrapping(void **state)
{
	static const char *const arguments[] = {"spate", "example", NULL};
	scratch s = scratch_make();
	(void)state;
	terminal t = start(&s, 50, arguments);
	while (more(&t))
		;
	finish(&t, 0);
	command_result plain = command_run(s.path, "example");
	char all[sizeof t.text], *words = plain.text;
	snprintf(all, sizeof all, "%s", t.text);
	size_t lines = 0;
	for (const char *line = t.text; *line; line += strcspn(line, "\n"), line += *line == '\n', lines++)
		assert_true(strcspn(line, "\r\n") < 50);
	assert_true(lines > 40);
	char *mine = NULL, *theirs = NULL, *a = strtok_r(all, " \r\n", &mine), *b = strtok_r(words, " \r\n", &theirs);
	for (; a && b; a = strtok_r(NULL, " \r\n", &mine), b = strtok_r(NULL, " \r\n", &theirs))
		assert_string_equal(a, b);
	assert_true(!a && !b);
	scratch_remove(&s);
}

// Help is as wide as the terminal, within reason; its examples are as they are written.
static void test_help(void **state)
{
	static const char *const arguments[] = {"spate", "run", "--help", NULL};
	static const unsigned short widths[] = {66, 100, 300};
	scratch s = scratch_make();
	(void)state;
	for (int i = 0; i < 3; i++)
	{
		terminal t = start(&s, widths[i], arguments);
		while (more(&t))
			;
		finish(&t, 0);
		size_t longest = 0, most = widths[i] - 1 < 120 ? widths[i] - 1 : 120;
		const char *example =
		    "  spate run scenes/dam_break.yaml -o out/coarse --set fluids.water.spacing=0.025 "
		    "--frames 48\r\n";
		assert_non_null(strstr(t.text, example));
		for (const char *line = t.text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		{
			size_t length = strcspn(line, "\r\n");
			if (strncmp(line, "  spate ", 8) != 0 && length > longest)
				longest = length;
		}
		if (longest > most || longest + 12 < most)
			fail_msg("the longest line has %zu columns of %zu", longest, most);
	}
	scratch_remove(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_widths), cmocka_unit_test(test_resize),
					   cmocka_unit_test(test_wrapping), cmocka_unit_test(test_help)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
