// Follows a stream of changes until it is aborted: opens it again after its end, after failures, and when it falls silent.

export interface Change {
  /** What was watched, such as `blast:<id>`. `end`, which has no value, closes the stream. */
  readonly of: string
  readonly value?: unknown
}

interface Stream {
  /** Reads one stream to its end. `onHeard` is called for everything that arrives, also for the comments that keep it open. */
  readonly read: (signal: AbortSignal, onChange: (change: Change) => void, onHeard: () => void) => Promise<void>
  readonly onChange: (change: Change) => void
  /** Whether values arrive. While they do not, the caller polls. */
  readonly onLive: (isLive: boolean) => void
}

/** The service writes at least a comment every 15 seconds. A computer that slept hears nothing more. */
export const silence_ms = 40_000
const pause_ms = 1_000
const pause_ms_max = 30_000

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** Reads one stream. Returns whether a change arrived. */
const readOnce = async ({ onChange, onLive, read }: Stream, signal: AbortSignal): Promise<boolean> => {
  const attempt = new AbortController()
  const abort = () => attempt.abort()
  signal.addEventListener("abort", abort)
  let timer = setTimeout(abort, silence_ms)
  let hasArrived = false
  const take = (change: Change) => {
    if (attempt.signal.aborted) return
    if (change.of === "end") return abort()
    hasArrived = true
    onLive(true)
    onChange(change)
  }
  const onHeard = () => {
    clearTimeout(timer)
    timer = setTimeout(abort, silence_ms)
  }
  try {
    await read(attempt.signal, take, onHeard)
  } catch {
    // The calls that poll meanwhile show the failure.
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", abort)
    abort()
  }
  return hasArrived
}

export const follow = async (stream: Stream, signal: AbortSignal): Promise<void> => {
  let failures = 0
  while (!signal.aborted) {
    failures = (await readOnce(stream, signal)) ? 0 : failures + 1
    if (signal.aborted) return
    stream.onLive(false)
    await sleep(Math.min(pause_ms_max, pause_ms * 2 ** failures), signal)
  }
}
