/* Layers as C functions with a loop nest between pragmas, which the C reader reads back: loops with
 * constant bounds, one statement, arrays as large as their indices go. */
#include "base/text.h"
#include "convert/convert.h"

#include <ctype.h>
#include <string.h>

/* ---- names and types ---- */

static bool is_name(const char *word)
{
    static const char *const taken[] = {"auto", "break", "case", "char", "const", "continue",
            "default", "do", "double", "else", "enum", "extern", "float", "for", "goto", "if",
            "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
            "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile",
            "while"};

    if (sator_lists(word, sizeof taken / sizeof *taken, taken))
        return false;
    if (!isalpha((unsigned char)*word) && *word != '_')
        return false;
    for (; *word != '\0'; word++) {
        if (!isalnum((unsigned char)*word) && *word != '_')
            return false;
    }
    return true;
}

/* The layer's name as a function's: what no name of C has becomes "_". */
static void write_function_name(struct convert *c, const char *name)
{
    sator_text_put(c->text, is_name(name) || isalpha((unsigned char)*name) ? "" : "layer_");
    for (const char *at = name; *at != '\0'; at++)
        sator_text_add(c->text, "%c", isalnum((unsigned char)*at) ? *at : '_');
}

/* The type of a tensor's elements. */
static const char *type_of(struct convert *c, const struct sator_access *access)
{
    switch (access->word_bits) {
    case 8:
        return "signed char";
    case 16:
        return "_Float16";
    case 64:
        return "double";
    default:
        if (access->word_bits != 32)
            convert_unsaid(c, "words that are not 8, 16, 32 or 64 bits wide (they are float)");
        return "float";
    }
}

/* ---- expressions ---- */

static void write_expr(
        struct sator_text *text, const struct sator_workload *layer, const struct sator_expr *expr);

static void write_term(
        struct sator_text *text, const struct sator_workload *layer, const struct sator_term *term)
{
    if (term->atom == SATOR_ATOM_VAR) {
        sator_text_put(text, layer->loop_names[term->var]);
        return;
    }
    sator_text_put(text, "((");
    write_expr(text, layer, term->argument);
    sator_text_add(text, ") %c %lld)", term->atom == SATOR_ATOM_FLOOR ? '/' : '%',
            (long long)term->divisor);
}

static void write_expr(
        struct sator_text *text, const struct sator_workload *layer, const struct sator_expr *expr)
{
    for (int i = 0; i < expr->n_terms; i++) {
        int64_t factor = expr->terms[i].factor;
        sator_text_put(text, i == 0 ? factor < 0 ? "-" : "" : factor < 0 ? " - " : " + ");
        if (factor != 1 && factor != -1)
            sator_text_add(text, "%lld * ", (long long)(factor < 0 ? -factor : factor));
        write_term(text, layer, &expr->terms[i]);
    }
    if (expr->n_terms == 0)
        sator_text_add(text, "%lld", (long long)expr->constant);
    else if (expr->constant != 0)
        sator_text_add(text, expr->constant < 0 ? " - %lld" : " + %lld",
                (long long)(expr->constant < 0 ? -expr->constant : expr->constant));
}

/* Whether what is divided is never negative, for C rounds towards zero; and the range of "expr". */
static bool is_said(const struct sator_workload *layer, const struct sator_expr *expr,
        int64_t *least, int64_t *greatest)
{
    int64_t last[64];

    if (layer->n_loops > 64)
        return false;
    for (int l = 0; l < layer->n_loops; l++)
        last[l] = layer->upper[l] - 1;
    for (int i = 0; i < expr->n_terms; i++) {
        const struct sator_term *term = &expr->terms[i];
        if (term->atom != SATOR_ATOM_VAR &&
                (!is_said(layer, term->argument, least, greatest) || *least < 0))
            return false;
    }
    return sator_expr_range(expr, layer->lower, last, least, greatest);
}

/* ---- a layer ---- */

/* The access as functions of the loops whose indices C can say; false after an error. "extents" has
 * room for what the tensor has dimensions. */
static bool check_access(struct convert *c, const struct sator_workload *layer,
        const struct sator_access *access, int64_t *extents)
{
    for (int p = 0; p < access->relation->n_pieces; p++) {
        const struct sator_piece *piece = &access->relation->pieces[p];
        if (piece->n_free != 0 || piece->cond->op != SATOR_COND_TRUE) {
            sator_error(c->ctx, sator_access_loc(layer, access),
                    "c cannot say the access to '%s': it is no function of the loops",
                    access->tensor);
            return false;
        }
        for (int d = 0; d < access->relation->n_out; d++) {
            int64_t least, greatest;
            if (!is_said(layer, piece->out[d], &least, &greatest) || least < 0) {
                sator_error(c->ctx, sator_access_loc(layer, access),
                        "c cannot say index %d of '%s', '%s': it may be negative", d + 1,
                        access->tensor, convert_shown(c, layer, piece->out[d]));
                return false;
            }
            extents[d] = extents[d] > greatest ? extents[d] : greatest + 1;
        }
    }
    return true;
}

