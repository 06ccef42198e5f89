// The queue: submits work and waits for it.
#include <stdlib.h>

#include <stb/stb_ds.h>

#include "gpu/internal.h"
#include "util/alloc.h"
#include "util/error.h"

bool gpu_queue_open(struct gpu *gpu)
{
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = gpu->found.queue_family,
    };
    VkSemaphoreTypeCreateInfo type = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE };
    VkSemaphoreCreateInfo semaphore = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type };
    return gpu_check(gpu, vkCreateCommandPool(gpu->device, &pool, NULL, &gpu->pool), "no command pool") &&
           gpu_check(gpu, vkCreateSemaphore(gpu->device, &semaphore, NULL, &gpu->timeline), "no timeline semaphore");
}

// Removes the completed submissions up to VALUE.
static void forget_flights(struct gpu *gpu, uint64_t value)
{
    ptrdiff_t done = 0;
    while (done < arrlen(gpu->flights) && gpu->flights[done].value <= value)
        free(gpu->flights[done++].label);
    if (done)
        arrdeln(gpu->flights, 0, done);
}

void gpu_queue_close(struct gpu *gpu)
{
    forget_flights(gpu, UINT64_MAX);
    arrfree(gpu->flights);
    if (gpu->device && gpu_at_rest(gpu)) {
        vkDestroySemaphore(gpu->device, gpu->timeline, NULL);
        vkDestroyCommandPool(gpu->device, gpu->pool, NULL);
    }
}

static bool lost_earlier(const struct gpu *gpu)
{
    return fail(FAULT_DEVICE, "%s: the device was lost earlier", gpu->info.name);
}

static bool submit(struct gpu *gpu, const VkCommandBuffer *buffers, double seconds, const char *label)
{
    uint64_t value = gpu->submitted + 1;
    VkTimelineSemaphoreSubmitInfo timeline = { .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &value };
    VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &timeline,
        .commandBufferCount = (uint32_t)arrlen(buffers),
        .pCommandBuffers = buffers,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &gpu->timeline };
    VkResult result = gpu_injected(gpu, GPU_FAULT_SUBMIT) ? VK_ERROR_DEVICE_LOST
                                                          : vkQueueSubmit(gpu->queue, 1, &info, VK_NULL_HANDLE);
    if (result) {
        gpu->lost = gpu->lost || result == VK_ERROR_DEVICE_LOST;
        return fail(FAULT_DEVICE, "%s: %s while starting \"%s\"", gpu->info.name, gpu_result_name(result), label);
    }
    gpu->submitted = value;
    gpu->counts.submissions++;
    gpu->counts.buffers += arrlenu(buffers);
    struct flight flight = { value, seconds, xstrdup(label) };
    arrput(gpu->flights, flight);
    return true;
}

bool gpu_submit(struct gpu *gpu, uint32_t count, const VkCommandBuffer *buffers, double seconds, const char *label)
{
    if (gpu->lost)
        return lost_earlier(gpu);
    VkCommandBuffer *list = NULL;
    bool ok = gpu_uploads_end(gpu, &list, gpu->submitted + 1);
    const bool uploads = arrlen(list) > 0;
    for (uint32_t i = 0; i < count; i++)
        arrput(list, buffers[i]);
    ok = ok && submit(gpu, list, seconds, label);
    gpu->lost = gpu->lost || (!ok && uploads); // what was reported as uploaded is not there
    arrfree(list);
    return ok;
}

static VkResult read_timeline(struct gpu *gpu)
{
    uint64_t reached;
    VkResult result = vkGetSemaphoreCounterValue(gpu->device, gpu->timeline, &reached);
    if (result == VK_SUCCESS && reached > gpu->submitted) // some drivers release all waiters of a lost device like this
        result = VK_ERROR_DEVICE_LOST;
    if (result == VK_SUCCESS) {
        gpu->completed = reached;
        forget_flights(gpu, reached);
    }
    return result;
}

// Waits until one more submission is complete.
static VkResult advance(struct gpu *gpu, double seconds)
{
    uint64_t before = gpu->completed, next = before + 1;
    VkSemaphoreWaitInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &gpu->timeline,
        .pValues = &next };
    VkResult result = vkWaitSemaphores(gpu->device, &info, (uint64_t)(seconds * 1e9));
    if (result == VK_SUCCESS)
        result = read_timeline(gpu);
    // Waiting for a lost device may return success.
    return result == VK_SUCCESS && gpu->completed == before ? VK_ERROR_DEVICE_LOST : result;
}

bool gpu_reached(struct gpu *gpu, uint64_t value)
{
    if (gpu->completed < value && !gpu->lost)
        read_timeline(gpu); // waiting reports failures
    return gpu->completed >= value;
}

uint64_t gpu_ticket(const struct gpu *gpu)
{
    return gpu->submitted;
}

bool gpu_pace(struct gpu *gpu)
{
    double seconds = 0;
    uint64_t ticket = 0;
    for (ptrdiff_t i = arrlen(gpu->flights) - 1; i >= 0 && !ticket; i--) {
        seconds += gpu->flights[i].seconds;
        if (seconds > gpu->options.submission_limit && i < arrlen(gpu->flights) - 1)
            ticket = gpu->flights[i].value;
    }
    return gpu_wait(gpu, ticket);
}

// Counts a wait of the host for submission VALUE, which is not complete.
static void count_wait(struct gpu *gpu, uint64_t value)
{
    ++*(value < gpu->submitted ? &gpu->counts.paces : &gpu->counts.waits);
}

// The limit counts from the last completed submission, so long jobs in many submissions never reach it while they
// advance.
bool gpu_wait(struct gpu *gpu, uint64_t value)
{
    if (gpu->lost)
        return lost_earlier(gpu);
    if (gpu->completed >= value)
        return true;
    VkResult result = gpu_injected(gpu, GPU_FAULT_HANG) ? VK_TIMEOUT : read_timeline(gpu);
    if (result == VK_SUCCESS && gpu->completed < value)
        count_wait(gpu, value);
    while (result == VK_SUCCESS && gpu->completed < value)
        result = advance(gpu, gpu->options.wait_limit);
    if (result == VK_SUCCESS)
        return true;
    gpu->lost = true;
    gpu->hung = result != VK_ERROR_DEVICE_LOST;
    const char *label = arrlen(gpu->flights) ? gpu->flights[0].label : "?";
    if (result == VK_TIMEOUT)
        return fail(FAULT_DEVICE, "%s: no progress for %g s in \"%s\"; the device hangs", gpu->info.name,
            gpu->options.wait_limit, label);
    return fail(FAULT_DEVICE, "%s: %s in \"%s\"", gpu->info.name, gpu_result_name(result), label);
}

void gpu_finish(struct gpu *gpu, uint64_t value)
{
    VkResult result = VK_SUCCESS;
    if (!gpu->hung && !gpu_reached(gpu, value))
        count_wait(gpu, value);
    // Continues after a simulated loss, whose earlier submissions are real; after a real one this ends at once.
    while (!gpu->hung && result == VK_SUCCESS && gpu->completed < value)
        result = advance(gpu, gpu->options.wait_limit);
    gpu->lost = gpu->lost || result != VK_SUCCESS;
    gpu->hung = gpu->hung || (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST);
}

bool gpu_at_rest(struct gpu *gpu)
{
    while (gpu->hung && !gpu->abandoned) { // perhaps it was only slow
        gpu->hung = gpu->completed < gpu->submitted;
        gpu->abandoned = gpu->hung && advance(gpu, 1) != VK_SUCCESS;
    }
    return !gpu->hung;
}
