// The V8 flags of a worker process. They take effect only at process start.

/**
 * A worker allocates fast and retains little. By default V8 lets the heap grow to several times the live objects before it
 * collects the old ones. These flags collect after 25% growth, and limit the space for new objects to 64 MB (two halves).
 */
export const workerFlags: ReadonlyArray<string> = ["--heap-growing-percent=25", "--max-semi-space-size=32"]
