#include "plot/label.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <stb/stb_ds.h>

#include "expect.h"
#include "plot/name.h"
#include "suite.h"
#include "tests/plot/drawn.h"

// A name as a reader finds it in the picture.
struct seen {
    char text[300];
    double left, top, right, bottom;
};

// The text up to the next element, in the reader's letters.
static void read_text(const char *at, char *text, size_t size)
{
    size_t used = 0;
    for (; *at != '<'; at++) {
        munit_assert_size(used + 1, <, size);
        bool less = !strncmp(at, "&lt;", 4), and = !strncmp(at, "&amp;", 5);
        text[used++] = less ? '<' : *at;
        at += less ? 3 : and? 4 : 0;
    }
    text[used] = 0;
}

static struct seen *labels_in(const char *svg)
{
    struct seen *labels = NULL;
    const char *at = strstr(svg, "<g font-size=");
    double font, x, y;
    munit_assert_int(sscanf(at, "<g font-size=\"%lf", &font), ==, 1);
    while ((at = strstr(at, "<text class=\"label\""))) {
        char anchor[8];
        int matched = sscanf(at, "<text class=\"label\" x=\"%lf\" y=\"%lf\" text-anchor=\"%7[a-z]", &x, &y, anchor);
        munit_assert_int(matched, ==, 3);
        at = strchr(at, '>') + 1;
        struct seen label;
        read_text(at, label.text, sizeof label.text);
        double width = plot_name_width(label.text, font);
        label.left = x - (*anchor == 's' ? 0 : *anchor == 'm' ? width / 2 : width);
        label.right = label.left + width;
        label.top = y - 0.75 * font, label.bottom = y + 0.2 * font;
        arrput(labels, label);
    }
    return labels;
}

static bool overlap(const struct seen *a, const struct seen *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static double distance(const struct seen *label, double x, double y, double radius)
{
    double dx = fmax(fmax(label->left - x, x - label->right), 0), dy = fmax(fmax(label->top - y, y - label->bottom), 0);
    return hypot(dx, dy) - radius;
}

// The next node of the picture and what its tooltip says; false behind the last.
static bool next_node(const char **at, double node[3], char title[300])
{
    while ((*at = strstr(*at, "<circle "))) {
        const char *begin = strstr(*at, "<title>"), *end = strchr(*at, '\n');
        int read = sscanf(*at, "<circle cx=\"%lf\" cy=\"%lf\" r=\"%lf", &node[0], &node[1], &node[2]);
        (*at)++;
        if (read != 3 || !begin || begin > end)
            continue; // of the legend, or one of too many
        read_text(begin + strlen("<title>"), title, 300);
        *strrchr(title, ':') = 0; // the demand follows
        return true;
    }
    return false;
}

// A label covers no node, and its own (of which the tooltip says the same) is the nearest.
static void expect_attributed(const char *svg, const struct seen *label)
{
    double own[3] = { NAN }, node[3], nearest = INFINITY;
    char title[300];
    size_t size = strcspn(label->text, "\xE2"); // up to an ellipsis
    for (const char *at = svg; next_node(&at, node, title);) {
        if (!strncmp(title, label->text, size) && (label->text[size] || !title[size]))
            memcpy(own, node, sizeof own);
    }
    munit_assert_false(isnan(own[0]));
    for (const char *at = svg; next_node(&at, node, title);) {
        double gap = distance(label, node[0], node[1], node[2]);
        munit_assert_double(gap, >, 0.5);
        bool same_position = hypot(node[0] - own[0], node[1] - own[1]) < 1.5;
        nearest = same_position ? nearest : fmin(nearest, gap);
    }
    munit_assert_double(distance(label, own[0], own[1], own[2]), <, fmin(nearest, 12));
}

// Returns how many names there are.
static size_t expect_tidy(const char *svg)
{
    double width, height;
    munit_assert_int(sscanf(strstr(svg, "viewBox=\"0 0 "), "viewBox=\"0 0 %lf %lf", &width, &height), ==, 2);
    struct seen *labels = labels_in(svg);
    size_t count = arrlenu(labels);
    for (size_t i = 0; i < count; i++) {
        const struct seen *label = &labels[i];
        munit_assert_double(label->left, >=, 10);
        munit_assert_double(label->right, <=, width - 10);
        munit_assert_double(label->top, >=, 62); // the caption's
        munit_assert_double(label->bottom, <=, height - 10);
        for (size_t j = 0; j < i; j++) {
            if (overlap(label, &labels[j]))
                munit_errorf("\"%s\" covers \"%s\"", label->text, labels[j].text);
        }
        if (strcmp(label->text, "the depot"))
            expect_attributed(svg, label);
    }
    arrfree(labels);
    return count;
}

static double draw_unit(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) / 16777216.0;
}

// N customers, a SHARE of them around one point, with names of some bytes; one tour in order.
static struct text random_picture(uint32_t seed, uint32_t n, double share, int bytes)
{
    static const char words[] = " Rue de la Grande Rive, Vieux Bourg, Wimmermill am Ufer, Iltis, Quai du Port";
    struct text nodes = { 0 }, ids = { 0 }, demand = { 0 }, json = { 0 }, tour = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        const char *comma = i ? ", " : "";
        double scale = draw_unit(&seed) < share ? 0.05 : 1, x = draw_unit(&seed), y = draw_unit(&seed);
        text_add(&nodes, "%s[%g, %g]", comma, 0.5 + scale * (x - 0.5), 0.4 + 0.8 * scale * (y - 0.5));
        text_add(&ids, "%s\"%u%.*s\"", comma, i + 1, bytes, words);
        text_add(&demand, "%s%u", comma, 1 + i % 9);
    }
    text_add(&json,
        "{\"problem\": \"cvrp\", \"capacity\": 10000, \"depot\": [0, 0.3], \"depot_id\": \"the depot\", "
        "\"nodes\": [%s], \"ids\": [%s], \"demand\": [%s]}",
        nodes.data, ids.data, demand.data);
    text_add(&tour, "{\"routes\": [[%s]]}", ids.data);
    struct text svg = plot_drawn(json.data, tour.data);
    text_finish(&nodes), text_finish(&ids), text_finish(&demand), text_finish(&json), text_finish(&tour);
    return svg;
}

