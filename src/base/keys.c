/* A struct as one line of text, and back. */
#include "base/keys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/number.h"
#include "base/memory.h"

static const char BLANKS[] = " \t\r\n";

clpac_status clpac__keys_refuse(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
				const char *wanted, clpac_error *err)
{
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s: %s=%.100s is not understood: give %s (character %zu)",
			   reading->what, key->name, value, wanted, reading->position);
}

bool clpac__keys_parse_whole(const char *text, uint64_t most, uint64_t *out, const char **end)
{
	uint64_t value;
	if (!clpac__parse_count(text, &value, end) || value > most)
		return false;
	*out = value;
	return true;
}

static const void *member_of(const clpac__key *key, const void *object)
{
	return (const char *)object + key->offset;
}

static void *member_to_set(const clpac__key *key, void *object)
{
	return (char *)object + key->offset;
}

/* ---- Kinds of member ----------------------------------------------------------------------------------------------
 */

static void write_number(clpac__text *text, const clpac__key *key, const void *object)
{
	clpac__text_add_number(text, *(const double *)member_of(key, object));
}

static clpac_status read_number(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
				void *object, clpac_error *err)
{
	const char *end;
	double number;
	if (!clpac__parse_number(value, &number, &end) || *end)
		return clpac__keys_refuse(reading, key, value, "a number", err);
	*(double *)member_to_set(key, object) = number;
	return CLPAC_OK;
}
const clpac__key_kind clpac__key_number = {read_number, write_number};

_Static_assert(sizeof(unsigned) == sizeof(uint32_t), "whole numbers have four bytes or eight");

static uint64_t whole_of(const clpac__key *key, const void *object)
{
	uint32_t small;
	uint64_t large;
	if (key->bytes == sizeof large) {
		memcpy(&large, member_of(key, object), sizeof large);
		return large;
	}
	memcpy(&small, member_of(key, object), sizeof small);
	return small;
}

static void set_whole(const clpac__key *key, void *object, uint64_t value)
{
	const uint32_t small = (uint32_t)value;
	if (key->bytes == sizeof value)
		memcpy(member_to_set(key, object), &value, sizeof value);
	else
		memcpy(member_to_set(key, object), &small, sizeof small);
}

static uint64_t largest_of(const clpac__key *key)
{
	return key->bytes == sizeof(uint64_t) ? UINT64_MAX : UINT32_MAX;
}

static void write_count(clpac__text *text, const clpac__key *key, const void *object)
{
	clpac__text_add(text, "%" PRIu64, whole_of(key, object));
}

static clpac_status read_count(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
			       void *object, clpac_error *err)
{
	uint64_t whole;
	const char *end;
	if (!clpac__keys_parse_whole(value, largest_of(key), &whole, &end) || *end)
		return clpac__keys_refuse(reading, key, value, "a whole number from 0 on", err);
	set_whole(key, object, whole);
	return CLPAC_OK;
}
const clpac__key_kind clpac__key_count = {read_count, write_count};

static clpac_status read_size(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
			      void *object, clpac_error *err)
{
	uint64_t whole;
	const char *unit;
	if (!clpac__keys_parse_whole(value, UINT64_MAX, &whole, &unit))
		goto refused;
	const int power = clpac__byte_power(unit);
	if (power < 0 || whole > UINT64_MAX >> 10 * power)
		goto refused;
	whole <<= 10 * power;
	set_whole(key, object, whole);
	return CLPAC_OK;
refused:
	return clpac__keys_refuse(reading, key, value, "bytes, as 67108864 or 64M (K, M, G, T)", err);
}
const clpac__key_kind clpac__key_size = {read_size, write_count};

static void write_yes(clpac__text *text, const clpac__key *key, const void *object)
{
	clpac__text_add(text, "%s", *(const bool *)member_of(key, object) ? "yes" : "no");
}

static clpac_status read_yes(const clpac__keys_reading *reading, const clpac__key *key, const char *value, void *object,
			     clpac_error *err)
{
	const bool yes = !strcmp(value, "yes");
	if (!yes && strcmp(value, "no"))
		return clpac__keys_refuse(reading, key, value, "yes or no", err);
	*(bool *)member_to_set(key, object) = yes;
	return CLPAC_OK;
}
const clpac__key_kind clpac__key_yes = {read_yes, write_yes};

static void write_choice(clpac__text *text, const clpac__key *key, const void *object)
{
	const uint64_t choice = whole_of(key, object);
	uint64_t n = 0;
	while (key->words[n])
		n++;
	if (choice < n)
		clpac__text_add(text, "%s", key->words[choice]);
	else
		clpac__text_add(text, "%" PRIu64, choice); /* a wrong one is written too, so that a failure shows it */
}

static clpac_status read_choice(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
				void *object, clpac_error *err)
{
	char wanted[256] = "";
	size_t length = 0;
	for (unsigned i = 0; key->words[i]; i++) {
		if (!strcmp(value, key->words[i])) {
			set_whole(key, object, i);
			return CLPAC_OK;
		}
		const char *between = !i ? "" : key->words[i + 1] ? ", " : " or ";
		length += (size_t)snprintf(wanted + length, sizeof wanted - length, "%s%s", between, key->words[i]);
	}
	return clpac__keys_refuse(reading, key, value, wanted, err);
}
const clpac__key_kind clpac__key_choice = {read_choice, write_choice};

