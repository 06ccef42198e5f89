// On Mesa's CPU driver a loop is a branch, unlike `if`, which runs both sides.
#define branch(condition) for (bool once_ = condition; once_; once_ = false)
