#include "plot/label.h"

#include <math.h>
#include <stb/stb_ds.h>
#include <stdlib.h>
#include <string.h>

#include "plot/card.h"
#include "plot/name.h"

#define FONT      10.5
#define MARGIN    14.0 // min distance of labels from the edges
#define SHARE     0.3  // max share of the plot area that labels cover before all are shortened
#define SHORTENED 8.0  // costs: for every shorter form,
#define LEFT_OUT  100.0
#define ROUNDS    10   // max rounds of moves
#define LINES_MAX 2000 // max lines that are considered

static const size_t form_letters[PLOT_LABEL_FORMS] = { 40, 26, 17, 10 };

void plot_labels_init(struct plot_labels *labels, const struct plot_frame *frame)
{
    double below = frame->legend ? PLOT_FOOTER : MARGIN;
    struct plot_box room = { MARGIN, PLOT_HEADER - MARGIN, frame->width - MARGIN, frame->height - below };
    *labels = (struct plot_labels){ .scene = { .font = FONT, .room = room } };
}

void plot_labels_finish(struct plot_labels *labels)
{
    for (size_t i = 0; i < arrlenu(labels->labels); i++) {
        for (size_t k = 0; k < PLOT_LABEL_FORMS; k++)
            free(labels->labels[i].forms[k]);
        arrfree(labels->labels[i].spots);
    }
    arrfree(labels->labels);
    arrfree(labels->scene.marks);
    arrfree(labels->scene.lines);
}

size_t plot_labels_mark(struct plot_labels *labels, struct point centre, double radius)
{
    struct plot_mark mark = { centre, radius };
    arrput(labels->scene.marks, mark);
    return arrlenu(labels->scene.marks) - 1;
}

void plot_labels_line(struct plot_labels *labels, struct point from, struct point to, double weight)
{
    struct plot_line line = { from, to, weight };
    if (arrlen(labels->scene.lines) < LINES_MAX)
        arrput(labels->scene.lines, line);
}

size_t plot_labels_name(struct plot_labels *labels, size_t mark, const char *name, bool important)
{
    struct plot_label label = { .mark = mark, .left_out = important ? 100 * LEFT_OUT : LEFT_OUT };
    for (size_t form = 0; form < PLOT_LABEL_FORMS; form++) {
        label.forms[form] = plot_name_cut(name, form_letters[form]);
        if (form && !strcmp(label.forms[form - 1], label.forms[form])) {
            free(label.forms[form - 1]);
            label.forms[form - 1] = NULL;
        }
    }
    arrput(labels->labels, label);
    return arrlenu(labels->labels) - 1;
}

static const char *form_of(const struct plot_label *label, size_t form)
{
    while (!label->forms[form])
        form++;
    return label->forms[form];
}

// Returns the longest form in which all labels together leave most of the plot area free.
static size_t longest_form(const struct plot_labels *labels)
{
    const struct plot_scene *scene = &labels->scene;
    double room = (scene->room.right - scene->room.left) * (scene->room.bottom - scene->room.top);
    for (size_t form = 0; form + 1 < PLOT_LABEL_FORMS; form++) {
        double sum = 0;
        for (size_t i = 0; i < arrlenu(labels->labels); i++)
            sum += plot_name_width(form_of(&labels->labels[i], form), scene->font) * scene->font;
        if (sum <= SHARE * room)
            return form;
    }
    return PLOT_LABEL_FORMS - 1;
}

static double cost_now(const struct plot_label *label)
{
    return label->chosen ? label->chosen->cost : label->left_out;
}

// Counts the labels other than OWN that a spot would cover (2: two or more), and returns one of them.
static int blockers(const struct plot_labels *labels, const struct plot_label *own, const struct plot_spot *spot,
    struct plot_label **blocker)
{
    int count = 0;
    for (size_t i = 0; count < 2 && i < arrlenu(labels->labels); i++) {
        struct plot_label *label = &labels->labels[i];
        if (label == own || !label->chosen || !plot_boxes_touch(&label->chosen->box, &spot->box))
            continue;
        *blocker = label;
        count++;
    }
    return count;
}

// Finds another spot for a label that must move, with the lowest cost below LIMIT; NULL: the label is omitted.
static const struct plot_spot *next_best(const struct plot_labels *labels, const struct plot_label *label, double limit)
{
    const struct plot_spot *best = NULL;
    struct plot_label *blocker;
    for (size_t i = 0; i < arrlenu(label->spots); i++) {
        const struct plot_spot *spot = &label->spots[i];
        if (spot->form >= labels->longest && spot->cost < limit && !blockers(labels, label, spot, &blocker)) {
            best = spot;
            limit = spot->cost;
        }
    }
    return best;
}

// Makes the best move of one label, which may force one other label to move; true if the total cost falls.
static bool improve(struct plot_labels *labels, struct plot_label *label)
{
    const struct plot_spot *before = label->chosen, *best = NULL, *best_other = NULL;
    struct plot_label *moved = NULL;
    double gain = 1e-9, cost = cost_now(label);
    for (size_t i = 0; i < arrlenu(label->spots); i++) {
        const struct plot_spot *spot = &label->spots[i], *other = NULL;
        struct plot_label *blocker = NULL;
        int count = blockers(labels, label, spot, &blocker);
        double gained = cost - spot->cost;
        if (spot->form < labels->longest || count > 1 || gained + (blocker ? cost_now(blocker) : 0) <= gain)
            continue;
        if (blocker) {
            label->chosen = spot;
            gained += cost_now(blocker);
            other = next_best(labels, blocker, fmin(blocker->left_out, gained - gain));
            gained -= other ? other->cost : blocker->left_out;
            label->chosen = before;
        }
        if (gained > gain) {
            gain = gained;
            best = spot, best_other = other, moved = blocker;
        }
    }
    if (best)
        label->chosen = best;
    if (best && moved)
        moved->chosen = best_other;
    return best;
}

static void find_spots(struct plot_label *label, const struct plot_scene *scene)
{
    struct plot_spot prototype = { 0 };
    for (; prototype.form < PLOT_LABEL_FORMS; prototype.form++) {
        const char *text = label->forms[prototype.form];
        if (!text)
            continue;
        plot_spots_add(&label->spots, scene, label->mark, plot_name_width(text, scene->font), prototype);
        prototype.cost += SHORTENED;
    }
}

static void move_all(struct plot_labels *labels)
{
    bool moving = true;
    for (int round = 0; moving && round < ROUNDS; round++) {
        moving = false;
        for (size_t i = 0; i < arrlenu(labels->labels); i++)
            moving |= improve(labels, &labels->labels[i]);
    }
}

void plot_labels_place(struct plot_labels *labels)
{
    for (size_t i = 0; i < arrlenu(labels->labels); i++)
        find_spots(&labels->labels[i], &labels->scene);
    labels->longest = longest_form(labels);
    move_all(labels);
    while (labels->longest) { // try longer forms in the remaining room
        labels->longest--;
        move_all(labels);
    }
}

void plot_labels_draw(const struct plot_labels *labels, struct text *svg)
{
    text_add(svg, "<g font-size=\"%.1f\" stroke-width=\"3\" stroke-linejoin=\"round\">\n", labels->scene.font);
    for (size_t i = 0; i < arrlenu(labels->labels); i++) {
        const struct plot_spot *spot = labels->labels[i].chosen;
        if (!spot)
            continue;
        text_add(svg, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", spot->at.x, spot->at.y,
            spot->anchor);
        text_add_xml(svg, labels->labels[i].forms[spot->form], SIZE_MAX);
        text_add(svg, "</text>\n");
    }
    text_add(svg, "</g>\n");
}
