// Meter inside a service process, loaded by `--import`: the longest block of the main thread's event loop and the largest memory
// since the last report. The parent requests a report with the message `{ meter: true }`, and the noise of the machine with
// `{ noise: true }`.
import { monitorEventLoopDelay } from "node:perf_hooks"
import { isMainThread } from "node:worker_threads"

const nanoseconds = 1e6
const microseconds = 1e3

/** The sampler sees a block only after it: a report waits for its next turn. */
const report_after_ms = 4
const memory_every_ms = 10
const noise_turns = 40
const noise_turn_ms = 25

if (isMainThread && process.send !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let rss_bytes = 0
  let busy_ms = 0
  let used_ms = 0
  const used = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / microseconds
  }
  const measureMemory = () => (rss_bytes = Math.max(rss_bytes, process.memoryUsage.rss()))
  /** The processor time of the main thread between two turns of the loop. Other processes add nothing to it. */
  const measureWork = () => {
    const now_ms = used()
    busy_ms = Math.max(busy_ms, now_ms - used_ms)
    used_ms = now_ms
  }
  setInterval(measureMemory, memory_every_ms).unref()
  setInterval(measureWork, 1).unref()
  /** Works in short turns. What a turn takes besides its processor time is an interruption. */
  const measureNoise = (turns: number, longest_ms: number): void => {
    if (turns === noise_turns) return void process.send?.(`noise ${longest_ms}`)
    const [began_ms, used_ms] = [performance.now(), used()]
    while (used() - used_ms < noise_turn_ms);
    const interrupted_ms = performance.now() - began_ms - noise_turn_ms
    setImmediate(measureNoise, turns + 1, Math.max(longest_ms, interrupted_ms))
  }
  const report = () => {
    measureMemory()
    const read = { block_ms: delay.max / nanoseconds, busy_ms, rss_bytes }
    process.send?.(`meter ${JSON.stringify(read)}`)
    delay.reset()
    rss_bytes = 0
    measureWork()
    busy_ms = 0
  }
  process.on("message", (message) => {
    if (typeof message !== "object" || message === null) return
    if ("meter" in message) setTimeout(report, report_after_ms)
    if ("noise" in message) measureNoise(0, 0)
  })
}
