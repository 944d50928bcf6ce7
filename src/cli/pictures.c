/* What --html, --svg and the pictures of --show have in common: a page is filled, then written. */
#include "cli/pictures.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEFAULT_WIDTH = 80,
    WIDEST = 400
};

static bool shows_picture(const struct cli_options *options)
{
    return options->show != NULL && strcmp(options->show, "stamps") != 0 &&
            strcmp(options->show, "relations") != 0;
}

static bool is_report(const struct cli_options *options)
{
    return options->command != NULL && strcmp(options->command->name, "report") == 0;
}

bool cli_wants_page(const struct cli_options *options)
{
    return is_report(options) || options->html || options->svg != NULL || shows_picture(options);
}

int cli_check_page(const struct cli_options *options)
{
    const bool report = is_report(options);
    const struct cli_void cases[] = {
            {options->html, "json csv svg show sort", "does not go with --html, which is a page"},
            {options->svg != NULL, "json csv show sort",
                    "does not go with --svg, which is a picture"},
            {shows_picture(options), "json csv sort", "does not go with a picture"},
            {!cli_wants_page(options) && options->show == NULL, "from stamps",
                    "goes with --show stamps, --show array, --svg array, --html, or sator report"},
            {options->show == NULL || strcmp(options->show, "stamps") != 0, "max-cells",
                    "goes with --show stamps"},
    };
    int exit_code = cli_refuse_void(options, cases, sizeof cases / sizeof *cases);

    if (exit_code != CLI_DONE)
        return exit_code;
    if ((report || options->html) && !options->json && options->svg == NULL &&
            options->output == NULL && isatty(STDOUT_FILENO))
        return cli_usage(options, "a page is no text for a terminal: name its file with -o FILE");
    return CLI_DONE;
}

struct sator_page *cli_page_new(struct sator_ctx *ctx, const struct cli_options *options,
        const struct sator_report_window *window)
{
    const struct sator_page_options given = {.command = options->line, .window = window};
    struct sator_page *page = NULL;

    (void)sator_page_new(ctx, &given, &page); /* only a wrong call fails */
    return page;
}

/* ---- the terminal ---- */

static int columns(const struct cli_options *options)
{
    int width = cli_width(options);

    return width == 0 ? DEFAULT_WIDTH : width > WIDEST ? WIDEST : width;
}

static bool has_unicode(void)
{
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    bool unicode = false;

    if (locale == (locale_t)0)
        return false;
    unicode = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    freelocale(locale);
    return unicode;
}

int cli_page_write(
        struct sator_ctx *ctx, const struct cli_options *options, struct sator_page *page)
{
    const struct sator_show_options show = {.width = columns(options),
            .ascii = !has_unicode(),
            .color = options->output == NULL && cli_color(stdout)};
    enum sator_status status = SATOR_OK;
    char *text = NULL;

    if (options->svg != NULL)
        status = sator_page_svg(ctx, page, options->svg, &text);
    else if (shows_picture(options))
        status = sator_page_show(ctx, page, options->show, &show, &text);
    else
        text = options->json ? sator_page_json(page) : sator_page_html(page);
    cli_print_messages(ctx);
    int exit_code = status == SATOR_OK ? cli_write(options, text) : cli_status(status, "picture");
    free(text);
    return exit_code;
}
