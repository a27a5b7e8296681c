/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what was learnt as a rules file, with reasons. */
#include "base/machine.h"
#include "base/output.h"
#include "coll/choose/choose.h"
#include "coll/learn/learn_state.h"
#include "mp/collective.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cor_range learnt_any = {0, SIZE_MAX};

static int learnt_combines(cor_primitive primitive)
{
    return primitive >= COR_REDUCE && primitive <= COR_EXSCAN;
}

static cor_range learnt_bytes(const cor_learn_class *class)
{
    if (class->primitive == COR_BARRIER)
        return learnt_any;
    if (class->bits == 0)
        return (cor_range){0, 0};
    size_t low = (size_t)1 << (class->bits - 1);
    return (cor_range){low, low + (low - 1)};
}

static cor_rule learnt_rule(const cor_learn_class *class, const cor_situation *situation)
{
    const uint32_t asked =
        COR_FACT_ONE_NODE | COR_FACT_OVERSUBSCRIBED | (learnt_combines(class->primitive) ? COR_FACT_COMMUTATIVE : 0);
    cor_rule rule = class->rules[class->trials.winner];
    size_t ranks = (size_t)situation->ranks, nodes = (size_t)situation->nodes,
           node_ranks = (size_t)situation->node_ranks;
    rule.bytes = learnt_bytes(class);
    rule.total = learnt_any;
    rule.ranks = (cor_range){ranks, ranks};
    rule.nodes = (cor_range){nodes, nodes};
    rule.node_ranks = (cor_range){node_ranks, node_ranks};
    rule.wanted = (situation->facts & asked) | COR_FACT_BLOCKING;
    rule.unwanted = ~situation->facts & asked;
    return rule;
}

static int learnt_is_same_range(cor_range a, cor_range b)
{
    return a.low == b.low && a.high == b.high;
}

static int learnt_is_same_case(const cor_rule *a, const cor_rule *b)
{
    return a->primitive == b->primitive && a->wanted == b->wanted && a->unwanted == b->unwanted &&
           learnt_is_same_range(a->bytes, b->bytes) && learnt_is_same_range(a->ranks, b->ranks) &&
           learnt_is_same_range(a->nodes, b->nodes) && learnt_is_same_range(a->node_ranks, b->node_ranks);
}

/* Of two equal communicators, the one with more calls has better data. */
static int learnt_add(cor_learnt_list *list, const cor_learnt *learnt)
{
    for (size_t i = 0; i < list->count; i++)
        if (learnt_is_same_case(&list->rows[i].rule, &learnt->rule)) {
            if (learnt->calls > list->rows[i].calls)
                list->rows[i] = *learnt;
            return COR_OK;
        }
    cor_learnt *larger = realloc(list->rows, (list->count + 1) * sizeof *larger);
    if (!larger)
        return COR_ERR_MEMORY;
    list->rows = larger;
    list->rows[list->count++] = *learnt;
    return COR_OK;
}

int cor_learnt_collect(cor_learnt_list *list, const cor_learn *learn)
{
    int rc = COR_OK;
    for (int i = 0; i < COR_PRIMITIVES; i++)
        for (const cor_learn_class *class = learn->classes[i]; class && rc == COR_OK; class = class->next) {
            const cor_trials *trials = &class->trials;
            cor_situation situation;
            if (trials->winner == 0)
                continue;
            rc = cor_situation_of(learn->comm, class->is_commutative, 1, &situation);
            if (rc != COR_OK)
                break;
            cor_learnt learnt = {.rule = learnt_rule(class, &situation),
                                 .before_ns = trials->of[0].best_ns,
                                 .after_ns = trials->of[trials->winner].best_ns,
                                 .calls = trials->calls};
            snprintf(learnt.before, sizeof learnt.before, "%s", class->rules[0].algorithm->name);
            rc = learnt_add(list, &learnt);
        }
    return rc;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static int learnt_compare(const void *a, const void *b)
{
    const cor_rule *first = &((const cor_learnt *)a)->rule, *second = &((const cor_learnt *)b)->rule;
    if (first->primitive != second->primitive)
        return first->primitive < second->primitive ? -1 : 1;
    if (first->ranks.low != second->ranks.low)
        return first->ranks.low < second->ranks.low ? -1 : 1;
    return first->bytes.low < second->bytes.low ? -1 : first->bytes.low > second->bytes.low;
}

static void learnt_print(const cor_learnt_list *list, FILE *out)
{
    char machine[COR_MACHINE_MAX], line[256];
    cor_machine_print(machine);
    cor_rules_print_head(out, "coll.learn");
    fprintf(out, COR_MACHINE_LINE "%s\n", machine);
    for (size_t i = 0; i < list->count; i++) {
        const cor_learnt *learnt = &list->rows[i];
        cor_rule_print(&learnt->rule, line, sizeof line);
        fprintf(out, "# %.2f us, %s takes %.2f us; %llu calls\n%s\n", (double)learnt->after_ns / 1e3, learnt->before,
                (double)learnt->before_ns / 1e3, (unsigned long long)learnt->calls, line);
    }
    fputs(COR_RULES_END, out);
}

int cor_learn_write(const cor_coll_rank *rank, const char *path, cor_fault *fault)
{
    struct cor_learn_rank *learn = rank->learn;
    cor_learnt_list all = {0};
    cor_output output;
    int rc = COR_OK;
    for (size_t i = 0; i < learn->freed.count && rc == COR_OK; i++)
        rc = learnt_add(&all, &learn->freed.rows[i]);
    for (cor_link *link = learn->learns.next; link != &learn->learns && rc == COR_OK; link = link->next)
        rc = cor_learnt_collect(&all, COR_OWNER(link, cor_learn, link));
    if (rc != COR_OK) {
        free(all.rows);
        return cor_fault_set(fault, rc, "no memory for the rules that were learnt");
    }
    if (all.count > 0)
        qsort(all.rows, all.count, sizeof *all.rows, learnt_compare);
    rc = cor_output_open(&output, path, fault);
    if (rc == COR_OK) {
        learnt_print(&all, output.file);
        rc = cor_output_commit(&output, fault);
    }
    free(all.rows);
    return rc;
}
