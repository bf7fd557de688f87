// Memory and processor time of a process from /proc; null on systems without it.
import { readFile } from "node:fs/promises"

const read = (pid: number, file: string): Promise<string | null> =>
  readFile(`/proc/${pid}/${file}`, "utf8").catch(() => null)

const memory_bytes = async (pid: number, line: "VmHWM" | "VmRSS"): Promise<number | null> => {
  const kib = new RegExp(`^${line}:\\s*(\\d+) kB$`, "m").exec((await read(pid, "status")) ?? "")?.[1]
  return kib === undefined ? null : Number(kib) * 1024
}

/** The peak of its memory. */
export const peakMemory_bytes = (pid: number): Promise<number | null> => memory_bytes(pid, "VmHWM")

/** Its memory now. */
export const residentMemory_bytes = (pid: number): Promise<number | null> => memory_bytes(pid, "VmRSS")

/** Linux counts in hundredths of a second, whatever the machine (`USER_HZ`). */
const tick_ms = 10

/** Its user and system time. */
export const processorTime_ms = async (pid: number): Promise<number | null> => {
  const stat = await read(pid, "stat")
  if (stat === null) return null
  // The second field is a name in parentheses, which may hold anything; user and system time are the 14th and 15th.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * tick_ms
}
