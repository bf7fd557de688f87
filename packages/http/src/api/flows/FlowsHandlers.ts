// The handlers of triggered flows.
import type { FlowStatusFilter } from "@tentpole/core/flows/Flows"
import { Flows } from "@tentpole/core/flows/Flows"
import { FlowSimulations } from "@tentpole/core/flows/simulation/FlowSimulations"
import type { FlowId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { handlersOf } from "../../GroupHandlers.ts"
import { answer, paged, pageOf } from "../../Wire.ts"
import { toServed } from "../documents/ContentWire.ts"
import { toEmailChoice } from "../emails/EmailChoiceWire.ts"
import { drawing } from "./drawing/FlowDrawing.ts"
import { toFlowWire, toGraphWire, toReadinessWire, toSimulationWire } from "./FlowWire.ts"

const flow = answer(toFlowWire)

const deleted = (id: FlowId) => answer(() => ({ flow_id: id, deleted: true }) as const)

const archivedOf = (archived: "true" | "false" | "any" | undefined): FlowStatusFilter["archived"] =>
  archived === undefined ? null : archived === "any" ? "any" : archived === "true"

export const layer = handlersOf(
  "flows",
  Effect.all({ flows: Flows, simulations: FlowSimulations }),
  ({ flows, simulations }) => ({
    list: ({ query }, { id }) =>
      flows
        .list(id, {
          ...pageOf(query),
          status: query.status ?? null,
          archived: archivedOf(query.archived),
          search: query.search ?? "",
          sortBy: query.sort_by ?? "updated_at",
          sortOrder: query.sort_order ?? "desc",
        })
        .pipe(Effect.map(paged("flows", query, toFlowWire))),
    create: ({ payload }, { id }) => flow(flows.create(id, payload)),
    find: ({ params }, { id }) => flow(flows.get(id, params.flowId)),
    update: ({ params, payload }, { id }) => flow(flows.update(id, params.flowId, payload)),
    remove: ({ params }, { id }) => deleted(params.flowId)(flows.delete(id, params.flowId)),
    activate: ({ params }, { id }) => flow(flows.activate(id, params.flowId)),
    pause: ({ params }, { id }) => flow(flows.pause(id, params.flowId)),
    archive: ({ params }, { id }) => flow(flows.archive(id, params.flowId)),
    setTriggers: ({ params, payload }, { id }) => flow(flows.replace(id, params.flowId, "triggers", payload)),
    setSteps: ({ params, payload }, { id }) => flow(flows.replace(id, params.flowId, "steps", payload)),
    insertStep: ({ params, payload }, { id }) => flow(flows.insertStep(id, params.flowId, payload)),
    patchStep: ({ params, payload }, { id }) => flow(flows.updateStep(id, params.flowId, params.stepId, payload)),
    removeStep: ({ params, payload }, { id }) =>
      flow(flows.deleteStep(id, params.flowId, params.stepId, payload ?? undefined)),
    setStepEmail: ({ params, payload }, { id }, caller) =>
      flow(
        flows.setStepEmail(id, params.flowId, {
          stepId: params.stepId,
          choice: toEmailChoice(payload),
          by: caller.name,
        }),
      ),
    graph: ({ params }, { id }) => flows.getStepCounts(id, params.flowId).pipe(answer(toGraphWire)),
    readiness: ({ params }, { id }) => flows.getReadiness(id, params.flowId).pipe(answer(toReadinessWire)),
    graphImage: ({ params }, { id }) =>
      flows.getStepCounts(id, params.flowId).pipe(answer((counted) => toServed(drawing(counted)))),
    simulate: ({ params, payload }, workspace) =>
      simulations.run(workspace, params.flowId, payload).pipe(answer(toSimulationWire)),
  }),
)
