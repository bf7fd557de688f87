// One contact over HTTP: requests a second of the real process, beside a bare server that runs the same statements.
import { isDeepStrictEqual } from "node:util"
import { apiKey } from "../../support/Service.ts"
import { ServiceProcess } from "../../support/ServiceProcess.ts"
import type { Bench } from "../Benchmark.ts"
import { compareLoads } from "../Load.ts"
import { comparison, ratioAtLeast } from "../Report.ts"
import type { LargeWorkspace } from "./LargeWorkspace.ts"

const connections = 32
const contacts_asked = 1_000

const sameAnswer = async (ports: ReadonlyArray<number>, path: string, headers: Record<string, string>) => {
  const [ours, bare] = await Promise.all(
    ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).json()),
  )
  if (isDeepStrictEqual(ours, bare)) return
  throw new Error(`${path}: ours answers ${JSON.stringify(ours)}, the bare server ${JSON.stringify(bare)}`)
}

export const findOne = async (bench: Bench, world: LargeWorkspace): Promise<void> => {
  const rows = await world.byHand<{ contact_id: string }>(
    `select contact_id from contact where workspace_id = '${world.workspace}' order by md5(contact_id::text) limit ${contacts_asked}`,
  )
  const paths = rows.map((row) => `/v1/contacts/${row.contact_id}`)
  const headers = { authorization: `Bearer ${apiKey}` }
  const module = new URL("BareServer.ts", import.meta.url)
  const bare = await ServiceProcess.serving(bench.ending, module, { DATABASE_URL: world.databaseUrl })
  const ports = { ours: world.port, reference: bare.port }
  for (const path of paths.slice(0, 3)) await sameAnswer([ports.ours, ports.reference], path, headers)
  const target = (port: number) => ({ port, headers, paths })
  const rates = await compareLoads(
    { ours: target(ports.ours), reference: target(ports.reference) },
    { connections, ...(bench.quick ? { windows: 3, window_ms: 600 } : { windows: 7, window_ms: 4_000 }) },
  )
  bench.report.section(
    `GET /v1/contacts/{id} at ${connections} connections, beside a bare node:http server with the same statements`,
    [comparison("requests", "/s", rates, (ratio) => [ratioAtLeast(0.5, ratio)])],
    ["The generator is this process: it, the database and the servers share the machine."],
  )
}
