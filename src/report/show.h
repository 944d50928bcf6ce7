/* Pictures made of characters (show.c, show_charts.c); false where there is nothing to show. */
#ifndef SATOR_REPORT_SHOW_H
#define SATOR_REPORT_SHOW_H

#include "report/charts.h"

bool show_array(
        struct sator_text *out, struct sator_page *page, const struct sator_show_options *options);
bool show_roofline(
        struct sator_text *out, struct sator_page *page, const struct sator_show_options *options);
bool show_pareto(
        struct sator_text *out, struct sator_page *page, const struct sator_show_options *options);
bool show_tree(
        struct sator_text *out, struct sator_page *page, const struct sator_show_options *options);

#endif
