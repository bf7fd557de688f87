// Runs the demo on its own service and mail server, which it stops and removes at the end.
import { rmSync } from "node:fs"
import { pause, Service } from "../support/Service.ts"
import { FakeSmtp } from "@tentpole/adapters/test/FakeSmtp"
import { demo } from "./Demo.ts"
import { say } from "./Progress.ts"

const sink = await FakeSmtp.start()
const service = await Service.prepare({ SMTP_URL: sink.url, LOG_LEVEL: "error" })
process.once("exit", () => rmSync(service.folder, { recursive: true, force: true }))
const stop = async () => {
  await service.remove()
  await sink.close()
}
process.once("SIGINT", () => void stop().then(() => process.exit(130)))
try {
  process.exitCode = (await demo(service, sink)) ? 0 : 1
} catch (error) {
  say(`\n${error instanceof Error ? error.message : String(error)}\n${service.output}`)
  process.exitCode = 1
} finally {
  say("  Everything is stopped and removed.")
  await stop()
  await pause(0)
}
