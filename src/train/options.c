#include "train/options.h"

#define PLAIN(kind, field, flag, value, help, ...)                                                                     \
    { #field, flag, MDAM_OPTION_##kind, offsetof(struct mdam_train_options, field), value, help, __VA_ARGS__ },
#define SPAN(kind, field, flag, value, help, ...)                                                                      \
    { #field, flag, MDAM_OPTION_##kind, offsetof(struct mdam_train_options, field##_min), value, help, __VA_ARGS__ },
#define SETTING(kind, field, member, flag, value, help, ...) PLAIN(kind, field, flag, value, help, __VA_ARGS__)
#define DERIVED(kind, member)

const struct mdam_option train_table[] = { TRAIN_OPTIONS(PLAIN, SPAN, SETTING, DERIVED){ NULL } };
const struct mdam_option train_run_table[] = { TRAIN_RUN_OPTIONS(PLAIN){ NULL } };
