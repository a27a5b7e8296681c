/* SPDX-License-Identifier: Apache-2.0 */
/* An announcement that the provider refuses ends its send once: by what the call returns, or by done(). A receive that the
 * provider gives up is cancelled only if that was asked for. The provider is made up; it takes receives or does not, and
 * refuses everything that is sent, at once or later. */
#include "check.h"
#include "xxdev/tagged/ofi_state.h"

#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct refusal {
    struct fi_ops_tagged tagged;
    struct fi_ops_ep ep_ops;
    struct fi_ops_cq cq_ops;
    struct fi_info info;
    struct fi_rx_attr rx;
    struct fid_ep endpoint;
    struct fid_cq completions;
    int takes_receives, receive_error; /* not: -FI_EAGAIN, or this error */
    int busy;                          /* so often nothing can be sent yet */
    void *posted;                      /* the last receive that the provider was given */
    int is_cancelled;
    int ends;
    cor_tagged_result end;
    cor_tagged_library *library;
    cor_tagged_transfer transfer;
} refusal;

/* `done` is told of the transfer alone. */
static refusal *refusal_of(cor_tagged_transfer *transfer)
{
    return (refusal *)(void *)((char *)transfer - offsetof(refusal, transfer));
}

static refusal *refusal_of_endpoint(struct fid_ep *endpoint)
{
    return (refusal *)(void *)((char *)endpoint - offsetof(refusal, endpoint));
}

static refusal *refusal_of_queue(struct fid_cq *queue)
{
    return (refusal *)(void *)((char *)queue - offsetof(refusal, completions));
}

static ssize_t refusal_receive(struct fid_ep *endpoint, void *memory, size_t bytes, void *description, fi_addr_t from,
                               uint64_t tag, uint64_t ignore, void *context)
{
    refusal *self = refusal_of_endpoint(endpoint);
    (void)memory, (void)bytes, (void)description, (void)from, (void)tag, (void)ignore;
    if (!self->takes_receives)
        return self->receive_error ? self->receive_error : -FI_EAGAIN;
    self->posted = context;
    return 0;
}

static ssize_t refusal_receive_message(struct fid_ep *endpoint, const struct fi_msg_tagged *message, uint64_t flags)
{
    refusal *self = refusal_of_endpoint(endpoint);
    (void)flags;
    self->posted = message->context;
    return 0;
}

static ssize_t refusal_inject(struct fid_ep *endpoint, const void *memory, size_t bytes, uint64_t data, fi_addr_t to,
                              uint64_t tag)
{
    refusal *self = refusal_of_endpoint(endpoint);
    (void)memory, (void)bytes, (void)data, (void)to, (void)tag;
    return self->busy-- > 0 ? -FI_EAGAIN : -FI_ECONNREFUSED;
}

static ssize_t refusal_cancel(fid_t fid, void *context)
{
    refusal *self = refusal_of_endpoint((struct fid_ep *)(void *)fid);
    CHECK(context == self->posted);
    self->is_cancelled = 1;
    return 0;
}

static ssize_t refusal_read(struct fid_cq *queue, void *entries, size_t count)
{
    const refusal *self = refusal_of_queue(queue);
    (void)entries, (void)count;
    return self->is_cancelled ? -FI_EAVAIL : -FI_EAGAIN;
}

static ssize_t refusal_read_error(struct fid_cq *queue, struct fi_cq_err_entry *entry, uint64_t flags)
{
    refusal *self = refusal_of_queue(queue);
    (void)flags;
    *entry = (struct fi_cq_err_entry){.op_context = self->posted, .err = FI_ECANCELED};
    self->is_cancelled = 0;
    return 1;
}

static void refusal_done(cor_tagged_transfer *transfer, const cor_tagged_result *result)
{
    refusal *self = refusal_of(transfer);
    self->ends++;
    self->end = *result;
}

