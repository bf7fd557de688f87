// The module of a parsing thread: it parses one input after the other.
import { parse, type Parser } from "@tentpole/core/ports/Parsers"
import { parentPort } from "node:worker_threads"
import { parsersByName } from "./Table.ts"
import { answering } from "./ThreadMessages.ts"

answering(parentPort, ({ name, input }) => {
  const parser = parsersByName.get(name)
  if (parser === undefined) throw new Error(`no parser has the name ${name}`)
  return parse(parser as Parser<unknown, unknown>, input)
})
