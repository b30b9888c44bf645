"""What holds for all tests."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# A commit passes or fails alike wherever it is tested; `make explore` draws new cases instead.
settings.register_profile("fixed", derandomize=True)
settings.register_profile("explore", print_blob=True)
settings.load_profile(os.environ.get("LENGTHWISE_HYPOTHESIS", "fixed"))

# Where tests are run in the background, Ctrl-C is ignored, and so it would be in the commands that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
