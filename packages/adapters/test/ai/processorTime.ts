// The CPU time of a piece of work, which does not depend on other load of the machine.
export const processorTime_ms = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
