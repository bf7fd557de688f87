// The campaign of requests: every operation of both API descriptions with each parameter at its maximum.
import type { Draw } from "@tentpole/core/contract"
import { nameOf } from "@tentpole/http/test/attacks/AttackSuite"
import { filled, parametersOf } from "@tentpole/http/test/attacks/Attacks"
import { rooms } from "@tentpole/http/test/attacks/Rooms"
import { administration, type DescribedOperation, operationsIn, tenants } from "@tentpole/http/test/fixtures/Described"
import { type Call, unknownId } from "@tentpole/http/test/fixtures/World"
import { type Json, objectIn } from "@tentpole/http/description/Json"
import { Effect } from "effect"
import { type Input, inputsOf, type Request } from "./Inputs.ts"
import type { Report } from "./Report.ts"
import { draw as drawOf, isChosen, minute_ms, type Plan, shuffled } from "./Sample.ts"
import { adminToken, type Weighed } from "./Weighed.ts"

/** An operation, and how to get its valid requests, in a new workspace each time. */
interface Target {
  readonly name: string
  readonly description: Json
  readonly operation: DescribedOperation
  readonly prepare: () => Promise<{ readonly call: Call; readonly rights: ReadonlyArray<Request> }>
}

const described = (description: Json): ReadonlyMap<string, DescribedOperation> =>
  new Map(operationsIn(description).map((each) => [nameOf(each), each]))

const ofTenants = (weighed: Weighed): ReadonlyArray<Target> => {
  const known = described(tenants)
  const targets = rooms.flatMap((room) =>
    room.operations.flatMap((own): ReadonlyArray<Target> => {
      const operation = known.get(nameOf(own))
      if (operation === undefined) return []
      const prepare = async () => {
        const tenant = await weighed.tenant()
        const settled = await weighed.deployment.inside.run(room.settle(tenant, "ours", weighed.context, own))
        return { call: tenant.call, rights: settled.rights(own) }
      }
      return [{ name: nameOf(own), description: tenants, operation, prepare }]
    }),
  )
  const tried = new Set(targets.map(({ name }) => name))
  const rest = [...known].filter(([name]) => !tried.has(name))
  return [...targets, ...rest.map(([name, operation]) => alone(weighed, name, tenants, operation))]
}

/** An operation that no room has: its valid request is the example of the description. */
const alone = (weighed: Weighed, name: string, description: Json, operation: DescribedOperation): Target => ({
  name,
  description,
  operation,
  prepare: async () => {
    const { call } = await weighed.tenant()
    return { call, rights: [{ path: withIds(operation.path, {}), sent: exampleOf(operation) }] }
  },
})

const withIds = (path: string, ids: Readonly<Record<string, string>>): string =>
  filled(path, Object.fromEntries(parametersOf(path).map((name) => [name, ids[name] ?? unknownId])))

const exampleOf = ({ described }: DescribedOperation) => {
  const content = objectIn(objectIn(objectIn(described, "requestBody"), "content"), "application/json")
  return "example" in content ? { json: content["example"] } : {}
}

const ofAdministration = (weighed: Weighed): ReadonlyArray<Target> =>
  [...described(administration)].map(([name, operation]) => ({
    name,
    description: administration,
    operation,
    prepare: async () => {
      const { workspace } = await weighed.tenant()
      const path = withIds(operation.path, { workspace_id: workspace })
      return { call: weighed.callWith(`Bearer ${adminToken}`), rights: [{ path, sent: exampleOf(operation) }] }
    },
  }))

/** Whether an accepted request leaves nothing to send the next one to. */
const usesUp = ({ method }: DescribedOperation): boolean => method === "POST" || method === "DELETE"

/** Sends the inputs of one operation; returns how many were tried. */
const tryOperation = async (
  weighed: Weighed,
  report: Report,
  target: Target,
  limits: { readonly draw: Draw; readonly inputs_max: number; readonly end: number },
): Promise<void> => {
  const { description, name, operation, prepare } = target
  let prepared = await prepare()
  const all = shuffled(limits.draw, inputsOf(description, operation, prepared.rights)).filter((each) =>
    isChosen({ operation: name, ...each }),
  )
  const inputs = all.slice(0, limits.inputs_max)
  const once = async (input: Input & { readonly right: number }) => {
    const right = prepared.rights[input.right] ?? prepared.rights[0]
    if (right === undefined) throw new Error(`${name} has no valid request`)
    const { path, sent } = input.request(right)
    return Effect.runPromise(prepared.call(operation.method, path, sent))
  }
  for (const [index, input] of inputs.entries()) {
    if (Date.now() > limits.end) return report.leftOut(all.length - index)
    const { filling, parameter } = input
    const tried = await weighed
      .smallest(report, () => once(input))
      .catch((error: unknown) => {
        report.wrong.push(`${name} with ${parameter}: ${filling}: ${String(error)}`)
        return null
      })
    if (tried === null) continue
    const [answered, reading] = tried
    if (answered.status < 300 && usesUp(operation)) prepared = await prepare()
    report.add({ process: "http", operation: name, parameter, filling, status: answered.status, ...reading })
    report.judge(description, operation, { parameter, filling }, answered)
  }
  report.leftOut(all.length - inputs.length)
}

export const tryRequests = async (weighed: Weighed, report: Report, plan: Plan): Promise<void> => {
  const draw = drawOf(plan)
  const targets = shuffled(draw, [...ofTenants(weighed), ...ofAdministration(weighed)])
  const end = Date.now() + plan.minutes_max.requests * minute_ms
  const tried = targets.slice(0, plan.operations_max)
  for (const [index, target] of tried.entries()) {
    // Each operation gets an equal share of the time that is left.
    const share_ms = (end - Date.now()) / (tried.length - index)
    await tryOperation(weighed, report, target, { draw, inputs_max: plan.inputs_max, end: Date.now() + share_ms })
  }
}
