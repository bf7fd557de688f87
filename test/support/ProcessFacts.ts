// Memory and processor time of a process from /proc; null on systems without it.
import { readdir, readFile } from "node:fs/promises"

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

/** The fields after the name of a process. The name is in parentheses and may contain anything. */
const statOf = async (pid: number): Promise<ReadonlyArray<string> | null> => {
  const stat = await read(pid, "stat")
  return stat === null ? null : stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

const sum_ms = (ticks: ReadonlyArray<string>): number => ticks.reduce((sum, each) => sum + Number(each), 0) * tick_ms

/** Its user and system time, the 14th and 15th field. */
export const processorTime_ms = async (pid: number): Promise<number | null> => {
  const fields = await statOf(pid)
  return fields && sum_ms(fields.slice(11, 13))
}

/** The time of the parent of a process and of all its children, ended ones too: of a server, by one of its sessions. */
export const familyTime_ms = async (pid: number): Promise<number | null> => {
  const parent = (await statOf(pid))?.[1]
  if (parent === undefined) return null
  const all = await Promise.all((await readdir("/proc")).map((name) => statOf(Number(name))))
  const children = all.filter((fields) => fields?.[1] === parent).map((fields) => sum_ms(fields?.slice(11, 13) ?? []))
  const own = sum_ms((await statOf(Number(parent)))?.slice(11, 15) ?? [])
  return children.reduce((sum, each) => sum + each, own)
}
