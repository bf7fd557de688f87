// The browser and the system of a `User-Agent`, for people. Unknown ones are null.
interface Browser {
  readonly name: string
  readonly system: string
}

/** In this order: later browsers also name the earlier ones. */
const browsers: ReadonlyArray<readonly [mark: string, name: string]> = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
]

const systems: ReadonlyArray<readonly [mark: string, name: string]> = [
  ["Android", "Android"],
  ["iPhone", "iOS"],
  ["iPad", "iPadOS"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
]

const firstIn = (agent: string, marks: typeof browsers): string | null =>
  marks.find(([mark]) => agent.includes(mark))?.[1] ?? null

export const browserOf = (agent: string): Browser | null => {
  const name = firstIn(agent, browsers)
  const system = firstIn(agent, systems)
  return name === null || system === null ? null : { name, system }
}
