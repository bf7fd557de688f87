// Which processes took how much of the processors: of the service's two, and of PostgreSQL and everything else together.
import { readFile } from "node:fs/promises"
import { cpus } from "node:os"
import type { Service } from "../../support/Service.ts"

/** Linux counts in hundredths of a second. */
const ticks_per_second = 100

/** User and system time of a process, in seconds (proc_pid_stat(5)); NaN where there is no /proc. */
export const secondsOf = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / ticks_per_second
}

/** Of all processors: what was worked, and what the host of a virtual machine kept to itself (proc_stat(5)). */
const allSeconds = async (): Promise<{ readonly busy: number; readonly stolen: number }> => {
  const stat = await readFile("/proc/stat", "utf8").catch(() => "")
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (/^cpu +(.*)$/m.exec(stat)?.[1] ?? "")
    .split(" ")
    .map((ticks) => Number(ticks) / ticks_per_second)
  return { busy: user + nice + system + irq + softirq, stolen: steal }
}

export const processorTimes = async (service: Service) => {
  const pids = await service.pids()
  const now = async () => ({
    http: await secondsOf(pids.http),
    worker: await secondsOf(pids.worker),
    all: await allSeconds(),
    at_s: performance.now() / 1000,
  })
  const before = await now()
  return {
    since: async (): Promise<string> => {
      const after = await now()
      const share = (seconds: number) => `${Math.round((seconds / (after.at_s - before.at_s)) * 100)} %`
      const [http, worker] = [after.http - before.http, after.worker - before.worker]
      return `HTTP process ${share(http)}, worker ${share(worker)}, all others (PostgreSQL, readers, mail server) ${share(after.all.busy - before.all.busy - http - worker)} of one processor, of ${cpus().length}; kept by the machine's host: ${share(after.all.stolen - before.all.stolen)}`
    },
  }
}