static void write_word(clpac__text *text, const clpac__key *key, const void *object)
{
	clpac__text_add(text, "%.*s", (int)key->bytes, (const char *)member_of(key, object));
}

static clpac_status read_word_member(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
				     void *object, clpac_error *err)
{
	char wanted[64];
	snprintf(wanted, sizeof wanted, "at most %zu characters", key->bytes - 1);
	if (strlen(value) >= key->bytes)
		return clpac__keys_refuse(reading, key, value, wanted, err);
	char *member = member_to_set(key, object);
	memset(member, 0, key->bytes);
	memcpy(member, value, strlen(value));
	return CLPAC_OK;
}
const clpac__key_kind clpac__key_word = {read_word_member, write_word};

static void write_pointer(clpac__text *text, const clpac__key *key, const void *object)
{
	(void)key, (void)object;
	clpac__text_add(text, "set");
}

static clpac_status read_pointer(const clpac__keys_reading *reading, const clpac__key *key, const char *value,
				 void *object, clpac_error *err)
{
	(void)object;
	return clpac__fail(err, CLPAC_ERROR_ARGUMENT,
			   "%s: %s=%.100s names an object of the program, which the text does not hold: take it out, "
			   "read the rest, and set %s again (character %zu)",
			   reading->what, key->name, value, key->name, reading->position);
}
const clpac__key_kind clpac__key_pointer = {read_pointer, write_pointer};

/* ---- Whole texts --------------------------------------------------------------------------------------------------
 */

static clpac_status refuse_key(const clpac__keys_reading *reading, const char *noun, const clpac__key *keys, size_t n,
			       const char *word, clpac_error *err)
{
	clpac__text names = {0};
	for (size_t i = 0; i < n; i++)
		clpac__text_add(&names, "%s%s", i ? ", " : "", keys[i].name);
	char *list = clpac__text_take(&names);
	clpac_status st =
		clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s: \"%.100s\" is no key of %s: there are %s (character %zu)",
			    reading->what, word, noun, list ? list : "others", reading->position);
	clpac__free(list);
	return st;
}

static clpac_status read_word(const clpac__keys_reading *reading, const char *noun, const clpac__key *keys, size_t n,
			      char *word, bool *seen, void *object, clpac_error *err)
{
	char *mark = strchr(word, '=');
	if (!mark)
		return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s: \"%.100s\" is not KEY=VALUE (character %zu)",
				   reading->what, word, reading->position);
	*mark = 0;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(word, keys[i].name))
			continue;
		if (seen[i])
			return clpac__fail(err, CLPAC_ERROR_ARGUMENT, "%s: %s is given twice (character %zu)",
					   reading->what, word, reading->position);
		seen[i] = true;
		return keys[i].kind->read(reading, &keys[i], mark + 1, object, err);
	}
	return refuse_key(reading, noun, keys, n, word, err);
}

clpac_status clpac__keys_read(const char *what, const char *noun, const clpac__key *keys, size_t n, const char *text,
			      void *object, clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	char *rest = NULL, *words = clpac__strdup(text);
	bool *seen = clpac__alloc_array(n, sizeof *seen);
	if (!words || !seen)
		FAIL_NO_MEMORY(strlen(text) + 1);
	for (char *word = strtok_r(words, BLANKS, &rest); word; word = strtok_r(NULL, BLANKS, &rest)) {
		const clpac__keys_reading reading = {what, (size_t)(word - words) + 1};
		TRY(read_word(&reading, noun, keys, n, word, seen, object, err));
	}
done:
	FREE_ALL(seen, words);
	return st;
}

void clpac__keys_write(clpac__text *text, const clpac__key *key, const void *object)
{
	clpac__text_add(text, "%s%s=", text->length ? " " : "", key->name);
	key->kind->write(text, key, object);
}

static bool is_zero(const clpac__key *key, const void *object)
{
	const char *member = member_of(key, object);
	/* Bytes behind a word's end are not part of it. */
	const size_t n = key->kind == &clpac__key_word ? 1 : key->bytes;
	for (size_t i = 0; i < n; i++)
		if (member[i])
			return false;
	return true;
}

clpac_status clpac__keys_write_set(const char *what, const clpac__key *keys, size_t n, const void *object, char **out,
				   clpac_error *err)
{
	clpac_status st = CLPAC_OK;
	clpac__text text = {0};
	for (size_t i = 0; i < n; i++) {
		const char *member = member_of(&keys[i], object);
		if (is_zero(&keys[i], object))
			continue;
		if (keys[i].kind == &clpac__key_word) {
			if (!memchr(member, 0, keys[i].bytes) || member[strcspn(member, BLANKS)])
				FAIL(CLPAC_ERROR_ARGUMENT,
				     "%s: %s is \"%.*s\": it must have at most %zu characters and no blank", what,
				     keys[i].name, (int)keys[i].bytes, member, keys[i].bytes - 1);
		}
		clpac__keys_write(&text, &keys[i], object);
	}
	char *made = clpac__text_take(&text);
	if (!made)
		FAIL(CLPAC_ERROR_NO_MEMORY, "%s: the host has no memory left for the text", what);
	*out = made;
done:
	clpac__text_clear(&text);
	return st;
}
