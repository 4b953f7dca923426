"""Random signals and pipelines, and an oracle that shares no code with the kernels."""
