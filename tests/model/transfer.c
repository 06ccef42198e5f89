// Weights to a device and back.
#include <string.h>

#include "device.h"
#include "model/initial.h"
#include "model/model.h"
#include "suite.h"
#include "tests/model/support.h"
#include "util/error.h"

static MunitResult test_round_trip(const MunitParameter params[], void *data)
{
    (void)data;
    TEST_GPU(gpu, params);
    for (const struct problem *const *problem = problems; *problem; problem++) {
        struct config config = tiny_config((*problem)->name, 2, 3);
        config.norm = MODEL_BATCH;
        config.O = 2;
        struct weights weights, back;
        weights_draw(&weights, &config, 1);
        struct model *model = NULL;
        test_ok(model_create(&model, gpu, &config));
        test_ok(weights_upload(gpu, &model->params, &model->stats, &weights));
        weights_init(&back, &config);
        test_ok(weights_download(gpu, &back, &model->params, &model->stats));
        munit_assert_memory_equal(weights.count * 4, weights.values, back.values);
        // At the address that the layout gives it.
        float gain[8];
        test_ok(tensor_download(gpu, gain, model->params.layers[1].norm2.gain));
        munit_assert_float(gain[7], ==, 1);
        struct tensor flat;
        test_ok(params_flat(&flat, &model->params, &config));
        munit_assert_uint64(flat.address, ==, model->params.embed.address);
        munit_assert_uint64(
            flat.address + 4ull * flat.dim[0], ==, model->params.out.address + 4 * tensor_count(&model->params.out));
        model_destroy(&model);
        weights_finish(&weights), weights_finish(&back);
    }
    gpu_close(&gpu);
    return MUNIT_OK;
}

static MunitTest tests[] = {
    { "/round-trip", test_round_trip, NULL, NULL, MUNIT_TEST_OPTION_NONE, test_targets },
    { NULL, NULL, NULL, NULL, MUNIT_TEST_OPTION_NONE, NULL },
};
SUITE("/model/transfer", tests)
