"""The local back end: NumPy and SciPy, with the threads of their BLAS."""
