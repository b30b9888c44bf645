"""One thread: the machine is shared, and bits are promised for one thread."""

import torch

torch.set_num_threads(1)
