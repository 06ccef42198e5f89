// A loop is a branch on Mesa's CPU driver, unlike `if`, whose both sides it runs.
#define branch(condition) for (bool once_ = condition; once_; once_ = false)