static void refusal_init(refusal *self, int takes_receives)
{
    *self = (refusal){
        .tagged = {.recv = refusal_receive, .recvmsg = refusal_receive_message, .injectdata = refusal_inject},
        .ep_ops.cancel = refusal_cancel,
        .cq_ops = {.read = refusal_read, .readerr = refusal_read_error},
        .takes_receives = takes_receives};
    self->endpoint.tagged = &self->tagged;
    self->endpoint.ops = &self->ep_ops;
    self->completions.ops = &self->cq_ops;
    self->library = calloc(1, sizeof *self->library + 2 * sizeof self->library->peers[0]);
    CHECK(self->library != NULL);
    cor_list_init(&self->library->blocked);
    self->library->endpoint = &self->endpoint;
    self->rx.iov_limit = 2;
    self->info.rx_attr = &self->rx;
    self->library->info = &self->info;
    self->library->posted_max = 1;
    self->library->completions = &self->completions;
    self->library->options = (cor_tagged_options){
        .size = 2, .tag_bits = 63, .tag_peer_shift = 32, .tag_peer_bits = 15, .done = refusal_done};
}

/* Nothing is left but receives for answers. */
static void refusal_fini(refusal *self)
{
    CHECK(self->library->longs == NULL);
    CHECK(self->library->in[OFI_IN].first == NULL && self->library->in[OFI_IN_OWN].first == NULL);
    CHECK_EQUAL(0, self->library->blocked_count);
    while (self->library->slabs) {
        void *slab = self->library->slabs;
        self->library->slabs = *(void **)slab;
        free(slab);
    }
    free(self->library->long_slabs);
    free(self->library);
}

static int refusal_send(refusal *self)
{
    const int is_sync = 1;
    return ofi_send(self->library, 1, 7, (cor_tagged_data){0}, is_sync, &self->transfer);
}

static void test_the_announcement_is_refused_at_once(int takes_receives)
{
    refusal self;
    refusal_init(&self, takes_receives);
    CHECK_EQUAL(-FI_ECONNREFUSED, refusal_send(&self));
    ofi_progress(self.library);
    CHECK_EQUAL(0, self.ends);
    refusal_fini(&self);
}

static void test_the_announcement_is_refused_later(int takes_receives)
{
    refusal self;
    refusal_init(&self, takes_receives);
    self.busy = 2;
    CHECK_EQUAL(COR_TAGGED_STARTED, refusal_send(&self));
    ofi_progress(self.library);
    CHECK_EQUAL(0, self.ends);
    ofi_progress(self.library);
    CHECK_EQUAL(1, self.ends);
    CHECK(self.end.end == COR_TAGGED_FAILED);
    CHECK_EQUAL(-FI_ECONNREFUSED, self.end.error);
    refusal_fini(&self);
}

/* They are tried again, but not for ever in one call. */
static void test_receives_for_answers_are_refused(void)
{
    refusal self;
    refusal_init(&self, 0);
    self.busy = 2;
    CHECK_EQUAL(COR_TAGGED_STARTED, refusal_send(&self));
    self.receive_error = -FI_EINVAL;
    ofi_progress(self.library);
    ofi_progress(self.library);
    CHECK_EQUAL(1, self.ends);
    refusal_fini(&self);
}

static void test_the_receive_is_given_up(int is_asked)
{
    refusal self;
    cor_tagged_result unused;
    refusal_init(&self, 1);
    CHECK_EQUAL(COR_TAGGED_STARTED,
                ofi_receive(self.library, 7, UINT64_MAX, (cor_tagged_data){0}, &self.transfer, &unused));
    if (is_asked)
        ofi_cancel_request(self.library, self.transfer.request);
    else
        self.is_cancelled = 1;
    ofi_progress(self.library);
    CHECK_EQUAL(1, self.ends);
    CHECK_EQUAL(is_asked ? COR_TAGGED_CANCELLED : COR_TAGGED_FAILED, self.end.end);
    CHECK_EQUAL(is_asked ? -FI_ECANCELED : -FI_ECONNABORTED, self.end.error);
    refusal_fini(&self);
}

int main(void)
{
    for (int yes = 0; yes < 2; yes++) {
        test_the_announcement_is_refused_at_once(yes);
        test_the_announcement_is_refused_later(yes);
        test_the_receive_is_given_up(yes);
    }
    test_receives_for_answers_are_refused();
    puts("what is refused ends once");
    return 0;
}
