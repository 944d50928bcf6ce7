#include "api/library.h"

#include "sator/input.h"

#include <string.h>

const char *sator_library_entry_name(const struct sator_library_file *file, const char *folder)
{
    if (folder == NULL)
        return NULL;
    size_t length = strlen(folder);

    return strncmp(file->name, folder, length) == 0 && file->name[length] == '/'
            ? file->name + length + 1
            : NULL;
}

/* Whether two texts are equal but for blanks: "(IJ-P|J,IJK-T)" is "(IJ-P | J,IJK-T)". */
static bool same_but_blanks(const char *a, const char *b)
{
    for (;;) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b)
            return false;
        if (*a == '\0')
            return true;
        a++;
        b++;
    }
}

int sator_library_has_title(
        const struct sator_library_file *file, const char *folder, const char *name)
{
    return sator_library_entry_name(file, folder) != NULL && *file->title != '\0' &&
            same_but_blanks(file->title, name);
}

const struct sator_library_file *sator_library_find(
        const char *folder, const char *name, int *n_alike)
{
    const struct sator_library_file *found = NULL;

    *n_alike = 0;
    for (int i = 0; i < sator_library_file_count; i++) {
        const char *entry = sator_library_entry_name(&sator_library_files[i], folder);
        if (entry != NULL && strcmp(entry, name) == 0) {
            *n_alike = 1;
            return &sator_library_files[i];
        }
    }
    for (int i = 0; i < sator_library_file_count; i++) {
        if (!sator_library_has_title(&sator_library_files[i], folder, name))
            continue;
        found = &sator_library_files[i];
        ++*n_alike;
    }
    return found;
}

/* The "index"-th entry of a kind, or NULL. */
static const struct sator_library_file *entry_at(const char *kind, int index)
{
    for (int i = 0; i < sator_library_file_count && index >= 0; i++) {
        if (sator_library_entry_name(&sator_library_files[i], kind) != NULL && index-- == 0)
            return &sator_library_files[i];
    }
    return NULL;
}

int sator_library_count(const char *kind)
{
    int count = 0;

    for (int i = 0; i < sator_library_file_count; i++)
        count += sator_library_entry_name(&sator_library_files[i], kind) != NULL;
    return count;
}

const char *sator_library_name(const char *kind, int index)
{
    const struct sator_library_file *file = entry_at(kind, index);

    return file == NULL ? NULL : sator_library_entry_name(file, kind);
}

const char *sator_library_summary(const char *kind, int index)
{
    const struct sator_library_file *file = entry_at(kind, index);

    return file == NULL ? NULL : file->summary;
}