static bool check_layer(struct convert *c, const struct sator_workload *layer)
{
    if (!layer->is_box) {
        sator_error(c->ctx, layer->loc,
                "c cannot say the domain of '%s': its loops do not all run from a number to a "
                "number",
                layer->name);
        return false;
    }
    for (int i = 0; i < layer->n_loops + layer->n_accesses; i++) {
        const char *name = i < layer->n_loops ? layer->loop_names[i]
                                              : layer->accesses[i - layer->n_loops].tensor;
        if (is_name(name))
            continue;
        sator_error(c->ctx, layer->loc, "'%s' is no name in C", name);
        return false;
    }
    return true;
}

/* The parameters: each tensor once, as large as its accesses need it. */
static bool write_parameters(struct convert *c, const struct sator_workload *layer)
{
    int n = 0;

    for (int i = layer->n_accesses - 1; i >= 0; i--) {
        const struct sator_access *access = &layer->accesses[i];
        int64_t extents[64] = {0};
        bool again = access->relation->n_out > 64;
        for (int k = i + 1; k < layer->n_accesses && !again; k++)
            again = strcmp(layer->accesses[k].tensor, access->tensor) == 0;
        for (int k = 0; k <= i && !again; k++) {
            if (strcmp(layer->accesses[k].tensor, access->tensor) == 0 &&
                    !check_access(c, layer, &layer->accesses[k], extents))
                return false;
        }
        if (again)
            continue;
        sator_text_add(
                c->text, "%s%s %s", n++ == 0 ? "" : ", ", type_of(c, access), access->tensor);
        if (access->relation->n_out == 0)
            sator_text_put(c->text, "[1]");
        for (int d = 0; d < access->relation->n_out; d++)
            sator_text_add(c->text, "[%lld]", (long long)extents[d]);
    }
    return true;
}

static void write_element(struct convert *c, const struct sator_workload *layer,
        const struct sator_access *access, const struct sator_piece *piece)
{
    sator_text_put(c->text, access->tensor);
    if (access->relation->n_out == 0)
        sator_text_put(c->text, "[0]");
    for (int d = 0; d < access->relation->n_out; d++) {
        sator_text_put(c->text, "[");
        write_expr(c->text, layer, piece->out[d]);
        sator_text_put(c->text, "]");
    }
}

static void write_statement(struct convert *c, const struct sator_workload *layer)
{
    bool first = true;

    for (int role = SATOR_WRITE; role >= SATOR_READ; role--) {
        for (int i = 0; i < layer->n_accesses; i++) {
            const struct sator_access *access = &layer->accesses[i];
            for (int p = 0; access->role == (enum sator_role)role && p < access->relation->n_pieces;
                    p++) {
                if (role == SATOR_READ)
                    sator_text_put(c->text, first ? " += " : " * ");
                first = role == SATOR_WRITE;
                write_element(c, layer, access, &access->relation->pieces[p]);
            }
        }
    }
    sator_text_put(c->text, first ? " += 1;\n" : ";\n");
}

static int written(const struct sator_workload *layer)
{
    int n = 0;

    for (int i = 0; i < layer->n_accesses; i++)
        n += layer->accesses[i].role == SATOR_WRITE ? layer->accesses[i].relation->n_pieces : 0;
    return n;
}

static void write_layer(struct convert *c, const struct sator_workload *layer)
{
    if (!check_layer(c, layer))
        return;
    if (written(layer) != 1) {
        sator_error(c->ctx, layer->loc, "c cannot say '%s': a statement writes one element, not %d",
                layer->name, written(layer));
        return;
    }
    sator_text_put(c->text, c->text->length > 0 ? "\nvoid " : "void ");
    write_function_name(c, layer->name);
    sator_text_put(c->text, "(");
    if (!write_parameters(c, layer))
        return;
    sator_text_put(c->text, ")\n{\n#pragma scop\n");
    for (int l = 0; l < layer->n_loops; l++)
        sator_text_add(c->text, "%*sfor (int %s = %lld; %s < %lld; %s++)\n", 4 * (l + 1), "",
                layer->loop_names[l], (long long)layer->lower[l], layer->loop_names[l],
                (long long)layer->upper[l], layer->loop_names[l]);
    sator_text_add(c->text, "%*s", 4 * (layer->n_loops + 1), "");
    write_statement(c, layer);
    sator_text_put(c->text, "#pragma endscop\n}\n");
    if (layer->repeat > 1)
        convert_unsaid(c, "how often a layer is repeated");
}

void convert_to_c(struct convert *c)
{
    if (c->arch != NULL && c->network != NULL)
        convert_unsaid(c, "the architecture");
    if (c->dataflow != NULL && c->network != NULL)
        convert_unsaid(c, "the dataflow");
    for (int i = c->first; i < c->end; i++)
        write_layer(c, &c->network->layers[i]);
    if (c->network == NULL)
        sator_error(c->ctx, c->arch != NULL ? c->arch->loc : c->dataflow->loc,
                "c says loop nests: give a workload");
}
