/* How large tables, and budgets of tries, are that the program can do without being as large: when
 * one is full, the next way to the same answer is taken, or it grows.
 *
 * SATOR_ROOM(usual, tiny) is the second number in a build with SATOR_TINY, in which every test runs
 * past their ends (make check). */
#ifndef SATOR_BASE_ROOM_H
#define SATOR_BASE_ROOM_H

#ifdef SATOR_TINY
#define SATOR_ROOM(usual, tiny) (tiny)
#else
#define SATOR_ROOM(usual, tiny) (usual)
#endif

#endif
