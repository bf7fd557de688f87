// The handlers of triggered flows.
import type { FlowStatusFilter } from "@tentpole/core/flows/Flows"
import { Flows } from "@tentpole/core/flows/Flows"
import { FlowSimulations } from "@tentpole/core/flows/simulation/FlowSimulations"
import type { FlowId } from "@tentpole/core/kernel/Ids"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../Api.ts"
import { withWorkspace } from "../../edge/Auth.ts"
import { answer, paged, pageOf } from "../../Wire.ts"
import { toServed } from "../documents/ContentWire.ts"
import { toEmailChoice } from "../emails/EmailChoiceWire.ts"
import { drawing } from "./drawing/FlowDrawing.ts"
import { toFlowWire, toGraphWire, toSimulationWire } from "./FlowWire.ts"

const flow = answer(toFlowWire)

const deleted = (id: FlowId) => answer(() => ({ flow_id: id, deleted: true }) as const)

const archivedOf = (archived: "true" | "false" | "any" | undefined): FlowStatusFilter["archived"] =>
  archived === undefined ? null : archived === "any" ? "any" : archived === "true"

export const layer = HttpApiBuilder.group(
  Api,
  "flows",
  Effect.fnUntraced(function* (handlers) {
    const flows = yield* Flows
    const simulations = yield* FlowSimulations
    return handlers.handleAll({
      list: ({ query }) =>
        withWorkspace(({ id }) =>
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
        ),
      create: ({ payload }) => withWorkspace(({ id }) => flow(flows.create(id, payload))),
      find: ({ params }) => withWorkspace(({ id }) => flow(flows.get(id, params.flowId))),
      update: ({ params, payload }) => withWorkspace(({ id }) => flow(flows.update(id, params.flowId, payload))),
      remove: ({ params }) => withWorkspace(({ id }) => deleted(params.flowId)(flows.delete(id, params.flowId))),
      activate: ({ params }) => withWorkspace(({ id }) => flow(flows.activate(id, params.flowId))),
      pause: ({ params }) => withWorkspace(({ id }) => flow(flows.pause(id, params.flowId))),
      archive: ({ params }) => withWorkspace(({ id }) => flow(flows.archive(id, params.flowId))),
      setTriggers: ({ params, payload }) =>
        withWorkspace(({ id }) => flow(flows.replace(id, params.flowId, "triggers", payload))),
      setSteps: ({ params, payload }) =>
        withWorkspace(({ id }) => flow(flows.replace(id, params.flowId, "steps", payload))),
      insertStep: ({ params, payload }) =>
        withWorkspace(({ id }) => flow(flows.insertStep(id, params.flowId, payload))),
      patchStep: ({ params, payload }) =>
        withWorkspace(({ id }) => flow(flows.updateStep(id, params.flowId, params.stepId, payload))),
      removeStep: ({ params, payload }) =>
        withWorkspace(({ id }) => flow(flows.deleteStep(id, params.flowId, params.stepId, payload ?? undefined))),
      setStepEmail: ({ params, payload }) =>
        withWorkspace(({ id }, key) =>
          flow(
            flows.setStepEmail(id, params.flowId, {
              stepId: params.stepId,
              choice: toEmailChoice(payload),
              by: key.name,
            }),
          ),
        ),
      graph: ({ params }) =>
        withWorkspace(({ id }) => flows.getStepCounts(id, params.flowId)).pipe(answer(toGraphWire)),
      graphImage: ({ params }) =>
        withWorkspace(({ id }) => flows.getStepCounts(id, params.flowId)).pipe(
          answer((counted) => toServed(drawing(counted))),
        ),
      simulate: ({ params, payload }) =>
        withWorkspace((workspace) => simulations.run(workspace, params.flowId, payload)).pipe(answer(toSimulationWire)),
    })
  }),
)
