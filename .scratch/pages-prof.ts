import { Ending } from "../test/support/Ending.ts"
import { load } from "../test/bench/Load.ts"
import { makeWorld, visitsOf, bareServer } from "../test/bench/pages/World.ts"
import { secondsOf } from "../test/bench/tracking/Processors.ts"
const ending = new Ending()
if (process.env.PROF) process.env.NODE_OPTIONS += ` --cpu-prof --cpu-prof-dir=${process.env.PROF}`
const bench: any = { ending, report: { say: () => {} }, quick: true }
try {
  const world = await makeWorld(bench)
  const target = visitsOf(world, "machines")
  const people = visitsOf(world, "people")
  const bare = await bareServer(bench, target)
  const { http } = await world.service.pids()
  const cost = async (pid: number, t: any) => { const b = await secondsOf(pid); const { times_ms, perSecond } = await load(t, 64, 3000); return [((await secondsOf(pid) - b) * 1e6 / times_ms.length).toFixed(0) + "us", perSecond.toFixed(0) + "/s"].join(" ") }
  await load(target, 64, 2000); await load(bare.target, 64, 2000)
  for (let i = 0; i < 4; i++) console.log("bare", await cost(bare.pid, bare.target), "ours", await cost(http, target), "people", await cost(http, people))
  await world.service.signal("SIGTERM")
} finally { await ending.all() }
