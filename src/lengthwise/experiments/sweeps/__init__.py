"""Published figures that are sweeps of training runs (Izzo et al., Golowich et al.): runs, panels, claims."""
