//! What the example programs share: frames, sources, sinks and kernels.
