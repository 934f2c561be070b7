"""Small games with known equilibria, in a directory of their own: kernels recompile when a neighbour changes."""
