"""One thread: the machine is shared, and sums depend on how many there are."""

import torch

torch.set_num_threads(1)
