// Contract tests of single messages: acceptance, keys, the line, the end of messages, and what callers read.
import type { Layer } from "effect"
import { messageLine } from "./messageLine.ts"
import { messageReading } from "./messageReading.ts"
import { messageSending } from "./messageSending.ts"
import { type MessagePorts, withUseCases } from "./messageWorld.ts"

export const messages = <E>(name: string, ports: Layer.Layer<MessagePorts, E>) => {
  const live = withUseCases(ports)
  messageSending(name, live)
  messageLine(name, live)
  messageReading(name, live)
}
