// How long work takes of the processor: a busy machine makes nothing slow.
export const processorTime_ms = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
