// "Did you mean": the known name nearest to a mistyped one.
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

typedef struct suggestion
{
	const char *typed;
	const char *best; // NULL until a name is close enough
	int distance;
} suggestion;

void suggest_begin(suggestion *s, const char *typed);
void suggest_offer(suggestion *s, const char *known);

#endif
