"""What models are trained on: every task behind one interface, one file each."""