// For any number of customers and any length of names, every label can be read and attributed.
static MunitResult test_tidy(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    static const struct {
        uint32_t n;
        double crowded;
        int bytes;
        size_t min_shown; // names shown, the depot's included
    } cases[] = {
        { 1, 0, 0, 2 }, { 1, 0, 70, 2 }, { 5, 0, 22, 6 }, { 25, 0, 22, 22 }, { 30, 0, 70, 22 }, { 40, 1, 0, 5 },
        { 60, 0.5, 10, 30 }, { 200, 0.2, 0, 100 }, { 201, 0, 0, 0 }, // too many: the depot alone, if it has room
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (uint32_t seed = 1; seed <= 5; seed++) {
            struct text svg = random_picture(seed, cases[i].n, cases[i].crowded, cases[i].bytes);
            size_t shown = expect_tidy(svg.data);
            if (shown < cases[i].min_shown)
                munit_errorf("%u nodes, %d bytes: %zu names", cases[i].n, cases[i].bytes, shown);
            struct text again = random_picture(seed, cases[i].n, cases[i].crowded, cases[i].bytes);
            munit_assert_string_equal(svg.data, again.data);
            text_finish(&svg), text_finish(&again);
        }
    }
    return MUNIT_OK;
}

static void expect_parts(const char *json, const char *const *parts)
{
    struct text svg = plot_drawn(json, NULL);
    for (; *parts; parts++) {
        if (!strstr(svg.data, *parts))
            munit_errorf("%s is not in\n%s", *parts, svg.data);
    }
    expect_tidy(svg.data);
    text_finish(&svg);
}

#define FOUR "\"demand\": [1, 1, 1, 1], \"capacity\": 9, \"depot\": [0, 0], \"nodes\": [[3, 4], [0, 8], [6, 8], [6, 0]]"

// Whole where there is room, and right up to the borders.
static MunitResult test_whole(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    expect_parts("{\"problem\": \"cvrp\", \"ids\": [\"Porte Maillot\", \"12 Avenue de la Grande Armée\", "
                 "\"6 Rue de Rivoli, 75004 Paris\", \"Opéra Garnier\"], \"depot_id\": \"the depot\", " FOUR "}",
        (const char *const[]){ ">Porte Maillot</text>", ">12 Avenue de la Grande Armée</text>",
            ">6 Rue de Rivoli, 75004 Paris</text>", ">Opéra Garnier</text>", ">the depot</text>",
            "<title>depot the depot</title>", NULL });
    // Three at one point, and one below the depot.
    expect_parts(
        "{\"problem\": \"cvrp\", \"ids\": [\"one\", \"two\", \"three\", \"four\"], \"depot_id\": \"the depot\", "
        "\"demand\": [1, 4, 9, 1], \"capacity\": 9, \"depot\": [0, 0], "
        "\"nodes\": [[1, 1], [1, 1], [1, 1], [0, 0]]}",
        (const char *const[]){
            ">one</text>", ">two</text>", ">three</text>", ">four</text>", ">the depot</text>", NULL });
    return MUNIT_OK;
}

// A depot in the midst of its customers is named below the drawing.
static MunitResult test_hidden_depot(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text json = { 0 };
    text_add(&json, "{\"problem\": \"cvrp\", \"capacity\": 9, \"depot\": [30, 30], \"depot_id\": \"Hub & <b>\", ");
    text_add(&json, "\"nodes\": [[0, 0]");
    for (int i = 1; i < 3721; i++)
        text_add(&json, ", [%d, %d]", i % 61, i / 61);
    text_add(&json, "], \"demand\": [1");
    for (int i = 1; i < 3721; i++)
        text_add(&json, ", 1");
    text_add(&json, "]}");
    expect_parts(json.data, (const char *const[]){ ">depot Hub &amp; &lt;b></text>", NULL });
    text_finish(&json);
    return MUNIT_OK;
}

// Names with any characters are text.
static MunitResult test_hostile(const MunitParameter params[], void *data)
{
    (void)params, (void)data;
    struct text json = { 0 };
    text_add(&json, "{\"problem\": \"cvrp\", \"ids\": [\"</text><script>\", \"&amp;\\u0007\\u202e\", \"%0300d\", ", 7);
    text_add(&json, "\"\u05e9\u05dc\u05d5\u05dd\"], \"depot_id\": \"\\ud83d\\ude9a]]>\", " FOUR "}");
    struct text svg = plot_drawn(json.data, NULL);
    munit_assert_null(strstr(svg.data, "<script"));
    munit_assert_not_null(strstr(svg.data, ">&lt;/text>&lt;script></text>"));
    munit_assert_not_null(strstr(svg.data, ">&amp;amp;?\u202e</text>"));
    munit_assert_not_null(strstr(svg.data, ">\u05e9\u05dc\u05d5\u05dd</text>"));
    munit_assert_not_null(strstr(svg.data, ">\U0001f69a]]></text>"));
    munit_assert_not_null(strstr(svg.data, "000\u2026</text>"));
    munit_assert_size(strlen(svg.data), <, 6000);
    text_finish(&svg), text_finish(&json);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/tidy", test_tidy, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/whole", test_whole, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/hidden-depot", test_hidden_depot, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { "/hostile", test_hostile, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/plot/label", tests)
