// A free port for a server that a test starts.
import { createServer } from "node:net"

/** Below the ephemeral ports, and a thousand for each worker of Vitest, so that nothing else gets the port before it is bound. */
const lowest_port = 20_000 + 1_000 * (Number(process.env["VITEST_POOL_ID"] ?? 0) % 12)
let ports_chosen = Math.floor(Math.random() * 1_000)

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const port = lowest_port + (ports_chosen++ % 1_000)
    const probe = createServer()
    probe.once("error", () => resolve(freePort()))
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(port)))
  })
