// Meter inside a service process, loaded by `--import`: the longest block of the main thread's event loop and the largest memory
// since the last report. The parent requests a report with the message `{ meter: true }`.
import { monitorEventLoopDelay } from "node:perf_hooks"
import { isMainThread } from "node:worker_threads"

const nanoseconds = 1e6
const microseconds = 1e3

/** The sampler sees a block only after it: a report waits for its next turn. */
const report_after_ms = 4
const memory_every_ms = 10

if (isMainThread && process.send !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let rss_bytes = 0
  let busy_ms = 0
  let used_ms = 0
  const measureMemory = () => (rss_bytes = Math.max(rss_bytes, process.memoryUsage.rss()))
  /** The processor time of the main thread between two turns of the loop. Other processes add nothing to it. */
  const measureWork = () => {
    const { user, system } = process.threadCpuUsage()
    const now_ms = (user + system) / microseconds
    busy_ms = Math.max(busy_ms, now_ms - used_ms)
    used_ms = now_ms
  }
  setInterval(measureMemory, memory_every_ms).unref()
  setInterval(measureWork, 1).unref()
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
    if (typeof message === "object" && message !== null && "meter" in message) setTimeout(report, report_after_ms)
  })
}
