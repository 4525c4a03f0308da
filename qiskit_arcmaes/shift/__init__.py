"""Parameter-shift pairs, Adam and a model of the gradient: for losses of rotation angles."""
