// What a process has used, as Linux tells of it; null where there is no such telling.
import { readFile } from "node:fs/promises"

const told = (pid: number, file: string): Promise<string | null> =>
  readFile(`/proc/${pid}/${file}`, "utf8").catch(() => null)

const memory_bytes = async (pid: number, line: "VmHWM" | "VmRSS"): Promise<number | null> => {
  const kib = new RegExp(`^${line}:\\s*(\\d+) kB$`, "m").exec((await told(pid, "status")) ?? "")?.[1]
  return kib === undefined ? null : Number(kib) * 1024
}

/** The most memory that it has had at once since it began. */
export const peakMemory_bytes = (pid: number): Promise<number | null> => memory_bytes(pid, "VmHWM")

/** The memory that it has now. */
export const residentMemory_bytes = (pid: number): Promise<number | null> => memory_bytes(pid, "VmRSS")

/** Linux counts in hundredths of a second, whatever the machine (`USER_HZ`). */
const tick_ms = 10

/** Time of processors that it has used, its own and the system's for it. */
export const processorTime_ms = async (pid: number): Promise<number | null> => {
  const stat = await told(pid, "stat")
  if (stat === null) return null
  // The second field is a name in parentheses, which may hold anything; user and system time are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * tick_ms
}
