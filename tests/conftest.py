"""Settings that all tests share."""

from hypothesis import settings

settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")
# No deadline: a busy machine is no fault. The same examples in every run: a failure can be repeated.
