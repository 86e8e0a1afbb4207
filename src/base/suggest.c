#include "base/suggest.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum
{
	LONGEST = 48 // longer names are not compared
};

static int least(int a, int b)
{
	return a < b ? a : b;
}

// Number of insertions, deletions, replacements and swaps of adjacent letters that turn one word into the other, ignoring case.
static int edit_distance(const char *a, const char *b)
{
	int rows[3][LONGEST + 1];
	int *before = rows[0], *last = rows[1], *now = rows[2];
	int a_length = (int)strlen(a), b_length = (int)strlen(b);
	for (int j = 0; j <= b_length; j++)
		last[j] = j;
	for (int i = 1; i <= a_length; i++)
	{
		now[0] = i;
		for (int j = 1; j <= b_length; j++)
		{
			int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
			now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    tolower((unsigned char)a[i - 2]) == y)
				now[j] = least(now[j], before[j - 2] + 1);
		}
		int *oldest = before;
		before = last;
		last = now;
		now = oldest;
	}
	return last[b_length];
}

void suggest_begin(suggestion *s, const char *typed)
{
	*s = (suggestion){.typed = typed, .distance = 1 + (int)(strlen(typed) > LONGEST ? 0 : strlen(typed) / 3)};
}

void suggest_offer(suggestion *s, const char *known)
{
	if (strlen(s->typed) > LONGEST || strlen(known) > LONGEST)
		return;
	int distance = edit_distance(s->typed, known);
	// do not suggest a word that has nothing in common
	int kin = distance < (int)strlen(s->typed) && distance < (int)strlen(known);
	if (kin && (distance < s->distance || (!s->best && distance == s->distance)))
	{
		s->best = known;
		s->distance = distance;
	}
}
