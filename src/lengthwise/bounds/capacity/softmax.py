"""How fast attention weights move with scores: ||softmax(a) - softmax(b)||_1 <= C ||a - b||_∞.

The paper has C = 2 (Corollary A.7), from the sum of the absolute entries of the Jacobian. C = 1 is enough, and the
best: a step h moves the weights p by Σ p_i |h_i - p·h|, the mean absolute deviation of h, which is at most its standard
deviation and hence at most ||h||_∞; for two scores (t, -t) at t = 0 it is equal to it.
"""

from __future__ import annotations

SOFTMAX = 2.0
"""As in the paper, and what bounds here are computed with unless told otherwise."""
SHARP_SOFTMAX = 1.0
"""The best constant."""
