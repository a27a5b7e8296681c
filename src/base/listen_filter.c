/* SPDX-License-Identifier: Apache-2.0 */
/* Parses tcp.interface: names of interfaces, addresses and networks. */
#include "base/listen.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With "%" and the name of its interface, as those of a link alone are written, or without. */
static int word_parse_address(const char *text, cor_listen_word *word)
{
    char copy[INET6_ADDRSTRLEN];
    size_t length = strchr(text, ':') ? strcspn(text, "%") : strlen(text);
    snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : 0), text);
    word->family = inet_pton(AF_INET, copy, word->network) == 1    ? AF_INET
                   : inet_pton(AF_INET6, copy, word->network) == 1 ? AF_INET6
                                                                   : AF_UNSPEC;
    word->bits = word->family == AF_INET ? 32 : 128;
    return word->family != AF_UNSPEC;
}

/* NULL, or what is wrong with it. */
static const char *word_parse_network(char *slash, cor_listen_word *word)
{
    const char *digits = slash + 1;
    size_t length = strlen(digits);
    *slash = 0;
    int is_address = word_parse_address(word->text, word);
    *slash = '/';
    if (!is_address)
        return "what stands before the slash is no address";
    int bits = length >= 1 && length <= 3 && strspn(digits, "0123456789") == length ? atoi(digits) : -1;
    if (bits < 0 || bits > word->bits)
        return word->family == AF_INET ? "prefix length must be 0-32" : "prefix length must be 0-128";
    word->bits = bits;
    return NULL;
}

static const char *word_parse(cor_listen_word *word)
{
    char *slash = strchr(word->text, '/'), *colon = strchr(word->text, ':');
    if (slash)
        return word_parse_network(slash, word);
    if (word_parse_address(word->text, word))
        return NULL;
    if (word->text[strspn(word->text, "0123456789.")] == 0 || (colon && strchr(colon + 1, ':')))
        return "that is no address";
    if (strlen(word->text) >= IF_NAMESIZE)
        return "that is no address, and no interface has so long a name";
    return NULL;
}

int cor_listen_filter_parse(const char *text, cor_listen_filter *filter, cor_fault *fault)
{
    char *rest = NULL;
    filter->count = 0;
    snprintf(filter->copy, sizeof filter->copy, "%s", text);
    for (char *at = strtok_r(filter->copy, ", ", &rest); at; at = strtok_r(NULL, ", ", &rest)) {
        cor_listen_word *word = &filter->list[filter->count++];
        *word = (cor_listen_word){.text = at};
        const char *trouble = word_parse(word);
        if (trouble)
            return cor_fault_set(fault, COR_ERR_KNOB, "tcp.interface is \"%s\"; in \"%s\", %s", text, at, trouble);
    }
    if (text[0] && filter->count == 0)
        return cor_fault_set(fault, COR_ERR_KNOB, "tcp.interface is \"%s\", which names nothing", text);
    return COR_OK;
}

static int word_suits(const cor_listen_word *word, const struct ifaddrs *one)
{
    if (word->family == AF_UNSPEC)
        return strcmp(one->ifa_name, word->text) == 0;
    return word->family == one->ifa_addr->sa_family &&
           cor_bits_are_within(cor_sockaddr_bits(one->ifa_addr), word->network, word->bits);
}

int cor_listen_filter_suits(cor_listen_filter *filter, const struct ifaddrs *one)
{
    int suits = filter->count == 0;
    for (int i = 0; i < filter->count; i++)
        if (word_suits(&filter->list[i], one))
            suits = filter->list[i].is_met = 1;
    return suits;
}
