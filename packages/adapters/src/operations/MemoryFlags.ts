// What keeps the memory of a service process small. It takes effect only at process start. By default V8 lets the heap grow to
// several times the live objects before it collects the old ones.

/** For bodies of 5 MB: the heap is collected after 50 % growth. */
export const httpFlags: ReadonlyArray<string> = ["--heap-growing-percent=50"]

/**
 * A worker allocates fast and retains little: the heap is collected after 50 % growth, and the space for new objects is limited
 * to 16 MB (two halves).
 */
export const workerFlags: ReadonlyArray<string> = ["--heap-growing-percent=50", "--max-semi-space-size=8"]

/** Environment variables. By default glibc has up to eight arenas for each processor, and each keeps memory that is free. */
export const memoryVariables = { MALLOC_ARENA_MAX: "2" } as const
