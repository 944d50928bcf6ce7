/* Items that are found again by what they are about: a key of 64-bit words, of any length.
 *
 * Slots are chosen by a hash of the key, the next free one where that is taken. Keys and items lie
 * apart, in the order in which they came, so that slots are small.
 */
#ifndef SATOR_BASE_MEMO_H
#define SATOR_BASE_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sator_memo;

/* A memo without items of "item_size" bytes (GIVE: sator_memo_free; NULL is none). */
struct sator_memo *sator_memo_new(size_t item_size);
void sator_memo_free(struct sator_memo *memo);
/* Forget all items; the memory that they had is kept for the next ones. */
void sator_memo_clear(struct sator_memo *memo);

/* The item of the "length" words at "key", NULL when there is none; and one that is made, zeroed,
 * when there is none: "*is_new". Both are valid until the next item is made. */
void *sator_memo_find(const struct sator_memo *memo, const int64_t *key, size_t length);
void *sator_memo_place(struct sator_memo *memo, const int64_t *key, size_t length, bool *is_new);

/* How many there are, one after the other in the order in which they came, and the words of all
 * their keys together. */
size_t sator_memo_size(const struct sator_memo *memo);
void *sator_memo_items(const struct sator_memo *memo);
size_t sator_memo_key_words(const struct sator_memo *memo);

#endif
